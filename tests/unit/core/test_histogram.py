"""Fine buckets and their merging."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core.histogram import SECONDS_BOUNDS, fine_bound, fine_index, merge


@pytest.mark.parametrize(
    ("value", "bound"),
    [(1.125, 1.125), (1.0, 1.0), (1.0001, 1.125), (1.126, 1.25), (2.0, 2.0), (0.75, 0.75)],
)
def test_bounds_are_exact_and_inclusive(value: float, bound: float) -> None:
    """A value on a bound counts in the bucket that ends there."""
    assert bound == fine_bound(fine_index(value))


@given(st.floats(min_value=1e-9, max_value=1e9))
def test_a_bucket_is_at_most_an_eighth_wide(value: float) -> None:
    """No value is further than 12.5 % below its bucket's bound."""
    bound = fine_bound(fine_index(value))

    assert bound / 1.125 <= value <= bound


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_refuses_what_has_no_bucket(value: float) -> None:
    """Only positive finite numbers are counted."""
    with pytest.raises(ValueError, match="no bucket"):
        fine_index(value)


def test_merge_never_flatters() -> None:
    """A bucket that straddles a bound counts above it; all are counted, the sum is exact."""
    # 0.09 s lies in the bucket that ends at 0.09375, 0.095 s in the one to 0.1015625: above 0.1.
    fine = {fine_index(0.09): 3, fine_index(0.095): 1}

    merged = merge(fine, (0.08, 0.1, 0.2), 0.365)

    assert ((0, 3, 1, 0), 4, 0.365) == (merged.counts, merged.count, merged.sum)


def test_bounds_keep_the_contract() -> None:
    """At most 24 bounds, rising, with the common objectives among them."""
    assert len(SECONDS_BOUNDS) <= 24
    assert sorted(SECONDS_BOUNDS) == list(SECONDS_BOUNDS)
    assert {0.05, 0.08, 0.1, 0.2, 0.35, 0.5, 1.0, 2.0} <= set(SECONDS_BOUNDS)
