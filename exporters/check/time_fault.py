"""What can be wrong with a node's clock: who is at fault, why, and what to do."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from exporters.check.time_facts import ClockFacts


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong."""

    who: str
    """The program, ``nobody`` where none keeps the clock, or ``node``."""
    reason: str
    fix: str
    effect: Literal["warns", "blinds", "spoils"] = "blinds"
    """What it does: nothing to a bound, leave a source without one, or make any bound worthless."""


Rule = Callable[[ClockFacts], Iterator[Fault]]
