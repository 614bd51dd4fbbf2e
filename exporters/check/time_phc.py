"""Which PTP hardware clock ptp4l keeps, and how far that is from the system clock."""

from exporters.check.time_facts import ClockFacts, Phc
from exporters.check.time_steering import flags

_RECENT_SECONDS = (-1.0, 10.0)
"""Age of the last Sync: they come every second, or more often."""


def kept(facts: ClockFacts) -> Phc | None:
    """
    Return the hardware clock that ptp4l keeps; None where it keeps the system clock itself.

    Others of a node may run free (a second card), or be the hypervisor's (no interface). With
    software time stamps none is kept: ptp4l was told so (``-S``), or the last Sync was stamped by
    the system clock's time and by no other's. What is left is decided by who is nearest.
    """
    if _told_software(facts):
        return None
    stamping = [clock for clock in facts.phcs if _recent(facts, _ahead(clock, facts))]
    if not stamping and _recent(facts, 0.0):
        return None
    found = stamping or facts.phcs

    def key(clock: Phc) -> tuple[bool, float]:
        away = distance(clock, facts.utc_offset)
        return not clock.interface, abs(clock.offset) if away is None else away

    return min(found, key=key, default=None)


def hidden(facts: ClockFacts) -> bool:
    """Whether there is a hardware clock that may be the one, and it cannot be read."""
    software = _told_software(facts) or _recent(facts, 0.0)
    return "ptp_clock" in facts.trouble and not facts.phcs and not software


def _told_software(facts: ClockFacts) -> bool:
    processes = (facts.daemons or {}).get("ptp4l", ())
    return any("-S" in (flags("ptp4l", arguments) or {}) for arguments in processes)


def _recent(facts: ClockFacts, ahead: float) -> bool:
    """Whether a Sync has come of late, by a clock so much ahead of the system clock."""
    if facts.last_sync is None:
        return False
    youngest, oldest = _RECENT_SECONDS
    return youngest <= facts.now + ahead - facts.last_sync <= oldest


def _ahead(clock: Phc, facts: ClockFacts) -> float:
    """Return what a clock shows beyond the system clock; its offset leaves TAI minus UTC out."""
    return clock.offset + (facts.tai or 0.0 if clock.timescale == "tai" else 0.0)


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
