"""Answers become plausible numbers in base units, or a ValueError."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.hardware.nvml import faults, load, pcie, power, reasons
from exporters.hardware.nvml.reading import Part, bit, item, member, number, ratio

PARTS = [
    part
    for rows in (load.ROWS, power.ROWS, faults.ROWS, pcie.ROWS, reasons.ROWS)
    for row in rows
    for part in row.parts
]
NUMBERS = st.integers(-(2**70), 2**70) | st.floats() | st.booleans() | st.none() | st.text()
ANSWERS = NUMBERS | st.lists(NUMBERS, max_size=5)
KEYS = st.sampled_from(["gpu", "memory", "total", "free", "used", "reserved", "violationTime"])


@pytest.mark.parametrize(
    ("take", "answer", "expected"),
    [
        (number(times=1_000_000), 2805, 2_805_000_000),
        (number(over=1000), 26200, 26.2),
        (ratio, 72, 0.72),
        (item(1, number()), [5, 7], 7),
        (member("used", number()), {"used": 3}, 3),
        (member("reserved", number()), {"used": 3}, None),
        (bit(0x40), 0x48, 1),
        (bit(0x40), 0x08, 0),
    ],
)
def test_what_is_taken(take: Any, answer: object, expected: float | None) -> None:
    """Each form of answer has its number found and brought into base units."""
    assert expected == take(answer)


@pytest.mark.parametrize("answer", [101, -1, None, "7", [7], float("nan"), True])
def test_what_is_no_share(answer: object) -> None:
    """A utilisation is a whole percent from 0 to 100."""
    with pytest.raises(ValueError, match=r"not a number|implausible"):
        ratio(answer)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.metric.name)
@given(answer=ANSWERS | st.dictionaries(KEYS, NUMBERS))
def test_any_answer_is_plausible_or_refused(part: Part, answer: object) -> None:
    """Nothing that a driver might say becomes NaN, infinite or negative by mistake."""
    try:
        value = part.take(answer)
    except ValueError:
        return
    assert value is None or -100 <= value <= 2**64
