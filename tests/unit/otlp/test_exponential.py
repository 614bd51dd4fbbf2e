"""Fine buckets as exponential ones: exact counts, bounded error."""

import math
from collections import Counter
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from exporters.core.histogram import PARTS, fine_bound, fine_index
from exporters.otlp.exponential import (
    MOST_OVER,
    MOST_UNDER,
    SCALE,
    Buckets,
    exponential,
    exponential_index,
)

SECONDS = st.floats(min_value=1e-9, max_value=1e6)
BASE = 2 ** (2**-SCALE)
ROUNDING = 1e-12


def test_by_hand() -> None:
    """1.1 s and 1.2 s go where 1.125 s and 1.25 s are: (1.09, 1.19] and (1.19, 1.30]."""
    fine = Counter(map(fine_index, (1.1, 1.2, 1.2, 2.0)))
    assert Buckets(1, (1, 2, 0, 0, 0, 0, 1)) == exponential(fine)


def test_nothing() -> None:
    """No observations make no buckets."""
    assert Buckets(0, ()) == exponential({}) == exponential({3: 0})


def test_each_place_of_an_octave() -> None:
    """The bucket is the one that holds the fine bucket's upper bound, for all eight places."""
    for place in range(PARTS):
        upper = 1 + (place + 1) / PARTS
        index = exponential_index(place)
        assert BASE**index < upper <= BASE ** (index + 1) * (1 + ROUNDING)


@given(st.lists(SECONDS, min_size=1, max_size=200))
def test_counts_are_exact(values: list[float]) -> None:
    """No observation is lost, split or made up."""
    buckets = exponential(Counter(map(fine_index, values)))
    assert len(values) == sum(buckets.counts)
    assert 0 < buckets.counts[0] * buckets.counts[-1]


@given(st.lists(SECONDS, min_size=1, max_size=200))
def test_nothing_is_told_faster(values: list[float]) -> None:
    """Below no bucket's bound there are more observations than were really there."""
    buckets = exponential(Counter(map(fine_index, values)))
    for place, told in enumerate(accumulate(buckets.counts)):
        bound = BASE ** (buckets.offset + place + 1)
        assert told <= sum(value <= bound * (1 + ROUNDING) for value in values)


@given(
    st.lists(SECONDS, min_size=1, max_size=200),
    st.floats(min_value=0.001, max_value=1.0),
    st.floats(min_value=0.0, max_value=1.0),
)
def test_quantile_error(values: list[float], quantile: float, within: float) -> None:
    """Wherever a backend puts a quantile in its bucket, it is within the bounds of the docs."""
    rank = max(1, math.ceil(quantile * len(values)))
    true = sorted(values)[rank - 1]
    buckets = exponential(Counter(map(fine_index, values)))
    place = next(i for i, count in enumerate(accumulate(buckets.counts)) if count >= rank)
    told = BASE ** (buckets.offset + place + within)
    assert MOST_UNDER * (1 - ROUNDING) <= told / true <= MOST_OVER * (1 + ROUNDING)


def test_the_error_bound_is_met() -> None:
    """The bounds are those that the first and the last eighth really reach."""
    first, last = exponential_index(0), exponential_index(PARTS - 1)
    assert math.isclose(MOST_OVER, BASE ** (first + 1) / fine_bound(-1))
    assert math.isclose(MOST_UNDER, BASE**last / fine_bound(PARTS - 1))
    assert ("1.189", "0.917") == (f"{MOST_OVER:.3f}", f"{MOST_UNDER:.3f}")
