"""Verdicts on a clock; what is expected is worked out by hand from what is known of it."""

from dataclasses import replace

import pytest

from exporters.check.time_bound import GRANDMASTER, TRUE_TIME
from exporters.check.time_facts import ClockFacts, Phc, Source
from exporters.check.time_judge import INTERVAL_SHARE
from tests.support.clock_facts import CHRONY, FREE, KEPT, PTP, blamed, reasons, text, verdict


def test_a_good_clock_by_chrony() -> None:
    """Bound 0.4 ms: two nodes differ by 0.8 ms at most, less than the span of 1 ms."""
    found = verdict(CHRONY)

    assert found.bound is not None
    assert (4e-4, TRUE_TIME) == found.bound[:2]
    assert (True, True, True, []) == (found.good, found.interval_ok, found.span_ok, found.faults)
    assert 8e-4 == found.apart


@pytest.mark.parametrize(("bound", "ok"), [(4.9e-4, True), (5e-4, True), (5.1e-4, False)])
def test_two_bounds_must_fit_into_a_span(bound: float, ok: bool) -> None:  # noqa: FBT001  # a table
    """Each node may be off the other way: 2 x 0.5 ms is a span of 1 ms."""
    facts = replace(CHRONY, chrony=Source(synchronized=True, bound=bound))

    assert ok == verdict(facts).span_ok


@pytest.mark.parametrize(("bound", "ok"), [(1.5, True), (1.6, False)])
def test_a_bound_is_a_tenth_of_the_interval_at_most(bound: float, ok: bool) -> None:  # noqa: FBT001  # a table
    """A tenth of 15 s is 1.5 s."""
    facts = replace(CHRONY, chrony=Source(synchronized=True, bound=bound))
    found = verdict(facts)

    assert 0.1 == INTERVAL_SHARE
    assert ok == found.interval_ok
    assert not found.good


def test_chronys_bound_has_parts() -> None:
    """20 us off, 0.28 ms of dispersion and half of a root delay of 0.2 ms are 0.4 ms."""
    found = verdict(replace(CHRONY, root_dispersion=2.8e-4, root_delay=2e-4)).bound

    assert found is not None
    assert 4e-4 == found.seconds
    assert [2e-5, 2.8e-4, 1e-4] == [part.seconds for part in found.parts]
    assert pytest.approx(found.seconds) == sum(part.seconds for part in found.parts)


@pytest.mark.parametrize(
    ("offset", "dispersion", "delay", "words"),
    [
        (0.02, 0.001, 0.002, "chrony's offset is 20 ms"),
        (0.001, 0.02, 0.002, "root dispersion is 20 ms"),
        (0.001, 0.001, 0.04, "half the root delay is 20 ms"),
    ],
)
def test_the_largest_part_of_a_bound_is_blamed(
    offset: float, dispersion: float, delay: float, words: str
) -> None:
    """Where nothing is broken, that is where to begin; each has a remedy of its own."""
    bound = offset + dispersion + delay / 2
    chrony = Source(synchronized=True, offset=offset, bound=bound)
    facts = replace(CHRONY, chrony=chrony, root_dispersion=dispersion, root_delay=delay)

    assert f"it works, but not well enough: {words}" == reasons(facts)
    assert ["chrony"] == blamed(facts)


def test_ptp_adds_up_the_way_to_the_system_clock() -> None:
    """0.3 us to the grandmaster, 0.1 us to the system clock, 0.2 us for reading that: 0.6 us."""
    found = verdict(PTP)

    assert found.bound is not None
    assert pytest.approx(6e-7) == found.bound.seconds
    assert GRANDMASTER == found.bound.reference
    assert found.good
    assert "nodes of the same grandmaster" in text(PTP)


def test_a_grandmaster_that_tells_its_accuracy_gives_true_time() -> None:
    """1 us of the source in the place of the 0.3 us to the grandmaster: 1.3 us."""
    source = Source(synchronized=True, offset=5e-8, bound=1e-6)
    found = verdict(replace(PTP, ptp4l=source)).bound

    assert found is not None
    assert pytest.approx(1.3e-6) == found.seconds
    assert TRUE_TIME == found.reference


