"""What a rail's files say, and when a total may be told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.hardware.rails import Guard, Powers, Rail, amperes, parse_limit, volts

FIRST, SECOND = (Rail(Guard(name, "1-0040"), f"{name}/in", f"{name}/curr") for name in "AB")


@pytest.mark.parametrize(
    ("text", "shunts", "expected"),
    [
        ("4050", (5_000,), 4.05),
        ("4050 ma", (5_000,), 4.05),
        # 163.8 mV, full scale and the value at power-on, over 5, 2 and 10 milliohms.
        ("32760", (5_000,), None),
        ("81900", (2_000,), None),
        ("16380", (10_000,), None),
        # Over 2 milliohms 32760 mA is a limit that somebody has set.
        ("32760", (2_000,), 32.76),
        ("0", (5_000,), None),
        ("-1", (5_000,), None),
        ("4294967295 ma", (5_000,), None),
    ],
)
def test_limits(text: str, shunts: tuple[int, ...], expected: float | None) -> None:
    """A limit at full scale is none: the chip can measure nothing above it."""
    assert expected == parse_limit(text, shunts)


def test_limit_over_an_unknown_shunt() -> None:
    """JetPack 4 does not tell the shunt: 32760 mA is full scale over the usual 5 milliohms."""
    assert (None, 3.2) == (parse_limit("32760 ma"), parse_limit("3200 ma"))


@given(st.text() | st.integers().map(str) | st.integers().map("{} ma".format))
def test_limit_parser_never_surprises(text: str) -> None:
    """Any input is a limit that a chip can watch, none, or a ValueError."""
    try:
        limit = parse_limit(text)
    except ValueError:
        return
    assert limit is None or 0 < limit <= 163.8


@given(st.text() | st.integers().map(str))
def test_reading_parsers_never_surprise(text: str) -> None:
    """Any input is a voltage and a current that a board can have, or a ValueError."""
    for parse, lowest, highest in ((volts, 0, 100), (amperes, -200, 200)):
        try:
            value = parse(text)
        except ValueError:
            continue
        assert lowest <= value <= highest


def test_total_adds_up() -> None:
    """1.75 W and 0.25 W are 2 W."""
    powers = Powers({FIRST.voltage: 1.75, SECOND.voltage: 0.25})

    assert 2.0 == powers.total((FIRST, SECOND))


def test_total_is_told_once() -> None:
    """A rail that was not read again adds nothing of the scrape before."""
    powers = Powers({FIRST.voltage: 1.75, SECOND.voltage: 0.25})
    powers.total((FIRST, SECOND))
    powers.watts[SECOND.voltage] = 0.25

    with pytest.raises(ValueError, match="A was not read"):
        powers.total((FIRST, SECOND))


def test_total_fails_as_its_rail_does() -> None:
    """The reason of the total is the reason of the rail, so that it has the same remedy."""
    powers = Powers({FIRST.voltage: PermissionError(13, "denied"), SECOND.voltage: 0.25})

    with pytest.raises(PermissionError, match="denied"):
        powers.total((FIRST, SECOND))
