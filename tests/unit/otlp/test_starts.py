"""Since when a cumulative point counts."""

from exporters.otlp.starts import FORGET_NANOSECONDS, StartTimes


def test_known_start() -> None:
    """What began with the agent counts from then."""
    starts = StartTimes()
    assert [5, 5] == [starts.start("a", value, 10 + value, began=5) for value in (1, 2)]


def test_unknown_start() -> None:
    """The first point spans no time; the later ones keep its start."""
    starts = StartTimes()
    assert [10, 10, 10] == [starts.start("a", 7.0, now) for now in (10, 20, 30)]


def test_reset() -> None:
    """After a fall the total counts from the point before on."""
    starts = StartTimes()
    totals = ((10, 7.0), (20, 9.0), (30, 1.0), (40, 2.0), (50, 0.0))
    assert [10, 10, 20, 20, 40] == [starts.start("a", total, now) for now, total in totals]


def test_series_do_not_mix() -> None:
    """A small total of one series is no reset of another."""
    starts = StartTimes()
    assert [10, 11, 10] == [
        starts.start("a", 7.0, 10),
        starts.start("b", 1.0, 11),
        starts.start("a", 8.0, 12),
    ]


def test_clock_set_back() -> None:
    """No start lies after its point, though the clock jumped back."""
    starts = StartTimes()
    assert [100, 50, 50] == [starts.start("a", 7.0, now, began=100) for now in (110, 50, 60)]


def test_forgetting() -> None:
    """A series that stayed away for long is unknown again; one that was there is not."""
    starts = StartTimes()
    for key in ("gone", "there"):
        starts.start(key, 1.0, 0)
    later = FORGET_NANOSECONDS + 1
    starts.start("there", 2.0, later)
    starts.forget(later)
    assert 1 == len(starts)
    assert [later, 0] == [starts.start(key, 3.0, later) for key in ("gone", "there")]
