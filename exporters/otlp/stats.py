"""What push mode says of itself, on ``/metrics`` as in its own pushes."""

import threading
from collections import Counter
from collections.abc import Iterator

from exporters.core.metric import Kind, Metric, Sample, Unit
from exporters.otlp.result import Dropped, Result

EXPORTS = Metric(
    "otlp_exports",
    Kind.COUNTER,
    Unit.NONE,
    "Attempts to push: success, partial (some points rejected), retry or refused.",
    ("result",),
)
DROPPED_REQUESTS = Metric(
    "otlp_dropped_requests",
    Kind.COUNTER,
    Unit.NONE,
    "Pushes given up: buffer_full, too_old or refused.",
    ("reason",),
)
DROPPED_POINTS = Metric(
    "otlp_dropped_data_points",
    Kind.COUNTER,
    Unit.NONE,
    "Data points that never arrived: those of dropped requests, and rejected ones.",
    ("reason",),
)
MISSED = Metric(
    "otlp_missed_intervals",
    Kind.COUNTER,
    Unit.NONE,
    "Intervals in which nothing was gathered, since a scrape failed or took too long.",
)
BUFFER = Metric(
    "otlp_buffer", Kind.GAUGE, Unit.BYTES, "What waits to be pushed, as it will be sent."
)
BUFFER_LIMIT = Metric(
    "otlp_buffer_limit", Kind.GAUGE, Unit.BYTES, "The most that may wait; the oldest goes first."
)
LAST_SUCCESS = Metric(
    "otlp_last_success_timestamp",
    Kind.GAUGE,
    Unit.SECONDS,
    "When a push last arrived, since the epoch; absent until one has.",
)
METRICS = (
    EXPORTS, DROPPED_REQUESTS, DROPPED_POINTS, MISSED, BUFFER, BUFFER_LIMIT, LAST_SUCCESS,
)  # fmt: skip
_DROPS_REQUESTS: tuple[Dropped, ...] = tuple(
    reason for reason in Dropped if reason is not Dropped.REJECTED
)


class PushStats:
    """Counts what became of pushes, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._results: Counter[Result] = Counter()
        self._requests: Counter[Dropped] = Counter()
        self._points: Counter[Dropped] = Counter()
        self._missed = 0
        self._last_success: float | None = None

    def sent(self, result: Result, now_seconds: float) -> None:
        """Take account of one attempt."""
        with self._lock:
            self._results[result] += 1
            if result in {Result.SUCCESS, Result.PARTIAL}:
                self._last_success = now_seconds

    def dropped(self, reason: Dropped, points: int) -> None:
        """Take account of a dropped request, or of rejected points."""
        with self._lock:
            self._requests[reason] += 1
            self._points[reason] += points

    def missed(self, intervals: int) -> None:
        """Take account of intervals without a scrape."""
        with self._lock:
            self._missed += intervals

    def samples(self, buffer_bytes: int, limit_bytes: int) -> Iterator[Sample]:
        """Yield the metrics; every label value from the start, so that rates see the first one."""
        with self._lock:
            results, requests = self._results.copy(), self._requests.copy()
            points, missed, last = self._points.copy(), self._missed, self._last_success
        for result in Result:
            yield EXPORTS.sample(results[result], result=result)
        for reason in _DROPS_REQUESTS:
            yield DROPPED_REQUESTS.sample(requests[reason], reason=reason)
        for reason in Dropped:
            yield DROPPED_POINTS.sample(points[reason], reason=reason)
        yield MISSED.sample(missed)
        yield BUFFER.sample(buffer_bytes)
        yield BUFFER_LIMIT.sample(limit_bytes)
        if last is not None:
            yield LAST_SUCCESS.sample(last)
