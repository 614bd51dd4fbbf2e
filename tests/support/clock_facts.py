"""Clocks that are well, to make others of, and what is said of such."""

from exporters.check.time_facts import ClockFacts, Phc, Port, Source
from exporters.check.time_judge import Alignment, judge
from exporters.check.time_words import in_words

KEPT = Source(synchronized=True)
FREE = Source(synchronized=False)
CHRONY = ClockFacts(
    kernel=KEPT,
    chrony=Source(synchronized=True, offset=2e-5, bound=4e-4),
    daemons={"chronyd": [("chronyd",)]},
)
"""0.4 ms by chrony."""
PTP = ClockFacts(
    kernel=KEPT,
    ptp4l=Source(synchronized=True, offset=5e-8),
    ptp_bound=3e-7,
    ports=(Port("1", "eth0", "slave"),),
    grandmaster_present=True,
    utc_offset=37.0,
    tai=37.0,
    last_sync=1767225636.5,
    now=1767225600.0,
    phcs=(Phc("ptp0", "tai", 1e-7, 2e-7, "eth0"),),
    daemons={"ptp4l": [("ptp4l",)], "phc2sys": [("phc2sys", "-a", "-r")]},
)
"""The card's clock shows TAI, 37 s more than the system clock, half a second after a Sync."""


def verdict(facts: ClockFacts, interval: float = 15.0, span: float = 1e-3) -> Alignment:
    """Judge by what users get unless they ask otherwise."""
    return judge(facts, interval, span)


def blamed(facts: ClockFacts) -> list[str]:
    """Return who is at fault."""
    return [fault.who for fault in verdict(facts).faults]


def reasons(facts: ClockFacts) -> str:
    """Return what is wrong."""
    return "; ".join(fault.reason for fault in verdict(facts).faults)


def text(facts: ClockFacts) -> str:
    """Return the report."""
    return "\n".join(in_words(verdict(facts)))
