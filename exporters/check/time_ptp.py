"""What is wrong with ptp4l and phc2sys, by their own word and by the hardware clock."""

from collections.abc import Iterator

from exporters.check.time_facts import ClockFacts
from exporters.check.time_fault import Fault
from exporters.check.time_phc import distance, hidden, kept
from exporters.check.time_steering import feeds, steering

FAR_SECONDS = 1e-3
"""A hardware clock further than that from the system clock is not being copied: phc2sys keeps it
within microseconds."""

_STATES = {
    "faulty": ("is faulty", "see ptp4l's log: the link is down, or the card has no time stamps"),
    "listening": (
        "hears no grandmaster",
        "check domainNumber, the transport (L2, UDPv4) and that the switch lets PTP through",
    ),
    "uncalibrated": (
        "has a grandmaster and is still settling",
        "wait; see ptp4l's log if it lasts",
    ),
}


def ptp4l(facts: ClockFacts) -> Iterator[Fault]:
    """Say why ptp4l is silent, follows nothing, or has no bound."""
    if facts.ptp4l.synchronized:
        yield from _without_bound(facts)
    elif facts.ptp4l.answers:
        yield from _not_following(facts)
    elif facts.runs("ptp4l") or "ptp4l" in facts.trouble:
        yield Fault(
            "ptp4l",
            facts.trouble.get("ptp4l", "ptp4l runs, but none of --ptp4l.sockets is there"),
            "share the folder of ptp4l's socket with the agent, and set --ptp4l.domain",
        )


def _without_bound(facts: ClockFacts) -> Iterator[Fault]:
    if facts.chrony.synchronized or facts.ptp4l.bound is not None or facts.ptp_bound is not None:
        return
    if facts.grandmaster_present is False:
        yield Fault(
            "ptp4l",
            "it is the grandmaster, and nothing tells how good the time is that it hands on",
            "keep the grandmaster's clock with chronyd (NTP, or refclock for GNSS), which does",
        )
    else:
        yield Fault(
            "ptp4l",
            "its grandmaster is behind a boundary clock, which does not tell what it adds",
            "for a bound use a grandmaster one hop away, or chronyd beside it with -x",
        )


def _not_following(facts: ClockFacts) -> Iterator[Fault]:
    offset = facts.ptp4l.offset
    if offset is not None and abs(offset) >= 1:
        yield Fault(
            "ptp4l",
            f"its clock is {offset:.3f} s from the grandmaster's",
            "37 s is TAI taken for UTC: check time stamping and utc_offset; else let it step"
            " (first_step_threshold, step_threshold)",
        )
        return
    told = False
    for port in facts.ports:
        if port.state in _STATES:
            what, fix = _STATES[port.state]
            name = f"port {port.port}{f' ({port.interface})' if port.interface else ''}"
            yield Fault("ptp4l", f"{name} {what}", fix)
            told = True
    if not told and not facts.chrony.synchronized:
        yield Fault(
            "ptp4l",
            "it has made itself the grandmaster, of a clock that nothing keeps",
            "check why the real grandmaster is not heard; a follower wants slaveOnly 1",
        )


def phc2sys(facts: ClockFacts) -> Iterator[Fault]:
    """Say why the hardware clock is right, and does not come to the system clock."""
    if not facts.ptp4l.synchronized or not facts.grandmaster_present or facts.chrony.synchronized:
        return
    if hidden(facts):
        yield Fault(
            "node",
            f"the PTP hardware clock cannot be read: {facts.trouble['ptp_clock']}",
            "let the agent read /dev/ptpN (docs/clock.md)",
        )
    clock = kept(facts)
    if clock is None:
        return
    away = distance(clock, facts.utc_offset)
    if away is None:
        yield Fault(
            "phc2sys",
            f"{clock.clock} is {clock.offset:.3f} s from the system clock, and nobody has told the"
            " kernel TAI minus UTC",
            "run phc2sys -a -r, which takes it from ptp4l",
        )
    elif away > FAR_SECONDS:
        yield Fault("phc2sys", *_not_copied(facts, clock.clock, away), "warns")


def _not_copied(facts: ClockFacts, clock: str, away: float) -> tuple[str, str]:
    """Return what keeps phc2sys from it, and what to do."""
    far = f"{clock} follows PTP, but the system clock is {away:.6f} s from it"
    if "phc2sys" in steering(facts):
        return f"{far}; phc2sys runs", "see phc2sys's log"
    if facts.runs("phc2sys"):
        what = "phc2sys runs, but not so that it sets the system clock"
        return f"{far}; {what}", "run it as phc2sys -a -r"
    return f"{far}; phc2sys does not run, as far as can be seen", "start phc2sys -a -r"


def servos(facts: ClockFacts) -> Iterator[Fault]:
    """
    Tell of a servo that has lost its lock, by its own log.

    ``ntpshm``, which only hands offsets on, is never locked (linuxptp: ntpshm.c).
    """
    for servo in facts.servos:
        processes = (facts.daemons or {}).get(servo.program, ())
        if servo.state in {"unlocked", "jump"} and not any(map(feeds, processes)):
            clock = f" of {servo.clock}" if servo.clock else ""
            yield Fault(
                servo.program,
                f"its servo{clock} is not locked (state {servo.state})",
                f"wait; if it lasts, see {servo.program}'s log for what disturbs it",
                "warns",
            )
