"""The report for people and for machines."""

import json
import re

import pytest

from exporters.check.row import Row
from exporters.check.show import Report, as_json
from exporters.check.table import as_table, shortened, wants_colour

GOOD = Row(
    collector="heat", kind="collector", source="/sys/class/thermal", verdict="ok",
    sample='tailsight_heat_celsius{zone="cpu"} 45.8', series=3, cost_seconds=0.0012,
)  # fmt: skip
GONE = Row(
    collector="fan", kind="collector", source="/sys/class/fan", verdict="absent",
    reason="no fan", fix="plug one in",
)  # fmt: skip
DENIED = Row(
    collector="heat", kind="sensor", source=f"/sys/{'x' * 200}/energy_uj", verdict="denied",
    reason="permission denied (EACCES)", fix="give the agent CAP_DAC_READ_SEARCH",
    paths=(f"/sys/{'x' * 200}/energy_uj", "/sys/b"),
)  # fmt: skip
REPORT = Report({"board": "Jetson " * 30, "container": ""}, [GONE, GOOD, DENIED], ["nvml"])


def table(width: int, *, colour: bool = False) -> list[str]:
    """Return the table's lines."""
    return list(as_table(REPORT, width, colour=colour))


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    """Long paths and texts are cut or wrapped."""
    assert [] == [line for line in table(width) if len(line) > width]


def test_what_needs_action_comes_first() -> None:
    """Denied, then what works, then what is absent, each under its title."""
    lines = table(80)
    order = ["Needs action", "DENIED", "Works", "ok", "Not here", "absent"]
    places = [next(i for i, line in enumerate(lines) if line.startswith(word)) for word in order]

    assert sorted(places) == places


def test_columns_are_aligned() -> None:
    """Sources, reasons and fixes begin in one column: 6 for the verdict, 2, the longest name, 2."""
    lines = table(80)
    column = len("DENIED  container  ")

    assert f"{'absent  fan':<{column}}/sys/class/fan" in lines
    assert f"{'':<{column}}no fan" in lines
    assert f"{'':<{column}}fix: plug one in" in lines
    assert f"{'ok      heat':<{column}}   3 series    1.20 ms  /sys/class/thermal" in lines


def test_the_count_of_paths_survives_a_cut() -> None:
    """However long the first path is, it shows how many more there are."""
    (line,) = [line for line in table(80) if line.startswith("DENIED")]

    assert line.endswith("… and 1 more")


def test_the_last_line_sums_up() -> None:
    """Collectors and failing sensors are counted apart; each path of a sensor counts."""
    assert (
        "2 collectors: 1 ok, 1 absent; sensors that fail: 2 denied; switched off: nvml;"
        " a scrape gives 3 series in 1.2 ms."
    ) == " ".join(table(80)[-2:])


def test_colour_changes_nothing_but_colour() -> None:
    """Without escape sequences it is the plain table; each row's verdict is coloured."""
    coloured = table(80, colour=True)

    assert table(80) == [re.sub(r"\x1b\[[\d;]*m", "", line) for line in coloured]
    assert 3 == sum("\x1b" in line for line in coloured)


@pytest.mark.parametrize(
    ("environment", "terminal", "expected"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_when_to_colour(environment: dict[str, str], terminal: bool, expected: bool) -> None:  # noqa: FBT001  # a table
    """On terminals only; NO_COLOR counts where it is not empty (no-color.org)."""
    assert expected == wants_colour(environment, terminal=terminal)


def test_a_cut_sample_keeps_its_value() -> None:
    """The labels give way."""
    assert "tailsight_heat_cel… 45.8" == shortened(GOOD.sample, 24)
    assert GOOD.sample == shortened(GOOD.sample, len(GOOD.sample))


def test_json_has_all() -> None:
    """Every path and every count, uncut."""
    document = json.loads(as_json(REPORT))

    assert 1 == document["schema"]
    assert {"ok": 1, "absent": 1, "denied": 0, "broken": 0} == document["summary"]["collectors"]
    assert {"ok": 0, "absent": 0, "denied": 2, "broken": 0} == document["summary"]["sensors"]
    assert list(DENIED.paths) == document["sources"][2]["paths"]
    assert ["nvml"] == document["switched_off"]
