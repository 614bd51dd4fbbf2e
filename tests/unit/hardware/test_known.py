"""Limits are read when their device is found, and not at each scrape."""

import errno
from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Failure, Kind, Metric, Root, Unit
from exporters.hardware.known import Known, limit, read_limits

MakeTree = Callable[[dict[str, str | bytes]], Path]
LIMIT = Metric("limit", Kind.GAUGE, Unit.CELSIUS, "A limit.", ("limit",))
parse = limit(1000, -100, 250)


def test_limits_that_are_set_and_one_that_cannot_be_read(make_tree: MakeTree) -> None:
    """A missing file fails alone; a limit out of bounds is none; the others come together."""
    root = Root(str(make_tree({"a": "90000\n", "b": "65261850\n", "d": "100000\n"})))
    limits = [(LIMIT.series(limit=name), name, parse) for name in "abcd"]

    failure, known = read_limits(root, "here", limits)

    assert isinstance(failure, Failure)
    assert ("c", errno.ENOENT) == (failure.where, getattr(failure.error, "errno", None))
    assert isinstance(known, Known)
    assert [90.0, 100.0] == [sample.value for sample in known.read(root)]


def test_no_limit_no_sensor(make_tree: MakeTree) -> None:
    """Where no limit is set there is nothing to tell at each scrape."""
    root = Root(str(make_tree({"a": "-273150\n"})))

    assert [] == list(read_limits(root, "here", [(LIMIT.series(limit="min"), "a", parse)]))


@given(st.text() | st.integers().map(str))
def test_parser_never_surprises(text: str) -> None:
    """Any input is a limit within bounds, no limit, or a ValueError."""
    try:
        value = parse(text)
    except ValueError:
        return
    assert value is None or -100 <= value <= 250