def test_ptp_with_software_time_stamps_has_no_hardware_clock() -> None:
    """ptp4l then steers the system clock itself: its bound is all."""
    found = verdict(replace(PTP, phcs=())).bound

    assert found is not None
    assert 3e-7 == found.seconds


def test_a_clock_in_tai_is_37_seconds_off_only_by_its_numbers() -> None:
    """37.0000001 s less the grandmaster's 37 s are 0.1 us: no fault of phc2sys."""
    facts = replace(PTP, tai=None, phcs=(Phc("ptp0", "unknown", 37.0000001, 2e-7, "eth0"),))
    found = verdict(facts).bound

    assert found is not None
    assert pytest.approx(6e-7, rel=1e-3) == found.seconds


def test_a_hardware_clock_that_may_not_be_read_leaves_no_bound() -> None:
    """ptp4l is well, but how far the system clock is from it is not known."""
    facts = replace(PTP, phcs=(), trouble={"ptp_clock": "/dev/ptp0: Permission denied"})

    assert verdict(facts).bound is None
    assert ["node"] == blamed(facts)
    assert "Permission denied" in reasons(facts)


def test_chrony_vouches_for_the_clock_whatever_ptp4l_does() -> None:
    """A faulty port of a ptp4l beside it costs no bound, but is told."""
    ports = (replace(PTP, chrony=CHRONY.chrony).ports[0]._replace(state="faulty"),)
    facts = replace(CHRONY, ptp4l=FREE, ports=ports, grandmaster_present=False)
    found = verdict(facts)

    assert found.bound is not None
    assert 4e-4 == found.bound.seconds
    assert (True, ["ptp4l"]) == (found.good, blamed(facts))
    assert "Worth a look" in text(facts)


def test_ptp_vouches_for_the_clock_though_chronyd_has_no_server() -> None:
    """A chronyd that follows nothing sets nothing."""
    found = verdict(replace(PTP, chrony=FREE))

    assert found.bound is not None
    assert pytest.approx(6e-7) == found.bound.seconds
    assert ["chrony"] == [fault.who for fault in found.faults]


def test_the_kernel_is_believed_where_chronyd_or_ntpd_tells_it() -> None:
    """With phc2sys or timesyncd its bound begins at 0 again and again."""
    kernel = Source(synchronized=True, bound=1e-4)
    found = {
        name: verdict(ClockFacts(kernel=kernel, daemons={name: [(name,)]})).bound
        for name in ("chronyd", "ntpd", "phc2sys", "systemd-timesyn")
    }

    assert {"chronyd", "ntpd"} == {name for name, bound in found.items() if bound}
    assert {1e-4} == {bound.seconds for bound in found.values() if bound}


def test_the_kernel_is_not_believed_when_chronyd_knows_better() -> None:
    """It has just lost its servers, and the kernel has heard from it before that."""
    kernel = Source(synchronized=True, bound=1e-4)
    facts = ClockFacts(kernel=kernel, chrony=FREE, daemons={"chronyd": [("chronyd",)]})

    assert verdict(facts).bound is None


@pytest.mark.parametrize(
    "facts",
    [
        ClockFacts(),
        ClockFacts(kernel=FREE),
        ClockFacts(kernel=KEPT),
        ClockFacts(kernel=KEPT, daemons={"ts2phc": [("ts2phc",)]}),
        ClockFacts(kernel=KEPT, daemons={"ntpd": [("ntpd",)]}),
        ClockFacts(kernel=Source(synchronized=True, bound=0.0), leap="insert", daemons={"x": [()]}),
    ],
)
def test_not_known_is_not_good_enough_and_says_why(facts: ClockFacts) -> None:
    """There is somebody to blame, and no number."""
    found = verdict(facts)

    assert (None, None, False) == (found.bound, found.apart, found.good)
    assert any(fault.effect != "warns" for fault in found.faults)
