"""One call at a time; whoever asks meanwhile gets the answer of the call that runs."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class _Flight(Generic[T]):
    """A call that runs, and then its answer."""

    def __init__(self) -> None:
        self.landed = threading.Event()
        self.answer: T | None = None


class SingleFlight(Generic[T]):
    """Lets calls that overlap share one run, so that two scrapes never read a sensor twice."""

    def __init__(self, call: Callable[[float | None], T]) -> None:
        self._call = call
        self._lock = threading.Lock()
        self._flight: _Flight[T] | None = None

    def __call__(self, timeout_seconds: float | None = None) -> T:
        """
        Return the call's answer, or that of the call which was running already.

        Raises:
            RuntimeError: the call that this one waited for raised.
        """
        with self._lock:
            flight, mine = self._flight, False
            if flight is None:
                flight = self._flight = _Flight()
                mine = True
        if mine:
            return self._fly(flight, timeout_seconds)
        flight.landed.wait()
        if flight.answer is None:
            msg = "the scrape that this one waited for failed"
            raise RuntimeError(msg)
        return flight.answer

    def _fly(self, flight: _Flight[T], timeout_seconds: float | None) -> T:
        try:
            flight.answer = answer = self._call(timeout_seconds)
        finally:
            with self._lock:
                self._flight = None
            flight.landed.set()
        return answer
