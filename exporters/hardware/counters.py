"""Counters that outlive what counts: a wrap, a reset or another reader's turn is no step back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from exporters.core import Root, Sample, Series


class Highest:
    """Counts by key, of which none falls: a lower one is told as the highest before."""

    def __init__(self) -> None:
        self._seen: dict[str, float] = {}

    def __call__(self, key: str, value: float) -> float:
        """Return the highest value that the key has had, this one included."""
        highest = max(value, self._seen.get(key, value))
        self._seen[key] = highest
        return highest


@dataclass(frozen=True, slots=True)
class _Reading:
    raw: float
    total: float
    seconds: float


class Unwrapped:
    """
    Totals by key, from counters that begin anew at a limit.

    The first total is the counter as it stands. A fall is a wrap, which adds what was left to
    the limit, if the source could have counted as much since the last reading; otherwise the
    counter was reset (a driver reloaded, a machine resumed) and only what it shows is added.
    """

    def __init__(self, fastest: float) -> None:
        """``fastest`` is more than the source can count in a second."""
        self._fastest = fastest
        self._last: dict[str, _Reading] = {}

    def __call__(self, key: str, raw: float, limit: float | None, seconds: float) -> float:
        """
        Return the total at a reading.

        Args:
            key: which counter.
            raw: what it shows.
            limit: how much it counts until it begins at 0 again; None where it does not.
            seconds: a clock's reading, which only grows.
        """
        last = self._last.get(key, _Reading(raw, raw, seconds))
        grown = raw - last.raw
        if grown < 0:
            wrapped = None if limit is None else limit + grown
            possible = self._fastest * (seconds - last.seconds)
            grown = raw if wrapped is None or not 0 <= wrapped <= possible else wrapped
        total = last.total + grown
        self._last[key] = _Reading(raw, total, seconds)
        return total


@dataclass(frozen=True, slots=True)
class UnwrappedSensor:
    """A file with a counter that wraps, told without its wraps and resets."""

    series: Series
    where: str
    parse: Callable[[str], float]
    wraps_at: float | None
    """What it counts until it begins at 0 again, in the unit of the series."""
    total: Unwrapped

    def read(self, root: Root) -> Sequence[Sample]:
        """Read the counter."""
        raw = self.parse(root.read(self.where))
        value = self.total(self.series.prefix, raw, self.wraps_at, root.monotonic())
        return (Sample(self.series, value),)
