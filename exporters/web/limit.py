"""A token bucket, which limits how many requests are answered."""

import threading
import time
from collections.abc import Callable


class Limiter:
    """Allows one request in each interval, and after a pause up to ``burst`` at once."""

    def __init__(
        self,
        interval_seconds: float,
        burst: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._interval = interval_seconds
        self._burst = burst
        self._clock = clock
        self._lock = threading.Lock()
        self._tokens = float(burst)
        self._since = clock()

    def allows(self) -> bool:
        """Take a token; False where there is none."""
        with self._lock:
            now = self._clock()
            grown = (now - self._since) / self._interval
            self._tokens, self._since = min(self._tokens + grown, float(self._burst)), now
            if self._tokens < 1:
                return False
            self._tokens -= 1
            return True
