"""Keeps the process small: one heap for all threads."""

import ctypes

# malloc.h of glibc. By default each thread gets a heap of its own, up to eight for each CPU, and
# what one has freed is of no use to another: some 3 MiB with the threads of an agent.
_M_ARENA_MAX = -8


def use_one_heap() -> None:
    """Have all threads share one heap; musl, which has no such setting, does so anyway."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 1)
