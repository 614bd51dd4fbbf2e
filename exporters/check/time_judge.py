"""Judges a node's clock: is it good enough to scrape by, and to join traces across nodes?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exporters.check.time_bound import Bound, bound_of
from exporters.check.time_facts import ClockFacts
from exporters.check.time_fault import Fault
from exporters.check.time_faults import faults_of
from exporters.check.time_units import duration

INTERVAL_SHARE = 0.1
"""Of the scrape interval: with a bound above it, rates over a few samples are off by as much."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """The verdict on a clock."""

    bound: Bound | None
    """None where nothing can vouch for the clock."""
    interval: float
    """The scrape interval that was asked about, in seconds."""
    interval_ok: bool
    span: float
    """The shortest span to be told apart across nodes, in seconds."""
    span_ok: bool
    faults: Sequence[Fault]

    @property
    def good(self) -> bool:
        """Whether it is good enough for both."""
        return self.interval_ok and self.span_ok

    @property
    def apart(self) -> float | None:
        """Seconds that two nodes with such a bound can differ by: each is off the other way."""
        return None if self.bound is None else 2 * self.bound.seconds


def judge(facts: ClockFacts, interval: float, span: float) -> Alignment:
    """
    Judge what is known of a clock.

    Args:
        facts: what is known.
        interval: seconds between scrapes; a sample's time should be off by a tenth at most.
        span: seconds; two nodes must not differ by more, or the order of such spans is a guess.
    """
    faults = faults_of(facts)
    spoilt = any(fault.effect == "spoils" for fault in faults)
    bound = None if spoilt else bound_of(facts)
    interval_ok = bound is not None and bound.seconds <= interval * INTERVAL_SHARE
    span_ok = bound is not None and 2 * bound.seconds <= span
    if not (interval_ok and span_ok):
        faults += _unexplained(bound, faults)
    return Alignment(bound, interval, interval_ok, span, span_ok, faults)


def _unexplained(bound: Bound | None, faults: Sequence[Fault]) -> Iterator[Fault]:
    """Say why a clock is not good enough where nothing is broken, or nothing that explains it."""
    if bound is None:
        if all(fault.effect == "warns" for fault in faults):
            fix = "use chronyd, which does, or a grandmaster one hop away"
            yield Fault("node", "nothing that keeps its time tells an error bound", fix)
        return
    part = bound.largest
    if part.who not in {fault.who for fault in faults}:
        reason = f"it works, but not well enough: {part.what} is {duration(part.seconds)}"
        yield Fault(part.who, reason, part.smaller)
