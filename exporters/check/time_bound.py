"""How far off the system clock can be: the bound of whoever steers it, and what comes on top."""

from collections.abc import Iterator
from typing import NamedTuple

from exporters.check.time_facts import ClockFacts, Phc
from exporters.check.time_phc import distance, hidden, kept

TRUE_TIME, GRANDMASTER = "true time", "its grandmaster"

# With their own bound these tell the kernel one that means something; phc2sys and
# systemd-timesyncd reset it to 0 each time.
_TELL_THE_KERNEL = ("chronyd", "ntpd")


class Part(NamedTuple):
    """A part of a bound."""

    what: str
    seconds: float
    who: str
    """Whose it is."""
    smaller: str
    """What makes it smaller."""


class Bound(NamedTuple):
    """The system clock is off its reference by at most so much."""

    seconds: float
    reference: str
    """``TRUE_TIME``, or ``GRANDMASTER`` where nothing tells how good that is."""
    parts: tuple[Part, ...]
    """What it is the sum of."""

    @property
    def largest(self) -> Part:
        """The part to begin with."""
        return max(self.parts, key=lambda part: part.seconds)


def bound_of(facts: ClockFacts) -> Bound | None:
    """Return the bound of the first that has one: chrony, PTP, the kernel; None where none has."""
    if facts.chrony.synchronized and facts.chrony.bound is not None:
        return Bound(facts.chrony.bound, TRUE_TIME, tuple(_chrony(facts, facts.chrony.bound)))
    if facts.ptp4l.synchronized and (found := _ptp(facts)):
        return found
    # That chronyd follows nothing is newer than what it told the kernel before.
    trusted = any(map(facts.runs, _TELL_THE_KERNEL)) and facts.chrony.synchronized is not False
    if trusted and facts.kernel.synchronized and facts.kernel.bound is not None:
        what = Part(
            "the kernel's bound", facts.kernel.bound, "node", "use chronyd, and let it answer"
        )
        return Bound(facts.kernel.bound, TRUE_TIME, (what,))
    return None


def _chrony(facts: ClockFacts, bound: float) -> Iterator[Part]:
    """Take its bound apart, as chronyc(1) puts it together (Root dispersion)."""
    if facts.chrony.offset is None or facts.root_dispersion is None or facts.root_delay is None:
        yield Part("chrony's bound", bound, "chrony", "nearer or better servers")
        return
    yield Part(
        "chrony's offset",
        abs(facts.chrony.offset),
        "chrony",
        "wait until chronyd has corrected it, or set it at once: chronyc makestep",
    )
    yield Part(
        "root dispersion",
        facts.root_dispersion,
        "chrony",
        "hear better servers, and more often (maxpoll): it grows from each answer to the next",
    )
    yield Part(
        "half the root delay",
        facts.root_delay / 2,
        "chrony",
        "use servers that are nearer by network, or hardware time stamps (hwtimestamp)",
    )


def _ptp(facts: ClockFacts) -> Bound | None:
    """Add up the way from the grandmaster: to ptp4l's clock, and from there to the system's."""
    if facts.ptp4l.bound is not None:
        reference, bound = TRUE_TIME, facts.ptp4l.bound
    elif facts.ptp_bound is not None:
        reference, bound = GRANDMASTER, facts.ptp_bound
    else:
        return None
    if hidden(facts):
        return None
    parts = [Part("ptp4l's bound", bound, "ptp4l", "see docs/clock.md for what it is made of")]
    if clock := kept(facts):
        away = distance(clock, facts.utc_offset)
        if away is None:
            return None
        parts += _from(clock, away)
    return Bound(sum(part.seconds for part in parts), reference, tuple(parts))


def _from(clock: Phc, away: float) -> Iterator[Part]:
    """Yield what lies between a hardware clock and the system clock."""
    copied = f"{clock.clock} to the system clock"
    yield Part(copied, away, "phc2sys", "see phc2sys's log: it keeps this within microseconds")
    slow = "a card, or a driver, whose clock can be read faster (PTP_SYS_OFFSET_EXTENDED)"
    yield Part("reading it", clock.uncertainty, "node", slow)
