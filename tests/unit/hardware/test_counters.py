"""Counters that never go back, whatever their source does."""

from hypothesis import given
from hypothesis import strategies as st

from exporters.hardware.counters import Highest, Unwrapped

RANGE = 262143.328850
"""What RAPL counts to, in joules: max_energy_range_uj of a NUC."""


def test_the_first_total_is_the_counter() -> None:
    """An agent that has just started shows what the file says, as others do."""
    assert 240422.0 == Unwrapped(2000)("a", 240422.0, RANGE, 0.0)


def test_a_wrap_adds_what_was_left() -> None:
    """From 262,143 J past the limit to 1 J within 15 s, 1.328850 J have been used."""
    total = Unwrapped(2000)
    total("a", 262143.0, RANGE, 0.0)

    assert 262144.328850 == round(total("a", 1.0, RANGE, 15.0), 6)


def test_after_a_wrap_it_goes_on() -> None:
    """The total is the counter and one range more, whatever was read in between."""
    total = Unwrapped(2000)
    for seconds, raw in ((0.0, 262000.0), (15.0, 100.0), (30.0, 900.0)):
        found = total("a", raw, RANGE, seconds)

    assert round(RANGE + 900.0, 6) == round(found, 6)


def test_a_reset_is_no_wrap() -> None:
    """From 100,000 J to 5 J within 15 s is a driver that was reloaded: a wrap would be 10.8 kW."""
    total = Unwrapped(2000)
    total("a", 100_000.0, RANGE, 0.0)

    assert 100_005.0 == total("a", 5.0, RANGE, 15.0)


def test_after_a_night_a_fall_is_a_wrap() -> None:
    """Over an hour the same fall is 45 W, which is what a NUC draws."""
    total = Unwrapped(2000)
    total("a", 100_000.0, RANGE, 0.0)

    assert round(RANGE + 5.0, 6) == round(total("a", 5.0, RANGE, 3600.0), 6)


def test_a_counter_above_its_limit_does_not_go_back() -> None:
    """A file that shows more than its own limit wraps to nothing sensible; it is a reset."""
    total = Unwrapped(2000)
    total("a", RANGE + 500, RANGE, 0.0)

    assert RANGE + 501 == total("a", 1.0, RANGE, 3600.0)


def test_counters_do_not_mix() -> None:
    """Each key has a total of its own."""
    total = Unwrapped(2000)
    total("a", 10.0, RANGE, 0.0)

    assert 3.0 == total("b", 3.0, RANGE, 0.0)


@given(
    st.lists(st.tuples(st.floats(0, RANGE), st.floats(0, 1e4))),
    st.sampled_from([RANGE, None]),
)
def test_no_total_ever_falls(readings: list[tuple[float, float]], limit: float | None) -> None:
    """Whatever a counter shows, and whenever, its total only grows."""
    total, seconds, before = Unwrapped(2000), 0.0, 0.0
    for raw, wait in readings:
        seconds += wait
        now = total("a", raw, limit, seconds)
        assert before <= now
        before = now


@given(st.lists(st.floats(0, 1e9), min_size=1))
def test_the_highest_stays(values: list[float]) -> None:
    """Highest tells the maximum so far, for each key."""
    highest = Highest()

    assert [max(values[: n + 1]) for n in range(len(values))] == [
        highest("a", value) for value in values
    ]
    assert -1.0 == highest("b", -1.0)
