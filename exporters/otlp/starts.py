"""
Since when a cumulative point counts.

What the agent counts itself starts with the agent. What the kernel or a driver counts began at
a time that nobody recorded (a RAPL counter is not even 0 at boot), and a made-up start would
make backends see all of it happen at once. The data model has a form for this: the first point
spans no time, so that it adds nothing to a rate, and later points keep its start.

https://opentelemetry.io/docs/specs/otel/metrics/data-model/#cumulative-streams-handling-unknown-start-time
"""

from typing import NamedTuple

FORGET_NANOSECONDS = 3600 * 10**9
"""A series that stays away so long starts anew when it comes back, as if unknown."""


class _Seen(NamedTuple):
    start: int
    value: float
    at: int


class StartTimes:
    """Start times of cumulative series, in nanoseconds since the epoch."""

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}

    def start(self, key: str, value: float, now: int, began: int | None = None) -> int:
        """
        Return since when the series' value counts.

        A value that fell was reset after the point before, so that counts from then on.

        Args:
            key: what tells the series from all others.
            value: the total, or a histogram's count of observations.
            now: the time of this point.
            began: when it was 0, where that is known.
        """
        before = self._seen.get(key)
        if before is None:
            start = now if began is None else began
        elif value < before.value:
            start = before.at
        else:
            start = before.start
        # A clock that was set back (no battery, then NTP) must not give points negative time.
        start = min(start, now)
        self._seen[key] = _Seen(start, value, now)
        return start

    def forget(self, now: int) -> None:
        """Drop what was not seen for long, so that series which come and go do not pile up."""
        old = [key for key, seen in self._seen.items() if now - seen.at > FORGET_NANOSECONDS]
        for key in old:
            del self._seen[key]

    def __len__(self) -> int:
        return len(self._seen)
