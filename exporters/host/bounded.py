"""A bound on what has series of its own; what is above it is told together."""

from collections.abc import Collection, Iterable
from typing import TypeVar

Key = TypeVar("Key")


def bounded(asked: Iterable[Key], had: Collection[Key], most: int, other: Key) -> dict[Key, Key]:
    """
    Return what each key counts in: itself, or ``other``.

    Args:
        asked: the keys there are now; the first ones get what room there is.
        had: those that had room of their own, and keep it.
        most: how much room there is.
        other: all the rest.
    """
    keys = dict.fromkeys(asked)
    admitted = {key for key in keys if key in had}
    for key in keys:
        if key not in admitted and len(admitted) < most:
            admitted.add(key)
    return {key: key if key in admitted else other for key in keys}
