"""The statistics of pulses, against numbers computed by hand."""

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.hardware.nvml.window import Summary, Window

GIGABYTE = 1_000_000_000


def filled(*values: float) -> Window:
    """Return a window with these samples."""
    window = Window()
    for value in values:
        window.add(value)
    return window


def test_a_textbook_example() -> None:
    """2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares 9+1+1+1+0+0+4+16 = 32, 32/8 = 4, root 2."""
    expected = Summary(count=8, mean=5, lowest=2, highest=9, deviation=2, step=2)
    assert expected == filled(2, 4, 4, 4, 5, 5, 7, 9).take()


def test_an_empty_window_has_nothing_to_say() -> None:
    """No samples are not a mean of 0."""
    window = filled(1)
    window.take()
    assert window.take() is None


def test_a_step_over_the_edge_of_a_window_counts() -> None:
    """The last sample of one window and the first of the next are neighbours."""
    window = filled(1, 1)
    window.take()
    window.add(5)
    assert Summary(count=1, mean=5, lowest=5, highest=5, deviation=0, step=4) == window.take()


def test_a_fall_is_a_step_too() -> None:
    """What is freed at once is as much of a pulse as what is allocated at once."""
    summary = filled(3, 1, 2).take()
    assert summary
    assert 2 == summary.step


@pytest.mark.parametrize(("swing", "deviation"), [(0.16 * GIGABYTE, 0.08), (1.88 * GIGABYTE, 0.94)])
def test_calm_and_loading_shards(swing: float, deviation: float) -> None:
    """Samples that take turns between two levels deviate by half their distance."""
    summary = filled(*[8 * GIGABYTE, 8 * GIGABYTE + swing] * 100).take()
    assert summary
    assert deviation == pytest.approx(summary.deviation / GIGABYTE)


def test_a_small_deviation_of_a_large_mean() -> None:
    """The difference of mean squares would cancel to noise here: 80 GB, one byte up and down."""
    summary = filled(*[80e9, 80e9 + 2] * 1000).take()
    assert summary
    assert pytest.approx(1.0) == summary.deviation


@given(st.lists(st.integers(0, 2**40), min_size=1, max_size=200))
def test_as_the_standard_library_computes_it(values: list[int]) -> None:
    """Any samples give what statistics.pstdev gives, which is exact."""
    summary = filled(*values).take()
    assert summary
    assert (len(values), min(values), max(values)) == (
        summary.count, summary.lowest, summary.highest,
    )  # fmt: skip
    assert math.isclose(statistics.pstdev(values), summary.deviation, rel_tol=1e-6, abs_tol=1e-3)
    assert math.isclose(statistics.fmean(values), summary.mean, rel_tol=1e-9)
