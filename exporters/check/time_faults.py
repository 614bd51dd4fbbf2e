"""What is wrong with a node's clock, who is at fault, and what to do: one rule for each fault."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from exporters.check.time_bound import distance, nearest
from exporters.check.time_facts import ClockFacts

FAR_SECONDS = 1e-3
"""A hardware clock further than that from the system clock is not being copied: phc2sys keeps it
within microseconds."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong."""

    who: str
    """The program, ``nobody`` where none keeps the clock, or ``node``."""
    reason: str
    fix: str
    spoils: bool = True
    """Whether no bound can be trusted beside it."""


Rule = Callable[[ClockFacts], Iterator[Fault]]

_START = (
    "start chronyd with a server that the node can reach (or ptp4l and phc2sys where there is a"
    " grandmaster)"
)


def nobody(facts: ClockFacts) -> Iterator[Fault]:
    """Nothing follows a reference, and nothing that could is seen."""
    silent = not facts.chrony.answers and not facts.ptp4l.answers
    hidden = {"chrony", "ptp4l"} & facts.trouble.keys()
    if silent and not hidden and not facts.daemons:
        if not facts.kernel.answers:
            yield Fault(
                "node",
                "nothing tells of its clock, not even the kernel",
                "see tailsight check for the collector timex; a recording wants"
                " replay/adjtimex.json (docs/replay.md)",
            )
        elif facts.kernel.synchronized:
            yield Fault(
                "node",
                "the kernel's clock is kept by a program that does not tell how well",
                "use chronyd, which tells its error bound, and let the agent reach it"
                " (--chrony.address); in a container share the node's network and PID namespaces",
                spoils=False,
            )
        else:
            yield Fault("nobody", "nothing keeps this clock", _START)


def others(facts: ClockFacts) -> Iterator[Fault]:
    """Only a program runs that has no error bound to tell."""
    if facts.runs("systemd-timesyn") and not facts.chrony.answers and not facts.ptp4l.answers:
        state = "has synchronised the clock" if facts.kernel.synchronized else "has no answer yet"
        yield Fault(
            "systemd-timesyncd",
            f"it {state}, but it tells no error bound",
            "use chronyd, which does",
            spoils=False,
        )


def chrony(facts: ClockFacts) -> Iterator[Fault]:
    """Say why chronyd is silent, or follows nothing."""
    fix = (
        "see chronyc -n sources: servers that answer have Reach above 0; UDP port 123 must be open"
    )
    if facts.chrony.synchronized is False:
        yield Fault("chrony", "chronyd has no reference that it follows", fix)
    elif not facts.chrony.answers and (facts.runs("chronyd") or "chrony" in facts.trouble):
        why = facts.trouble.get("chrony", "chronyd runs, but nothing answers at --chrony.address")
        fix = "let the agent reach chronyd's command port (cmdport, bindcmdaddress) or its socket"
        yield Fault("chrony", why, fix, spoils=False)


def ptp4l(facts: ClockFacts) -> Iterator[Fault]:
    """Say why ptp4l is silent, or follows nothing."""
    if facts.ptp4l.synchronized is False:
        yield from _not_following(facts)
    elif not facts.ptp4l.answers and (facts.runs("ptp4l") or "ptp4l" in facts.trouble):
        why = facts.trouble.get("ptp4l", "ptp4l runs, but none of --ptp4l.sockets is there")
        fix = "share the folder of ptp4l's socket with the agent, and set --ptp4l.domain"
        yield Fault("ptp4l", why, fix, spoils=False)


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
    if not told:
        yield Fault(
            "ptp4l",
            "it has made itself the grandmaster, of a clock that nothing keeps",
            "check why the real grandmaster is not heard; a follower wants slaveOnly 1",
        )


def phc2sys(facts: ClockFacts) -> Iterator[Fault]:
    """The hardware clock is right, and does not come to the system clock."""
    if not facts.ptp4l.synchronized or facts.chrony.synchronized:
        return
    clock = nearest(facts)
    if clock is None:
        if "ptp_clock" in facts.trouble:
            yield Fault(
                "node",
                f"the PTP hardware clock cannot be read: {facts.trouble['ptp_clock']}",
                "let the agent read /dev/ptpN (docs/clock.md)",
            )
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
        runs = facts.daemons is not None and facts.runs("phc2sys")
        state = "phc2sys runs" if runs else "phc2sys does not run, as far as can be seen"
        yield Fault(
            "phc2sys",
            f"{clock.clock} follows PTP, but the system clock is {away:.6f} s from it; {state}",
            "see phc2sys's log" if runs else "start phc2sys -a -r",
            spoils=False,
        )


def servos(facts: ClockFacts) -> Iterator[Fault]:
    """A servo has lost its lock, by its own log."""
    for servo in facts.servos:
        if servo.state in {"unlocked", "jump"}:
            clock = f" of {servo.clock}" if servo.clock else ""
            yield Fault(
                servo.program,
                f"its servo{clock} is not locked (state {servo.state})",
                f"wait; if it lasts, see {servo.program}'s log for what disturbs it",
                spoils=False,
            )


def two(facts: ClockFacts) -> Iterator[Fault]:
    """Two programs steer one clock against each other."""
    chronyd, copier = (facts.daemons or {}).get("chronyd"), (facts.daemons or {}).get("phc2sys")
    if chronyd is None or copier is None:
        return
    only_looks = "-x" in chronyd
    feeds = any("ntpshm" in word for word in copier)
    if not only_looks and not feeds:
        yield Fault(
            "chrony and phc2sys",
            "both steer the system clock",
            "stop one of them; for both use timemaster, which has phc2sys feed chronyd (-E ntpshm)",
        )


def leap(facts: ClockFacts) -> Iterator[Fault]:
    """A leap second comes."""
    if facts.leap:
        yield Fault(
            "node",
            f"a leap second comes at the end of this day (UTC): {facts.leap}",
            "spans around it are off by a second on nodes that step; smear on all or on none",
            spoils=False,
        )


RULES: tuple[Rule, ...] = (nobody, others, chrony, ptp4l, phc2sys, servos, two, leap)


def faults_of(facts: ClockFacts) -> list[Fault]:
    """Return everything that is wrong."""
    return [fault for rule in RULES for fault in rule(facts)]
