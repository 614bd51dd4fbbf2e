"""Verdicts on a clock; what is expected is worked out by hand from what is known of it."""

from dataclasses import replace

import pytest

from exporters.check.time_bound import GRANDMASTER, TRUE_TIME
from exporters.check.time_facts import ClockFacts, Phc, Port, Servo, Source
from exporters.check.time_judge import Alignment, judge
from exporters.check.time_words import as_json, duration, in_words

KEPT = Source(synchronized=True)
FREE = Source(synchronized=False)
CHRONY = ClockFacts(
    kernel=KEPT,
    chrony=Source(synchronized=True, offset=2e-5, bound=4e-4),
    daemons={"chronyd": ("chronyd",)},
)
PTP = ClockFacts(
    kernel=KEPT,
    ptp4l=Source(synchronized=True, offset=5e-8),
    ptp_bound=3e-7,
    ports=(Port("1", "eth0", "slave"),),
    grandmaster_present=True,
    utc_offset=37.0,
    phcs=(Phc("ptp0", "tai", 1e-7, 2e-7),),
    daemons={"ptp4l": ("ptp4l",), "phc2sys": ("phc2sys", "-a", "-r")},
)


def verdict(facts: ClockFacts, interval: float = 15.0, span: float = 1e-3) -> Alignment:
    """Judge by what users get unless they ask otherwise."""
    return judge(facts, interval, span)


def blamed(facts: ClockFacts) -> list[str]:
    """Return who is at fault."""
    return [fault.who for fault in verdict(facts).faults]


def text(facts: ClockFacts) -> str:
    """Return the report."""
    return "\n".join(in_words(verdict(facts)))


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

    assert ok == found.interval_ok
    assert not found.good


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


def test_the_nearest_of_several_hardware_clocks_counts() -> None:
    """A second card that nobody steers, 900 s off, says nothing of this clock."""
    facts = replace(PTP, phcs=(Phc("ptp1", "utc", -900.0, 1e-7), *PTP.phcs))
    found = verdict(facts).bound

    assert found is not None
    assert pytest.approx(6e-7) == found.seconds
    assert [] == blamed(facts)


def test_a_clock_in_tai_is_37_seconds_off_only_by_its_numbers() -> None:
    """37.0000001 s less the grandmaster's 37 s are 0.1 us: no fault of phc2sys."""
    facts = replace(PTP, phcs=(Phc("ptp0", "unknown", 37.0000001, 2e-7),))
    found = verdict(facts).bound

    assert found is not None
    assert pytest.approx(6e-7, rel=1e-3) == found.seconds


def test_nobody_told_tai() -> None:
    """37 s may be TAI or an error: no bound, and phc2sys is what tells the kernel."""
    facts = replace(PTP, utc_offset=None, phcs=(Phc("ptp0", "unknown", 37.0, 2e-7),))

    assert ["phc2sys"] == blamed(facts)
    assert verdict(facts).bound is None


def test_phc2sys_does_not_run() -> None:
    """ptp4l is well and the system clock 20 ms away: who copies it is at fault."""
    facts = replace(PTP, phcs=(Phc("ptp0", "tai", 0.02, 2e-7),), daemons={"ptp4l": ("ptp4l",)})
    found = verdict(facts)

    assert ["phc2sys"] == blamed(facts)
    assert "does not run" in found.faults[0].reason
    assert "start phc2sys" in found.faults[0].fix
    assert found.interval_ok
    assert not found.span_ok


def test_phc2sys_runs_and_does_not_do_it() -> None:
    """The same with phc2sys there: its log says why."""
    facts = replace(PTP, phcs=(Phc("ptp0", "tai", 0.02, 2e-7),))

    assert "phc2sys runs" in verdict(facts).faults[0].reason


def test_a_hardware_clock_that_may_not_be_read_leaves_no_bound() -> None:
    """ptp4l is well, but how far the system clock is from it is not known."""
    facts = replace(PTP, phcs=(), trouble={"ptp_clock": "/dev/ptp0: Permission denied"})
    found = verdict(facts)

    assert found.bound is None
    assert ["node"] == blamed(facts)
    assert "Permission denied" in found.faults[0].reason


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("faulty", "port 1 (eth0) is faulty"),
        ("listening", "port 1 (eth0) hears no grandmaster"),
        ("uncalibrated", "still settling"),
        ("master", "made itself the grandmaster"),
    ],
)
def test_ptp4l_follows_nobody(state: str, words: str) -> None:
    """The state of its port says why."""
    facts = replace(PTP, ptp4l=FREE, ports=(Port("1", "eth0", state),), phcs=())
    found = verdict(facts)

    assert ["ptp4l"] == blamed(facts)
    assert words in found.faults[0].reason
    assert found.bound is None


