"""What a kernel file holds is a number within reason, or refused."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.hardware.known import limit
from exporters.hardware.numbers import celsius, integer, whole

PARSERS = [integer, celsius, whole(), limit(1000, -100, 250)]


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize("text", ["9" * 400, "-" + "9" * 400, "9" * 5000])
def test_more_digits_than_a_kernel_writes(parse: Callable[[str], object], text: str) -> None:
    """An absurd number is a bad value of its file; arithmetic on it would cost the collector."""
    with pytest.raises(ValueError, match=r"not a number: '-?999"):
        parse(text)


@pytest.mark.parametrize(
    "text",
    ["", "+5", " 5", "1e3", "0x10", "1_000", "5.5", "--5", "-", "<unknown>", "\u0663", "\uff11"],
)
def test_what_python_takes_and_no_kernel_writes(text: str) -> None:
    """``int`` is more generous than the kernel."""
    with pytest.raises(ValueError, match="not a number"):
        integer(text)


@given(st.text() | st.integers().map(str))
def test_any_text_is_a_number_or_refused(text: str) -> None:
    """Any input gives a number within the bounds, or ValueError."""
    try:
        value = celsius(text)
    except ValueError:
        return
    assert -100 <= value <= 250
