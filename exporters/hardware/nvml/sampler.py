"""A thread that does something at a steady rate until told to stop."""

import threading
import time
from collections.abc import Callable

STOP_SECONDS = 1.0


class Sampler:
    """Calls ``sample`` so many times a second; ``sample`` raises nothing."""

    def __init__(self, name: str, hertz: float, sample: Callable[[], None]) -> None:
        self._name = name
        self._period = 1 / hertz
        self._sample = sample
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, unless it runs; after a fork it does not run any more."""
        if self._stop.is_set() or (self._thread and self._thread.is_alive()):
            return
        self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop it; one that hangs in a call is left behind, as a daemon, after a second."""
        self._stop.set()
        if self._thread:
            self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        due = time.monotonic()
        while not self._stop.wait(max(0.0, due - time.monotonic())):
            self._sample()
            # What took too long is skipped, not made up for.
            due = max(due + self._period, time.monotonic())
