"""The power mode of a Jetson, by number and by name."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.core.task import Outcome
from exporters.hardware import nvpmodel
from exporters.hardware.nvpmodel import parse_modes, parse_status
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
NAMES = "< POWER_MODEL ID=0 NAME=15W >\n< POWER_MODEL ID=2 NAME=MAXN_SUPER >\n"


def collect(root: Root) -> Outcome:
    """Return what a root says."""
    return run(nvpmodel.COLLECTOR, root)


@pytest.mark.parametrize(
    ("board", "number", "name"),
    [
        # status and configuration of each board: 25W has a lower number than 7W there
        ("jetson-orin-nano-jp6", "2", "MAXN_SUPER"),
        ("jetson-orin-agx-jp5", "0", "MAXN"),
        ("jetson-nano-jp4", "1", "5W"),
    ],
)
def test_modes_of_jetsons(board: str, number: str, name: str) -> None:
    """The name comes from the board's own configuration."""
    outcome = collect(ReplayRoot(str(board_root(board))))

    assert {(number, name): 1} == readings(outcome, nvpmodel.MODE, "id", "name")
    assert [] == failed(outcome)


def test_number_without_a_name_is_told_as_it_is(make_tree: MakeTree) -> None:
    """A custom mode may be missing from the configuration: its name is unknown, not broken."""
    tree = make_tree({nvpmodel.STATUS: "pmode:0007\n", nvpmodel.CONFIGURATION: NAMES})

    outcome = collect(Root(str(tree)))

    assert {("7", ""): 1} == readings(outcome, nvpmodel.MODE, "id", "name")
    assert [] == failed(outcome)


def test_configuration_that_is_missing_costs_the_name(make_tree: MakeTree) -> None:
    """In a container its link may lead nowhere: the number is told, and the failure."""
    outcome = collect(Root(str(make_tree({nvpmodel.STATUS: "pmode:0002\n"}))))

    assert {("2", ""): 1} == readings(outcome, nvpmodel.MODE, "id", "name")
    assert [nvpmodel.CONFIGURATION] == failed(outcome)


def test_status_that_cannot_be_read_is_a_failure(mounted: Mounted, make_tree: MakeTree) -> None:
    """Nothing is told then, not mode 0."""
    tree = make_tree({nvpmodel.STATUS: "pmode:0002\n", nvpmodel.CONFIGURATION: NAMES})

    outcome = collect(Root(str(mounted(tree, Faults({nvpmodel.STATUS: errno.EIO})))))

    assert [] == outcome.samples
    assert [nvpmodel.STATUS] == failed(outcome)


def test_machine_without_nvpmodel(make_tree: MakeTree) -> None:
    """A PC has no power mode of that kind, whatever else it has."""
    assert "absent" == collect(Root(str(make_tree({nvpmodel.CONFIGURATION: NAMES})))).status


@pytest.mark.parametrize(
    ("text", "expected"),
    [("pmode:0002", 2), ("pmode:0000 fmode:quiet", 0), ("fmode:cool\npmode: 0010", 10)],
)
def test_status_has_a_number(text: str, expected: int) -> None:
    """Older releases write the fan's mode beside it."""
    assert expected == parse_status(text)


@pytest.mark.parametrize("text", ["", "pmode:", "pmode:MAXN", "xpmode:1", "pmode:1234567", "0002"])
def test_status_without_a_number(text: str) -> None:
    """A file that was cut short is no mode 0."""
    with pytest.raises(ValueError, match="no pmode"):
        parse_status(text)


def test_names_among_all_that_a_configuration_holds() -> None:
    """Comments, parameters and defaults are no modes; the order of the words does not matter."""
    text = """
# < POWER_MODEL ID=9 NAME=COMMENTED >
< PARAM TYPE=FILE NAME=CPU_ONLINE >
CORE_1 /sys/devices/system/cpu/cpu1/online
< POWER_MODEL ID=0 NAME=MAXN >
CPU_ONLINE CORE_1 1
<POWER_MODEL NAME=MODE_15W ID=1>
< PM_CONFIG DEFAULT=1 >
"""

    assert {0: "MAXN", 1: "MODE_15W"} == parse_modes(text)


def test_configuration_without_modes() -> None:
    """An empty file is broken, not a board without names."""
    with pytest.raises(ValueError, match="POWER_MODEL"):
        parse_modes("< PM_CONFIG DEFAULT=1 >\n")


@given(st.text() | st.from_regex(r"(p|f)mode:[0-9]{1,6}( pmode:[0-9]*)?"))
def test_any_text_is_a_mode_or_a_value_error(text: str) -> None:
    """A mode has up to six digits."""
    try:
        number = parse_status(text)
    except ValueError:
        return
    assert 0 <= number <= 999_999


@given(st.text() | st.from_regex(r"(< POWER_MODEL ID=[0-9]+ NAME=\S* >\n)+"))
def test_any_text_has_names_or_is_a_value_error(text: str) -> None:
    """A name has no spaces."""
    try:
        names = parse_modes(text)
    except ValueError:
        return
    assert all(0 <= number <= 999_999 for number in names)
    assert not any(name.split()[1:] for name in names.values())
