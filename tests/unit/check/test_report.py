"""Verdicts on sources."""

import json
import os
from collections.abc import Sequence

import pytest

from exporters.check.advice import meaning
from exporters.check.report import Row, rows
from exporters.check.show import as_json, as_table
from exporters.core import Collector, Failure, Kind, Metric, Unit
from exporters.core.task import Outcome

HEAT = Metric("heat", Kind.GAUGE, Unit.CELSIUS, "Heat.", ("zone",))
COLLECTOR = Collector(
    "heat", (HEAT,), lambda _: [], "/sys/class/thermal/thermal_zone*", "Mount /sys into it."
)
READING = HEAT.sample(45.8, zone="cpu")


def failing(number: int, *paths: str) -> list[Failure]:
    """Return failures with an errno."""
    return [Failure(path, OSError(number, os.strerror(number))) for path in paths]


def judge(outcome: Outcome) -> list[Row]:
    """Return the rows for one collector."""
    return list(rows([COLLECTOR], {"heat": outcome}))


def test_a_source_that_reads_is_ok_with_a_sample_and_its_cost() -> None:
    """One row: verdict, a reading, how many series, what it cost."""
    (row,) = judge(Outcome("ok", [READING], seconds=0.002))

    assert ("ok", 'tailsight_heat_celsius{zone="cpu"} 45.8', 1, 0.002) == (
        row.verdict, row.sample, row.series, row.cost_seconds,
    )  # fmt: skip


def test_absence_has_reason_and_advice() -> None:
    """What is not there says how one could have it."""
    (row,) = judge(Outcome("absent", reason="nothing at /sys/class/thermal"))

    assert ("absent", "nothing at /sys/class/thermal", "Mount /sys into it.") == (
        row.verdict, row.reason, row.fix,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("number", "verdict"),
    [(13, "denied"), (1, "denied"), (11, "absent"), (61, "absent"), (5, "broken"), (22, "broken"),
     (110, "broken"), (95, "absent")],
)  # fmt: skip
def test_errno_decides_the_verdict(number: int, verdict: str) -> None:
    """EACCES and EPERM are denied; EAGAIN, ENODATA, EOPNOTSUPP absent; EIO, EINVAL broken."""
    (whole, part) = judge(Outcome("error", [], failing(number, "sys/a"), reason="x"))

    assert (verdict, verdict) == (whole.verdict, part.verdict)
    assert part.fix


def test_sensors_that_fail_alike_share_a_row_below_the_good_ones() -> None:
    """Three rails that are off are one row; the collector is ok for the rest of it."""
    failures = failing(11, "sys/zone2/temp", "sys/zone3/temp") + failing(5, "sys/zone6/temp")
    whole, off, faulty = judge(Outcome("ok", [READING], failures))

    assert ("ok", "3 not read, see below") == (whole.verdict, whole.reason)
    assert ("absent", ("/sys/zone2/temp", "/sys/zone3/temp")) == (off.verdict, off.paths)
    assert ("broken", ("/sys/zone6/temp",)) == (faulty.verdict, faulty.paths)


def test_a_hung_collector_is_broken() -> None:
    """A timeout without any reading is broken, with what hangs."""
    (row,) = judge(Outcome("timeout", reason="a call has not come back for 3 s"))

    assert ("broken", "a call has not come back for 3 s") == (row.verdict, row.reason)


def test_an_unknown_errno_keeps_its_name() -> None:
    """No errno is swallowed."""
    assert "EREMOTEIO" in meaning(OSError(121, os.strerror(121))).reason


def table(found: Sequence[Row], width: int = 100) -> str:
    """Return the table as text."""
    return "\n".join(as_table({"board": "Jetson"}, found, width))


def test_table_says_all_and_keeps_its_width() -> None:
    """Every row shows source, verdict, reason and fix, within the terminal."""
    text = table(judge(Outcome("ok", [READING], failing(13, f"sys/{'x' * 200}/energy_uj"))))

    assert all(len(line) <= 100 for line in text.splitlines())
    for part in ("heat", "ok", "DENIED", "permission denied", "fix: Mount /sys into it."):
        assert part in text
    assert "1 ok, 0 absent, 1 denied, 0 broken" == text.splitlines()[-1]


def test_json_has_the_same_verdicts() -> None:
    """Machines read what people read."""
    found = judge(Outcome("ok", [READING], failing(13, "sys/a")))
    document = json.loads(as_json({"board": "Jetson"}, found))

    assert {"ok": 1, "denied": 1} == document["summary"]
    assert ["ok", "denied"] == [source["verdict"] for source in document["sources"]]
    assert "Jetson" == document["node"]["board"]
