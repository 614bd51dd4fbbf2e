"""Statistics over the samples since they were last asked for, in constant memory."""

import math
import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Summary:
    """What a window of samples was like."""

    count: int
    mean: float
    lowest: float
    highest: float
    deviation: float
    """Standard deviation of the samples (divided by their number, not by one less)."""
    step: float
    """The largest difference, up or down, between a sample and the one before it."""


@dataclass(slots=True)
class _Sums:
    count: int = 0
    mean: float = 0.0
    squares: float = 0.0
    """Of the distances from the mean."""
    lowest: float = math.inf
    highest: float = -math.inf
    step: float = 0.0


class Window:
    """
    Collects samples; safe to add from one thread and to take from another.

    Uses Welford's method, which does not cancel where the mean is large and the deviation small,
    as with bytes of memory (https://doi.org/10.1080/00401706.1962.10490022).
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: float | None = None
        self._sums = _Sums()

    def add(self, value: float) -> None:
        """Take account of a sample."""
        with self._lock:
            sums = self._sums
            if self._last is not None:
                sums.step = max(sums.step, abs(value - self._last))
            self._last = value
            sums.count += 1
            before = value - sums.mean
            sums.mean += before / sums.count
            sums.squares += before * (value - sums.mean)
            sums.lowest = min(sums.lowest, value)
            sums.highest = max(sums.highest, value)

    def take(self) -> Summary | None:
        """
        Return what came since the last time, or None where nothing did.

        The first step is taken from the sample before, so that none gets lost between windows.
        """
        with self._lock:
            sums, self._sums = self._sums, _Sums()
        if not sums.count:
            return None
        deviation = math.sqrt(sums.squares / sums.count)
        return Summary(sums.count, sums.mean, sums.lowest, sums.highest, deviation, sums.step)
