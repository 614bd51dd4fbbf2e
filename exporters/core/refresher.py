"""Looks for devices in the quiet after a scrape, so that no scrape waits for the search."""

import threading

from exporters.core.runner import Runner

# Time for the answer to leave: the search would take turns with it.
PAUSE_SECONDS = 0.02


class Refresher:
    """A thread that has a runner refreshed after each scrape; it does little unless it is time."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._scraped = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="refresher", daemon=True)
        self._thread.start()

    def scraped(self) -> None:
        """Say that a scrape has ended."""
        self._scraped.set()

    def close(self) -> None:
        """End the thread, unless it hangs in a search."""
        self._closed.set()
        self._scraped.set()
        self._thread.join(PAUSE_SECONDS * 5)

    def _run(self) -> None:
        while True:
            self._scraped.wait()
            self._scraped.clear()
            if self._closed.wait(PAUSE_SECONDS):
                return
            self._runner.refresh()
