"""
Histograms in two grains: fine buckets for quantiles, few decimal bounds for the text format.

A fine bucket is one of eight equal parts of a power of two, so that its width is at most
one eighth (12.5 %) of its lower bound. Upper bounds are exact and inclusive, as ``le`` is.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

PARTS = 8

# At most 24 bounds, decimal, with the objectives people alert on among them.
SECONDS_BOUNDS = (
    0.00001, 0.0001, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.08,
    0.1, 0.2, 0.35, 0.5, 1.0, 2.0, 5.0, 10.0,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class HistogramValue:
    """Counts of observations by size."""

    bounds: tuple[float, ...]
    """Inclusive upper bounds, rising; the last bucket, above them all, has none."""
    counts: tuple[int, ...]
    """Observations in each bucket, not cumulated: one more than there are bounds."""
    sum: float
    """The exact sum of all observations."""
    fine: Mapping[int, int] | None = None
    """Counts by fine bucket (see ``fine_index``), where they were kept."""

    @property
    def count(self) -> int:
        """All observations."""
        return sum(self.counts)

    def cumulated(self) -> Iterator[tuple[str, int]]:
        """Yield each bound as the label ``le`` has it, with all observations up to it."""
        bounds = (*(repr(float(bound)) for bound in self.bounds), "+Inf")
        return zip(bounds, accumulate(self.counts), strict=True)


def fine_index(value: float) -> int:
    """
    Return the number of the fine bucket that holds a positive value.

    Bucket ``i`` ends at, and includes, ``fine_bound(i)``.

    Raises:
        ValueError: the value is not a positive finite number.
    """
    if not 0 < value < math.inf:
        msg = f"no bucket for {value!r}"
        raise ValueError(msg)
    mantissa, exponent = math.frexp(value)  # value = mantissa * 2**exponent, mantissa in [0.5, 1)
    return (exponent - 1) * PARTS + math.ceil((mantissa * 2 - 1) * PARTS) - 1


def fine_bound(index: int) -> float:
    """Return the inclusive upper bound of a fine bucket."""
    octave, part = divmod(index, PARTS)
    return math.ldexp(1 + (part + 1) / PARTS, octave)


def merge(fine: Mapping[int, int], bounds: Sequence[float], total: float) -> HistogramValue:
    """
    Merge fine buckets into fewer bounds.

    A fine bucket that straddles a bound counts above it: the merged histogram never says
    that something was faster than it was.
    """
    counts = [0] * (len(bounds) + 1)
    for index, count in fine.items():
        upper = fine_bound(index)
        place = next((i for i, bound in enumerate(bounds) if upper <= bound), len(bounds))
        counts[place] += count
    return HistogramValue(tuple(bounds), tuple(counts), total, dict(fine))
