"""The verdict on one source: what every part of the check gives."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "absent", "denied", "broken"]
VERDICTS: tuple[Verdict, ...] = ("ok", "absent", "denied", "broken")
"""From good to bad."""
NEEDS_ACTION: frozenset[Verdict] = frozenset({"denied", "broken"})
Kind = Literal["collector", "sensor", "node"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The verdict on one source."""

    collector: str
    """The collector's name; for the kind ``node`` what of the node is judged."""
    kind: Kind
    """A whole collector, sensors of it that fail alike, or what the agent itself needs."""
    source: str
    """The path or library that is read; of sensors, the first."""
    verdict: Verdict
    sample: str = ""
    """One reading, to be believed or not."""
    series: int = 0
    cost_seconds: float | None = None
    """What a scrape of the whole collector takes; None where that cannot be told."""
    reason: str = ""
    fix: str = ""
    paths: tuple[str, ...] = ()
    """Every path that fails so; only of sensors."""
