"""What a scrape tells of a clock: samples as the collectors make them of real and made answers."""

from collections.abc import Sequence

import pytest

from exporters.check.time_facts import ClockFacts, Phc, Source, gather
from exporters.clock import chrony_status, metrics, phc, ptp_status, servo_log, timex
from exporters.clock.chrony import samples
from exporters.clock.chrony_messages import parse
from exporters.core import Failure, Sample
from exporters.core.task import Outcome
from tests.support.chrony import recorded

NOW = 1767225600.0


def told(*found: Sample) -> ClockFacts:
    """Return what is known of some samples, whichever collector they are of."""
    return gather({"any": Outcome(samples=list(found))}, None, NOW)


def test_a_follower_of_chrony() -> None:
    """The numbers of ``chronyc tracking``: fast by 1.325 us, 0.877 us, 4.781 us."""
    facts = told(*samples(map(parse, recorded("follower"))))

    assert facts.chrony.synchronized
    assert pytest.approx(1.325e-6, abs=1e-9) == facts.chrony.offset
    assert pytest.approx(0.877e-6, abs=1e-9) == facts.root_dispersion
    assert pytest.approx(4.781e-6, abs=1e-9) == facts.root_delay
    assert "192.0.2.1" == facts.reference
    assert 1 == facts.ntp_sources["online"]
    assert (Source(), Source(), "") == (facts.kernel, facts.ptp4l, facts.leap)


def test_sources_of_chrony() -> None:
    """By ``chronyc sources -a``: three have Reach 377; marks ``+``, ``*``, ``x`` and four ``?``."""
    facts = told(*samples(map(parse, recorded("sources"))))

    assert 3 == facts.reachable
    assert {
        "selected": 1, "combined": 1, "falseticker": 1, "unselectable": 4, "jittery": 0,
        "selectable": 0,
    } == facts.selection  # fmt: skip
    assert None is told().reachable


def test_a_chronyd_without_reference() -> None:
    """It says that it has none, and its fillers are no numbers."""
    facts = told(*samples(map(parse, recorded("unsynchronized"))))

    assert Source(synchronized=False) == facts.chrony
    assert (None, None) == (facts.root_dispersion, facts.root_delay)
    assert 1 == facts.ntp_sources["burst_online"]


@pytest.mark.parametrize(
    ("found", "leap"),
    [
        ([timex.STATE.sample(1, state="insert")], "insert"),
        (
            [timex.STATE.sample(1, state="ok"), chrony_status.LEAP.sample(1, leap="delete")],
            "delete",
        ),
        ([chrony_status.LEAP.sample(1, leap="unsynchronized")], ""),
        (
            [
                ptp_status.TIME_PROPERTIES.sample(
                    1, timescale="tai", traceable="true", leap="insert", source="gnss"
                )
            ],
            "insert",
        ),
        ([timex.STATE.sample(1, state="wait")], ""),
    ],
)
def test_a_leap_second_by_whoever_knows_of_it(found: Sequence[Sample], leap: str) -> None:
    """Chronyd that slews it, and ptp4l, do not tell the kernel."""
    assert leap == told(*found).leap


def test_a_hardware_clock() -> None:
    """Offset, uncertainty and interface are joined by the clock's name."""
    facts = told(
        phc.INFO.sample(1, clock="ptp0", name="igc", interface="eth0"),
        phc.OFFSET.sample(-2e-6, clock="ptp0", timescale="tai"),
        phc.UNCERTAINTY.sample(3e-7, clock="ptp0"),
        phc.OFFSET.sample(5.0, clock="ptp1", timescale="utc"),
        timex.TAI_OFFSET.sample(37.0),
        ptp_status.LAST_SYNC.sample(NOW + 36.5),
    )

    assert [Phc("ptp0", "tai", -2e-6, 3e-7, "eth0"), Phc("ptp1", "utc", 5.0, 0.0)] == facts.phcs
    assert (37.0, NOW + 36.5, NOW) == (facts.tai, facts.last_sync, facts.now)


def test_sources_are_told_apart() -> None:
    """The label is what counts: kernel and ptp4l share the families with chrony."""
    facts = told(
        metrics.SYNCHRONIZED.sample(1, source="kernel"),
        metrics.ERROR_BOUND.sample(0.5, source="kernel"),
        metrics.SYNCHRONIZED.sample(0, source="ptp4l"),
        metrics.OFFSET.sample(-37.0, source="ptp4l"),
        servo_log.STATE.sample(1, program="ptp4l", instance="", clock="", state="jump"),
    )

    assert Source(synchronized=True, bound=0.5) == facts.kernel
    assert Source(synchronized=False, offset=-37.0) == facts.ptp4l
    assert not facts.chrony.answers
    assert [("ptp4l", "", "jump")] == facts.servos


def test_trouble_is_that_of_who_was_found_and_did_not_answer() -> None:
    """Who is absent is no trouble; of a failure the kernel's words count, with the place."""
    refused = Failure("dev/ptp0", PermissionError(13, "Permission denied"))
    facts = gather(
        {
            "ptp_clock": Outcome(failures=[refused], status="error", reason="dev/ptp0: all of it"),
            "chrony": Outcome(status="timeout", reason="it took longer than 5 s"),
            "ptp4l": Outcome(status="absent", reason="ptp4l does not run"),
        },
        {},
        NOW,
    )

    assert {
        "ptp_clock": "dev/ptp0: Permission denied",
        "chrony": "it took longer than 5 s",
    } == facts.trouble
