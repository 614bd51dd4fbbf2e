"""How far off the system clock can be: the bound of whoever steers it, and what comes on top."""

from typing import NamedTuple

from exporters.check.time_facts import ClockFacts, Phc

TRUE_TIME, GRANDMASTER = "true time", "its grandmaster"

# With their own bound these tell the kernel one that means something; phc2sys and
# systemd-timesyncd reset it to 0 each time.
_TELL_THE_KERNEL = ("chronyd", "ntpd")


class Bound(NamedTuple):
    """The system clock is off its reference by at most so much."""

    seconds: float
    reference: str
    """``TRUE_TIME``, or ``GRANDMASTER`` where nothing tells how good that is."""
    parts: tuple[tuple[str, float], ...]
    """What it is the sum of, in words and seconds."""


def bound_of(facts: ClockFacts) -> Bound | None:
    """Return the bound of the first that has one: chrony, PTP, the kernel; None where none has."""
    if facts.chrony.synchronized and facts.chrony.bound is not None:
        return Bound(facts.chrony.bound, TRUE_TIME, (("chrony's bound", facts.chrony.bound),))
    if facts.ptp4l.synchronized:
        return _ptp(facts)
    trusted = any(map(facts.runs, _TELL_THE_KERNEL))
    if trusted and facts.kernel.synchronized and facts.kernel.bound is not None:
        return Bound(facts.kernel.bound, TRUE_TIME, (("the kernel's bound", facts.kernel.bound),))
    return None


def _ptp(facts: ClockFacts) -> Bound | None:
    """Add up the way from the grandmaster: to ptp4l's clock, and from there to the system's."""
    if facts.ptp4l.bound is not None:
        reference, bound = TRUE_TIME, facts.ptp4l.bound
    elif facts.ptp_bound is not None:
        reference, bound = GRANDMASTER, facts.ptp_bound
    else:
        return None
    parts = [("ptp4l's bound", bound)]
    if "ptp_clock" in facts.trouble and not facts.phcs:
        return None
    clock = nearest(facts)
    if clock is not None:
        away = distance(clock, facts.utc_offset)
        if away is None:
            return None
        parts += [(f"{clock.clock} to the system clock", away), ("reading it", clock.uncertainty)]
    return Bound(sum(seconds for _, seconds in parts), reference, tuple(parts))


def nearest(facts: ClockFacts) -> Phc | None:
    """Return the hardware clock nearest to the system clock: others on the node may run free."""

    def key(clock: Phc) -> float:
        away = distance(clock, facts.utc_offset)
        return abs(clock.offset) if away is None else away

    return min(facts.phcs, key=key, default=None)


def distance(clock: Phc, utc_offset: float | None) -> float | None:
    """
    Return how far a hardware clock is from the system clock, by TAI where it keeps TAI.

    None where it may keep TAI and neither the kernel nor the grandmaster has said what TAI is.
    """
    if clock.timescale != "unknown":
        return abs(clock.offset)
    if utc_offset is not None:
        return min(abs(clock.offset), abs(clock.offset - utc_offset))
    return abs(clock.offset) if abs(clock.offset) < 1 else None
