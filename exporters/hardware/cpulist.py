"""
Lists of CPUs as the kernel writes them, such as ``0-3,5``.

https://docs.kernel.org/admin-guide/cputopology.html
"""

from collections.abc import Iterable
from itertools import groupby

from exporters.hardware.numbers import whole

_number = whole(0, 65535)
_MOST = 65536


def parse_cpus(text: str) -> tuple[int, ...]:
    """
    Return the CPUs of a list such as ``0-3,5`` or ``0 1 2 3``; none for an empty one.

    Raises:
        ValueError: it is no list of CPUs in rising order.
    """
    found: list[int] = []
    for part in text.replace(" ", ",").split(",") if text else ():
        first, dash, last = part.partition("-")
        begin = int(_number(first))
        end = int(_number(last)) if dash else begin
        if end < begin or (found and begin <= found[-1]) or len(found) > _MOST:
            msg = f"not a list of CPUs: {text[:40]!r}"
            raise ValueError(msg)
        found.extend(range(begin, end + 1))
    return tuple(found)


def show_cpus(cpus: Iterable[int]) -> str:
    """Return rising CPU numbers the short way: ``0-3,5``."""
    runs = groupby(enumerate(cpus), key=lambda pair: pair[1] - pair[0])
    parts = []
    for _, run in runs:
        numbers = [cpu for _, cpu in run]
        first, last = numbers[0], numbers[-1]
        parts.append(str(first) if first == last else f"{first}-{last}")
    return ",".join(parts)
