"""Parsers for the numbers in kernel files: strict, since ``int`` takes more than they write."""

from collections.abc import Callable

# The kernel writes 64 bits, 20 digits with a sign; beyond, arithmetic has errors of its own.
_LONGEST = 40


def integer(text: str) -> int:
    """
    Return the decimal integer that a kernel file holds.

    Raises:
        ValueError: it holds something else, such as ``<unknown>``, ``n/a`` or nothing.
    """
    if not (text.removeprefix("-").isdecimal() and text.isascii() and len(text) <= _LONGEST):
        msg = f"not a number: {text[:40]!r}"
        raise ValueError(msg)
    return int(text)


def scaled(per_unit: int, lowest: float, highest: float) -> Callable[[str], float]:
    """
    Return a parser of integers in ``1/per_unit`` of a base unit, bounded by what can be.

    The bounds reject sentinels, such as -256000 millidegrees for a sensor that is off; they
    do not judge. The parser raises ValueError for what is no number or out of bounds.
    """

    def parse(text: str) -> float:
        value = integer(text) / per_unit
        if not lowest <= value <= highest:
            msg = f"implausible: {text} is not within {lowest} to {highest} in 1/{per_unit}"
            raise ValueError(msg)
        return value

    return parse


def whole(lowest: int = 0, highest: int = 2**64 - 1) -> Callable[[str], float]:
    """Return a parser of integers within bounds: counts, states, percentages."""

    def parse(text: str) -> int:
        value = integer(text)
        if not lowest <= value <= highest:
            msg = f"implausible: {text} is not within {lowest} to {highest}"
            raise ValueError(msg)
        return value

    return parse


# Drivers of sensors that are off say absolute zero, -256 or less; no node works at -100.
celsius = scaled(1000, -100.0, 250.0)
"""Millidegrees, within what an edge node survives."""
