"""
The text of ``/proc/net/dev``: one line for each interface of a network namespace.

https://docs.kernel.org/networking/statistics.html
"""

from collections.abc import Sequence

_COLUMNS = 16
_MOST_DIGITS = 20
_HEADER = "Inter-|"
_HEADER_LINES = 2

Row = Sequence[int]
"""8 counters of what was received, then 8 of what was sent, both with the bytes first."""


def parse_rows(text: str) -> dict[str, str]:
    """
    Return the columns of each interface, not yet parsed.

    Raises:
        ValueError: it is not what the kernel prints.
    """
    lines = text.split("\n")
    if not text.startswith(_HEADER):
        msg = f"no counters of interfaces: {text[:80]!r}"
        raise ValueError(msg)
    found = {}
    for line in lines[_HEADER_LINES:]:
        # Old kernels leave no space behind the colon.
        name, colon, columns = line.rpartition(":")
        name = name.lstrip(" ")
        if not (name and colon):
            msg = f"no interface: {line[:80]!r}"
            raise ValueError(msg)
        found[name] = columns
    return found


def parse_columns(text: str) -> Row:
    """
    Return the counters of an interface.

    Raises:
        ValueError: they are not as many as every kernel prints.
    """
    words = text.split()
    digits = "".join(words)
    if not (
        len(words) == _COLUMNS
        and digits.isdecimal()
        and digits.isascii()
        and max(map(len, words)) <= _MOST_DIGITS
    ):
        msg = f"wants {_COLUMNS} counters: {text[:80]!r}"
        raise ValueError(msg)
    return tuple(map(int, words))
