"""Who is at fault when a clock is not kept, or badly."""

from dataclasses import replace

import pytest

from exporters.check.daemons import Daemons
from exporters.check.time_facts import ClockFacts, Phc, Port, Servo, Source
from tests.support.clock_facts import CHRONY, FREE, KEPT, PTP, blamed, reasons, verdict


def far(seconds: float) -> tuple[Phc, ...]:
    """Give a hardware clock that is so far from the system clock."""
    return (Phc("ptp0", "tai", seconds, 2e-7, "eth0"),)


@pytest.mark.parametrize(
    ("daemons", "words", "fix"),
    [
        ({"ptp4l": [("ptp4l",)]}, "phc2sys does not run", "start phc2sys -a -r"),
        ({"phc2sys": [("phc2sys", "-a", "-r")]}, "phc2sys runs", "see phc2sys's log"),
        (
            {"phc2sys": [("phc2sys", "-a")]},
            "not so that it sets the system clock",
            "run it as phc2sys -a -r",
        ),
    ],
)
def test_phc2sys_does_not_copy(daemons: Daemons, words: str, fix: str) -> None:
    """
    ptp4l is well and the system clock 20 ms away, so whose copy it should be is at fault.

    The bound is known, 20 ms: good for the interval, and not for spans of 1 ms.
    """
    facts = replace(PTP, phcs=far(0.02), daemons=daemons)
    found = verdict(facts)

    assert ["phc2sys"] == blamed(facts)
    assert "ptp0 follows PTP, but the system clock is 0.020000 s from it" in reasons(facts)
    assert words in reasons(facts)
    assert fix == found.faults[0].fix
    assert (True, False) == (found.interval_ok, found.span_ok)


def test_nobody_told_tai() -> None:
    """37 s may be TAI or an error: no bound, and phc2sys is what tells the kernel."""
    phcs = (Phc("ptp0", "unknown", 37.0, 2e-7, "eth0"),)
    facts = replace(PTP, utc_offset=None, tai=None, phcs=phcs)

    assert ["phc2sys"] == blamed(facts)
    assert verdict(facts).bound is None


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

    assert ["ptp4l"] == blamed(facts)
    assert words in reasons(facts)
    assert verdict(facts).bound is None


def test_ptp4l_is_37_seconds_off() -> None:
    """A slave that takes TAI for UTC is at fault, though its port is a slave."""
    facts = replace(PTP, ptp4l=Source(synchronized=False, offset=-37.0), phcs=())

    assert "-37.000 s from the grandmaster" in reasons(facts)


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        ({}, "ptp4l runs, but none of --ptp4l.sockets is there"),
        ({"ptp4l": "/run/ptp4lro: no answer"}, "/run/ptp4lro: no answer"),
    ],
)
def test_ptp4l_runs_and_does_not_answer(trouble: dict[str, str], words: str) -> None:
    """What its collector met is the reason, or that there was nothing to ask."""
    facts = ClockFacts(kernel=KEPT, trouble=trouble, daemons={"ptp4l": [("ptp4l",)]})

    assert (["ptp4l"], words) == (blamed(facts), reasons(facts))


@pytest.mark.parametrize(
    ("present", "words"), [(True, "behind a boundary clock"), (False, "it is the grandmaster")]
)
def test_ptp4l_is_well_and_has_no_bound(present: bool, words: str) -> None:  # noqa: FBT001  # a table
    """What lies beyond a boundary clock, or feeds a grandmaster, is not told."""
    facts = replace(PTP, ptp_bound=None, grandmaster_present=present, phcs=())

    assert ["ptp4l"] == blamed(facts)
    assert words in reasons(facts)
    assert verdict(facts).bound is None


def test_a_grandmasters_card_is_no_reference_of_its_system_clock() -> None:
    """The copy may go the other way, from a system clock that others keep: only ptp4l is named."""
    facts = replace(PTP, ptp_bound=None, grandmaster_present=False, phcs=far(0.02))

    assert ["ptp4l"] == blamed(facts)


