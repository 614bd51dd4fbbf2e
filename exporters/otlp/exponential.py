"""
Fine buckets as a base-2 exponential histogram of scale 3.

Both have eight buckets to a power of two with inclusive upper bounds; ours are of equal width,
those of scale 3 of equal ratio, 2**(1/8). Each fine bucket goes, whole, to the exponential
bucket that holds its upper bound: no count is split or lost, and no bound between two
exponential buckets has more below it than was really there.

What a quantile can be off by: an observation in the fine bucket (low, high] is told to be
anywhere in the exponential bucket around ``high``. Over the eight places this is at most
2**(2/8) = 1.189 times (first place) and at least 2**(7/8)/2 = 0.917 times (last place) the
true value.

https://opentelemetry.io/docs/specs/otel/metrics/data-model/#exponentialhistogram
"""

from collections.abc import Mapping
from dataclasses import dataclass

from exporters.core.histogram import PARTS

SCALE = 3
MOST_OVER = 2 ** (2 / 8)
MOST_UNDER = 2 ** (7 / 8) / 2
# Which eighth, by ratio, holds the upper bound 1 + (place + 1)/8 of each eighth by width.
_PLACES = (1, 2, 3, 4, 5, 6, 7, 7)


@dataclass(frozen=True, slots=True)
class Buckets:
    """Counts of neighbouring buckets; the first one's bounds are base**offset, base**(offset+1)."""

    offset: int
    counts: tuple[int, ...]


def exponential_index(fine: int) -> int:
    """Return the index of the exponential bucket that takes a fine bucket's count."""
    octave, place = divmod(fine, PARTS)
    return octave * PARTS + _PLACES[place]


def exponential(fine: Mapping[int, int]) -> Buckets:
    """Return the counts of fine buckets by exponential bucket; no buckets for no counts."""
    counts: dict[int, int] = {}
    for index, count in fine.items():
        if count:
            place = exponential_index(index)
            counts[place] = counts.get(place, 0) + count
    if not counts:
        return Buckets(0, ())
    first, last = min(counts), max(counts)
    return Buckets(first, tuple(counts.get(index, 0) for index in range(first, last + 1)))
