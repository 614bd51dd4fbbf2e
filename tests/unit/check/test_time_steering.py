"""Who sets the system clock, by command lines as the manual pages have them."""

from dataclasses import replace

import pytest

from exporters.check.time_facts import ClockFacts, Servo
from exporters.check.time_steering import steering, steers
from tests.support.clock_facts import CHRONY, KEPT


@pytest.mark.parametrize(
    ("line", "sets"),
    [
        # chronyd(8): -x does not set the clock; Debian runs it with -F 1.
        ("/usr/sbin/chronyd -F 1", True),
        ("/usr/sbin/chronyd -F 1 -x", False),
        ("/usr/sbin/chronyd -dx", False),
        ("/usr/sbin/chronyd -Q", False),
        ("/usr/sbin/chronyd -f /etc/x", True),
        ("chronyd -d server\\040x iburst", True),
        # phc2sys(8): -a takes the clocks from ptp4l, and the system clock only with -r.
        ("phc2sys -a -r", True),
        ("phc2sys -arr -m", True),
        ("phc2sys -a", False),
        ("phc2sys -w -s eth0", True),
        ("phc2sys -s /dev/ptp0 -c CLOCK_REALTIME -O -37", True),
        ("phc2sys -s CLOCK_REALTIME -c eth0 -O 37", False),
        ("phc2sys -s eth0 -c eth1", False),
        ("phc2sys -d /dev/pps0", True),
        ("phc2sys --step_threshold=1 -a -r --transportSpecific 1", True),
        ("phc2sys -a --transportSpecific 1 -r", True),
        ("phc2sys --step_threshold=1 -c eth1 -s eth0", False),
        # What timemaster(8) starts: phc2sys hands its offsets to chronyd.
        ("phc2sys -l 5 -a -r -R 1.00 -z /run/timemaster/ptp4l.0.socket -n 0 -E ntpshm -M 0", False),
        # ptp4l(8): the clock of the card, with -S the system clock.
        ("ptp4l -f /etc/linuxptp/ptp4l.conf -i eth0", False),
        ("ptp4l -S -i eth0 -m", True),
        ("ptp4l -S -i eth0 --free_running 1", False),
        ("ptp4l -S -f /etc/linuxptp/ptp4l.conf", False),
        ("ntpd -p /run/ntpd.pid -g", True),
        ("ts2phc -c eth0 -s generic", False),
        # An option that the manual does not have: nobody is blamed for what is not understood.
        ("phc2sys -a -r -?", False),
        ("phc2sys -s", False),
    ],
)
def test_command_lines(line: str, sets: bool) -> None:  # noqa: FBT001  # a table
    """Whether they set the system clock."""
    words = tuple(line.split())

    assert sets == steers(words[0].rpartition("/")[2], words)


def test_systemd_timesyncd_sets_the_clock() -> None:
    """Its name is cut in comm, and is whole in the report."""
    daemons = {"systemd-timesyn": [("/lib/systemd/systemd-timesyncd",)]}

    assert ["systemd-timesyncd"] == steering(ClockFacts(daemons=daemons))


def test_a_program_counts_once() -> None:
    """A chronyd with a seccomp filter has a second process of the same name."""
    two = [("/usr/sbin/chronyd", "-F", "1")] * 2

    assert ["chrony"] == steering(replace(CHRONY, daemons={"chronyd": two}))


def test_one_of_two_processes_is_enough() -> None:
    """One phc2sys copies from card to card, another one to the system clock."""
    lines = [("phc2sys", "-s", "eth0", "-c", "eth1"), ("phc2sys", "-s", "eth0")]

    assert ["phc2sys"] == steering(ClockFacts(daemons={"phc2sys": lines}))


@pytest.mark.parametrize(
    ("clock", "state", "who"),
    [
        ("CLOCK_REALTIME", "locked", ["chrony", "phc2sys"]),
        ("CLOCK_REALTIME", "unlocked", ["chrony"]),
        ("eth0", "locked", ["chrony"]),
    ],
)
def test_processes_that_cannot_be_seen(clock: str, state: str, who: list[str]) -> None:
    """From a container: chronyd answers, and a log has phc2sys locked on the system clock."""
    facts = ClockFacts(
        kernel=KEPT, chrony=CHRONY.chrony, servos=(Servo("phc2sys", clock, state),), daemons=None
    )

    assert who == steering(facts)