def test_a_grandmaster_that_chrony_keeps_is_well() -> None:
    """Its clock class may say anything: chrony has the bound."""
    facts = replace(
        PTP, chrony=CHRONY.chrony, ptp4l=FREE, ptp_bound=None, grandmaster_present=False,
        ports=(Port("1", "eth0", "master"),),
        daemons={
            "chronyd": [("chronyd",)],
            "ptp4l": [("ptp4l",)],
            "phc2sys": [("phc2sys", "-s", "CLOCK_REALTIME", "-c", "eth0", "-O", "37")],
        },
    )  # fmt: skip

    assert ([], True) == (blamed(facts), verdict(facts).good)


def test_two_programs_steer_one_clock() -> None:
    """No bound holds while they pull it to and fro."""
    daemons: Daemons = {"chronyd": [("chronyd",)], "phc2sys": [("phc2sys", "-a", "-r")]}
    facts = replace(PTP, chrony=CHRONY.chrony, daemons=daemons)
    found = verdict(facts)

    assert ["chrony and phc2sys"] == blamed(facts)
    assert "timemaster" in found.faults[0].fix
    assert (None, False) == (found.bound, found.good)


def test_nobody_keeps_the_clock() -> None:
    """Nothing runs and the kernel says so."""
    assert ["nobody"] == blamed(ClockFacts(kernel=FREE, daemons={}))


def test_nothing_is_known_at_all() -> None:
    """A recording without any word on its clock."""
    assert "not even the kernel" in reasons(ClockFacts())


@pytest.mark.parametrize(
    ("name", "kernel", "who", "words"),
    [
        ("systemd-timesyn", KEPT, "systemd-timesyncd", "tells no error bound"),
        ("systemd-timesyn", FREE, "systemd-timesyncd", "has not synchronised"),
        ("ntpd", FREE, "ntpd", "has not synchronised"),
    ],
)
def test_programs_that_are_not_asked(name: str, kernel: Source, who: str, words: str) -> None:
    """What they do shows in the kernel alone."""
    facts = ClockFacts(kernel=kernel, daemons={name: [(name,)]})

    assert [who] == blamed(facts)
    assert words in reasons(facts)


def test_ntpd_that_has_synchronised_the_clock_is_well() -> None:
    """It tells the kernel its bound."""
    kernel = Source(synchronized=True, bound=1e-4)

    assert [] == blamed(ClockFacts(kernel=kernel, daemons={"ntpd": [("ntpd",)]}))


@pytest.mark.parametrize(
    ("program", "state", "arguments", "who"),
    [
        ("phc2sys", "unlocked", ("phc2sys", "-a", "-r"), ["phc2sys"]),
        ("ptp4l", "jump", ("ptp4l", "-i", "eth0"), ["ptp4l"]),
        ("phc2sys", "locked", ("phc2sys", "-a", "-r"), []),
        ("phc2sys", "unlocked", ("phc2sys", "-a", "-r", "-E", "ntpshm"), []),
        ("phc2sys", "unlocked", ("phc2sys", "-a", "-r", "--clock_servo=ntpshm"), []),
    ],
)
def test_a_servo_without_lock(
    program: str, state: str, arguments: tuple[str, ...], who: list[str]
) -> None:
    """It is told; ntpshm has no lock to lose (linuxptp's ntpshm.c says unlocked each time)."""
    facts = replace(
        PTP, servos=(Servo(program, "CLOCK_REALTIME", state),), daemons={program: [arguments]}
    )

    assert who == blamed(facts)
    assert verdict(facts).good


def test_a_leap_second_is_told() -> None:
    """It does not spoil a bound that holds now."""
    facts = replace(CHRONY, leap="delete")

    assert "a leap second comes at the end of this day (UTC): delete" == reasons(facts)
    assert verdict(facts).good
