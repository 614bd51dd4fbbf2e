"""Recorded messages that change as time passes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.clock.recorded import current, moment


@pytest.mark.parametrize(
    ("file", "expected"),
    [("a.bin", ("a", 0.0)), ("a@60.bin", ("a", 60.0)), ("a@-1.5.bin", ("a", -1.5))],
)
def test_moments(file: str, expected: tuple[str, float]) -> None:
    """The second stands behind the @."""
    assert expected == moment(file)


@pytest.mark.parametrize("file", ["a@.bin", "a@x.bin", "a@nan.bin", "a@inf.bin", "a@1@2.bin"])
def test_moments_that_are_none(file: str) -> None:
    """The file is named, with the form that it wants."""
    with pytest.raises(ValueError, match=r"wants NAME@SECOND\.bin"):
        moment(file)


def test_what_counts() -> None:
    """Of each name the version that began last; an empty one ends it."""
    files = {"a.bin": b"1", "a@10.bin": b"2", "a@20.bin": b"", "b@15.bin": b"3"}
    assert [{"a.bin"}, {"a@10.bin"}, {"a@10.bin", "b@15.bin"}, {"b@15.bin"}] == [
        set(current(files, second)) for second in (9.0, 10.0, 15.0, 20.0)
    ]


@given(st.text(max_size=30))
def test_any_name(file: str) -> None:
    """Any name is one with a finite second, or refused."""
    try:
        _, begin = moment(file)
    except ValueError:
        return
    assert abs(begin) < 1e12
