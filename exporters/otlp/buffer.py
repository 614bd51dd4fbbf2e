"""Keeps requests, oldest first, while they cannot be sent; bounded by size and by age."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from exporters.otlp.result import Dropped


@dataclass(frozen=True, slots=True)
class Request:
    """One encoded scrape."""

    body: bytes
    points: int
    made: float
    """When, on the clock that only grows."""


class Buffer:
    """A queue between the thread that scrapes and the one that sends."""

    def __init__(
        self,
        max_bytes: int,
        max_seconds: float,
        dropped: Callable[[Dropped, int], None],
        monotonic: Callable[[], float],
    ) -> None:
        """
        Make an empty buffer.

        Args:
            max_bytes: the bodies' size altogether; the one that is being sent comes on top.
            max_seconds: how long a request is worth sending.
            dropped: is told of each request that was dropped, why and how many points it held.
            monotonic: seconds that only grow.
        """
        self._max_bytes = max_bytes
        self._max_seconds = max_seconds
        self._dropped = dropped
        self._monotonic = monotonic
        self._queue: deque[Request] = deque()
        self._sending: Request | None = None
        self._bytes = 0
        self._closed = False
        self._changed = threading.Condition()

    @property
    def bytes(self) -> int:
        """The size of what is kept, with what is being sent."""
        sending = self._sending
        return self._bytes + (len(sending.body) if sending else 0)

    def put(self, request: Request) -> None:
        """Keep a request, at the cost of the oldest ones."""
        with self._changed:
            self._queue.append(request)
            self._bytes += len(request.body)
            self._drop()
            self._changed.notify_all()

    def take(self) -> Request | None:
        """
        Wait for the oldest request and return it; None when there is none and it was closed.

        Call ``done`` or ``restore`` before the next ``take``.
        """
        with self._changed:
            while True:
                self._drop()
                if self._queue:
                    self._sending = self._queue.popleft()
                    self._bytes -= len(self._sending.body)
                    return self._sending
                if self._closed:
                    return None
                self._changed.wait()

    def done(self) -> None:
        """Forget the request that was taken: it was sent, or must not be sent again."""
        with self._changed:
            self._sending = None

    def restore(self) -> None:
        """Keep the request that was taken: it is still the oldest one."""
        with self._changed:
            if self._sending is not None:
                self._queue.appendleft(self._sending)
                self._bytes += len(self._sending.body)
                self._sending = None
                self._drop()

    def close(self) -> None:
        """Have ``take`` not wait any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def rest(self) -> int:
        """Return how many points are kept."""
        with self._changed:
            kept = [*self._queue, self._sending]
            return sum(request.points for request in kept if request is not None)

    def _drop(self) -> None:
        oldest = self._monotonic() - self._max_seconds
        while self._queue and self._queue[0].made < oldest:
            self._drop_first(Dropped.TOO_OLD)
        while self._queue and self._bytes > self._max_bytes:
            self._drop_first(Dropped.BUFFER_FULL)

    def _drop_first(self, reason: Dropped) -> None:
        request = self._queue.popleft()
        self._bytes -= len(request.body)
        self._dropped(reason, request.points)
