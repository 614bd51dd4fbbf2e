"""Verdicts on sources."""

import os

import pytest

from exporters.check.advice import meaning
from exporters.check.report import rows
from exporters.check.row import Row
from exporters.core import Collector, Failure, Kind, Metric, Unit
from exporters.core.task import Outcome
from exporters.hardware.nvml import state as nvml_state
from exporters.hardware.nvml.errors import NvmlError

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

    assert ("ok", "3 not read, see its other rows") == (whole.verdict, whole.reason)
    assert ("absent", ("/sys/zone2/temp", "/sys/zone3/temp")) == (off.verdict, off.paths)
    assert ("broken", ("/sys/zone6/temp",)) == (faulty.verdict, faulty.paths)


def test_a_hung_collector_is_broken() -> None:
    """A timeout without any reading is broken, with what hangs."""
    (row,) = judge(Outcome("timeout", reason="a call has not come back for 3 s"))

    assert ("broken", "a call has not come back for 3 s") == (row.verdict, row.reason)


def test_an_unknown_errno_keeps_its_name() -> None:
    """No errno is swallowed."""
    assert "EREMOTEIO" in meaning(OSError(121, os.strerror(121))).reason


def test_what_fails_for_a_whole_collector_is_said_once() -> None:
    """A collector that raises has one row, not a second one with the same path."""
    error = RuntimeError("a mistake")
    (row,) = judge(
        Outcome("error", [], [Failure(COLLECTOR.source, error)], "RuntimeError: a mistake")
    )

    assert ("broken", "RuntimeError: a mistake") == (row.verdict, row.reason)


def test_a_clock_that_stands_still_measures_nothing() -> None:
    """A recording with a still clock has no cost, rather than a cost of 0."""
    (row,) = judge(Outcome("ok", [READING], seconds=0.0))

    assert row.cost_seconds is None


@pytest.mark.parametrize(
    ("code", "verdict", "state"),
    [(15, "broken", "lost"), (9, "broken", "driver_not_loaded"), (4, "denied", "no_permission"),
     (999, "broken", "unknown_error"), (18, "broken", "version_mismatch")],
)  # fmt: skip
def test_nvml_in_trouble_is_not_ok(code: int, verdict: str, state: str) -> None:
    """The state metric is no reading; where it has a problem, that is the verdict."""
    error = NvmlError(code, "Some Text")
    told = nvml_state.PROBLEM.sample(1, state=state, reason=nvml_state.reason(error))
    (row,) = judge(Outcome("ok", [told], [Failure("heat", error)]))

    assert (verdict, f"{state}: Some Text", "") == (row.verdict, row.reason, row.sample)
    assert row.fix
    assert row.fix != COLLECTOR.advice
