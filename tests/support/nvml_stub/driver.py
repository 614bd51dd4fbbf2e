"""Runs the NVML collector in a process of its own, as told by lines of JSON on its input."""

import ctypes
import json
import os
import sys
import time
from typing import Any

from exporters.core import Root
from exporters.core.runner import Runner, run
from exporters.core.task import Outcome, Task
from exporters.hardware.nvml import NvmlOptions, parts


class ClockedRoot(Root):
    """A live root whose clock a test can set forward."""

    ahead = 0.0

    def monotonic(self) -> float:
        """Return seconds that only grow."""
        return super().monotonic() + self.ahead


def told(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as JSON can express it."""
    return {
        "status": outcome.status,
        "reason": outcome.reason,
        "values": {sample.series.prefix.rstrip(): sample.value for sample in outcome.samples},
        "failures": [
            [failure.where, str(failure.error), getattr(failure.error, "code", None)]
            for failure in outcome.failures
        ],
    }


class Driver:
    """One agent's worth of the collector."""

    def __init__(self, folder: str, options: dict[str, Any]) -> None:
        self._lost: list[str] = []
        if options.pop("exit_on_lost", False):
            options["on_lost"] = self._lost.append
        timeout = options.pop("timeout", 10.0)
        self._root = ClockedRoot(folder)
        self._parts = parts(NvmlOptions(**options))
        self._runner = Runner(self._parts.collectors, self._root, timeout_seconds=timeout)

    def scrape(self) -> dict[str, Any]:
        """Run the collector once."""
        return self._told(self._runner.scrape()["nvml"])

    def _told(self, outcome: Outcome) -> dict[str, Any]:
        return told(outcome) | {"lost": self._lost, "pynvml": "pynvml" in sys.modules}

    def advance(self, seconds: float) -> None:
        """Set the clock forward, and look for what is due then, as happens after a scrape."""
        self._root.ahead += seconds
        self._runner.refresh()

    def rediscover(self) -> None:
        """Have the next scrape look anew, as a hot-plug event does."""
        self._runner.invalidate()

    def fork(self) -> Any:
        """Scrape in a child that inherited all that is here."""
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            outcome = Outcome()
            # The runner's threads stayed with the parent.
            run(Task(self._parts.collectors[0], self._root, 60.0), outcome, self._root)
            early = self.calls("uninitialized")
            os.write(writer, json.dumps(self._told(outcome) | {"early": early}).encode())
            os._exit(0)
        os.close(writer)
        os.waitpid(child, 0)
        with os.fdopen(reader) as answers:
            return json.load(answers)

    def calls(self, name: str) -> int:
        """Return how often the library was called."""
        return int(ctypes.CDLL("libnvidia-ml.so.1").stub_calls(name.encode()))

    def wait_for(self, name: str, calls: int) -> None:
        """Return when so many more calls were made, in the background."""
        wanted = self.calls(name) + calls
        patience = time.monotonic() + 10.0
        while self.calls(name) < wanted and time.monotonic() < patience:
            time.sleep(0.005)

    def close(self) -> float:
        """Close the background parts; return how long it took."""
        started = time.monotonic()
        self._parts.close()
        return time.monotonic() - started


def main() -> None:
    """Answer each request with one line."""
    driver = Driver(sys.argv[1], json.loads(sys.argv[2]))
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        answer = getattr(driver, name)(*arguments)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