def test_ptp4l_is_37_seconds_off() -> None:
    """A slave that takes TAI for UTC is at fault, though its port is a slave."""
    facts = replace(PTP, ptp4l=Source(synchronized=False, offset=-37.0), phcs=())

    assert "-37.000 s from the grandmaster" in verdict(facts).faults[0].reason


def test_chronyd_has_no_reference() -> None:
    """It answers, and follows nothing."""
    facts = replace(CHRONY, kernel=FREE, chrony=FREE)

    assert ["chrony"] == blamed(facts)
    assert not verdict(facts).good


def test_chronyd_runs_and_does_not_answer() -> None:
    """The kernel has chronyd's word, 2 ms: good for the interval; the report says what to mend."""
    facts = ClockFacts(
        kernel=Source(synchronized=True, bound=2e-3),
        daemons={"chronyd": ("chronyd",)},
        trouble={"chrony": "127.0.0.1:323: no answer"},
    )
    found = verdict(facts)

    assert ["chrony"] == blamed(facts)
    assert (True, False) == (found.interval_ok, found.span_ok)


@pytest.mark.parametrize(
    ("chronyd", "phc2sys", "who"),
    [
        (("chronyd",), ("phc2sys", "-a"), ["chrony and phc2sys"]),
        (("chronyd", "-x"), ("phc2sys", "-a"), []),
        (("chronyd",), ("phc2sys", "-E", "ntpshm"), []),
    ],
)
def test_two_programs_steer_one_clock(
    chronyd: tuple[str, ...], phc2sys: tuple[str, ...], who: list[str]
) -> None:
    """Unless chronyd only looks, or phc2sys only feeds it."""
    facts = replace(CHRONY, daemons={"chronyd": chronyd, "phc2sys": phc2sys})

    assert who == blamed(facts)
    assert (not who) == verdict(facts).good


def test_nobody_keeps_the_clock() -> None:
    """Nothing runs and the kernel says so."""
    facts = ClockFacts(kernel=FREE, daemons={})

    assert ["nobody"] == blamed(facts)
    assert verdict(facts).bound is None


def test_the_kernel_alone_is_no_witness() -> None:
    """With phc2sys or timesyncd its bound begins at 0 again and again: it is not believed."""
    kernel = Source(synchronized=True, bound=1e-3)

    assert verdict(ClockFacts(kernel=kernel, daemons={})).bound is None
    assert ["node"] == blamed(ClockFacts(kernel=kernel))
    timesyncd = ClockFacts(kernel=kernel, daemons={"systemd-timesyn": ("systemd-timesyncd",)})
    assert ["systemd-timesyncd"] == blamed(timesyncd)
    assert verdict(timesyncd).bound is None
    ntpd = verdict(ClockFacts(kernel=kernel, daemons={"ntpd": ("ntpd",)})).bound
    assert ntpd is not None
    assert 1e-3 == ntpd.seconds


def test_nothing_is_known_at_all() -> None:
    """A recording without any word on its clock."""
    assert "not even the kernel" in verdict(ClockFacts()).faults[0].reason


def test_a_servo_without_lock_and_a_leap_second_are_told() -> None:
    """They do not spoil a bound that holds, so the clock stays good, with a word on both."""
    facts = replace(PTP, servos=(Servo("phc2sys", "CLOCK_REALTIME", "jump"),), leap="insert")

    assert ["phc2sys", "node"] == blamed(facts)
    assert verdict(facts).good
    assert "Worth a look" in text(facts)


def test_a_bound_that_is_too_large_names_its_largest_part() -> None:
    """Nothing is broken; 10 ms of chrony are too much for spans of 1 ms."""
    facts = replace(CHRONY, chrony=Source(synchronized=True, bound=0.01))

    assert "chrony: it works, but its bound is 10 ms" in text(facts)
    assert "can differ by 20 ms" in text(facts)


def test_words_and_json_of_a_clock_that_nobody_vouches_for() -> None:
    """No number stands for what is not known."""
    found = verdict(ClockFacts(kernel=FREE, daemons={}))

    assert '"bound_seconds": null' in as_json(found)
    assert '"apart_seconds": null' in as_json(found)
    assert "is not known" in "\n".join(in_words(found))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (15.0, "15 s"), (3600.0, "3600 s"), (0.0015, "1.5 ms"), (8.5e-5, "85 us"), (3e-7, "300 ns"),
        (0.0, "0 ns"), (-0.02, "-20 ms"),
    ],
)  # fmt: skip
def test_lengths_of_time(seconds: float, words: str) -> None:
    """In the unit that suits them."""
    assert words == duration(seconds)
