"""Keeps background samplers out of NVML while it is shut down and initialised anew."""

import errno
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Gate:
    """Lets any number in, until it is shut; whoever shuts it waits for those inside."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._shut = False

    @contextmanager
    def inside(self) -> Iterator[bool]:
        """Enter; yields False, at once, while the gate is shut."""
        with self._changed:
            entered = not self._shut
            self._inside += entered
        try:
            yield entered
        finally:
            with self._changed:
                self._inside -= entered
                self._changed.notify_all()

    @contextmanager
    def shut(self, seconds: float) -> Iterator[None]:
        """
        Keep everybody out.

        Raises:
            TimeoutError: somebody does not come out; a call hangs.
        """
        with self._changed:
            self._shut = True
        try:
            with self._changed:
                if not self._changed.wait_for(lambda: not self._inside, seconds):
                    raise TimeoutError(errno.ETIMEDOUT, "a background call does not return")
            yield
        finally:
            with self._changed:
                self._shut = False
