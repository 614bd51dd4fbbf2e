"""Runs collectors so that none can spoil the scrape of another."""

import logging
import threading
import time
from collections.abc import Iterable, Mapping

from exporters.core.collector import Collector, Failure, NoData
from exporters.core.lanes import Lanes
from exporters.core.root import Root
from exporters.core.task import Cancelled, Outcome, Task

log = logging.getLogger(__name__)

MAX_STUCK_PER_COLLECTOR = 4


def run(task: Task, outcome: Outcome, root: Root) -> None:
    """Run a collector to its end and turn whatever happens into the outcome."""
    started = root.monotonic()
    name = task.collector.name
    try:
        task.collect(outcome)
    except NoData as error:
        outcome.status, outcome.reason = "absent", str(error)
    except Cancelled:
        return
    except Exception as error:
        outcome.status, outcome.reason = "error", f"{type(error).__name__}: {error}"
        outcome.failures.append(Failure(task.collector.source, error))
        task.invalidate()
        log.warning("%s: %s", name, outcome.reason, exc_info=log.isEnabledFor(logging.DEBUG))
    outcome.seconds = root.monotonic() - started


def search(task: Task, outcome: Outcome, _root: Root) -> None:
    """Look for a collector's sensors anew; what goes wrong shows at the next scrape."""
    try:
        task.search()
    except Exception as error:
        outcome.status = "error"
        task.invalidate()
        log.debug("%s: while searching: %s", task.collector.name, error, exc_info=True)


class Runner:
    """Runs collectors with a shared deadline. One scrape at a time: see ``SingleFlight``."""

    def __init__(
        self,
        collectors: Iterable[Collector],
        root: Root,
        timeout_seconds: float,
        rediscover_seconds: float = 60.0,
    ) -> None:
        self.root = root
        self._tasks = [Task(collector, root, rediscover_seconds) for collector in collectors]
        self._lanes = Lanes(root)
        self._timeout_seconds = timeout_seconds
        self._turn = threading.Lock()

    @property
    def collectors(self) -> tuple[Collector, ...]:
        """The collectors that it runs, in their order."""
        return tuple(task.collector for task in self._tasks)

    def close(self) -> None:
        """End the threads that have nothing to do."""
        self._lanes.close()

    def invalidate(self) -> None:
        """Have every collector look for its sensors anew, since a device came or went."""
        for task in self._tasks:
            task.invalidate()

    def scrape(self, timeout_seconds: float | None = None) -> Mapping[str, Outcome]:
        """Return the outcome of each collector by its name, within the timeout."""
        seconds = min(timeout_seconds or self._timeout_seconds, self._timeout_seconds)
        with self._turn:
            tasks = [task for task in self._tasks if self._may_run(task)]
            done = self._lanes.run(run, tasks, seconds)
        late = "its turn did not come in time"
        return {
            task.collector.name: self._judge(
                task, done.get(task) or Outcome("timeout", reason=late)
            )
            for task in self._tasks
        }

    def refresh(self) -> None:
        """Look for devices where it is time to, between scrapes: no scrape pays for the search."""
        if not any(task.is_due() for task in self._tasks):
            return
        with self._turn:
            due = [task for task in self._tasks if task.is_due() and self._may_run(task)]
            if due:
                self._lanes.run(search, due, self._timeout_seconds)

    def _may_run(self, task: Task) -> bool:
        """Hold back a collector that hangs elsewhere than in a read, or in too many of them."""
        stuck = self._lanes.stuck(task)
        return len(stuck) < MAX_STUCK_PER_COLLECTOR and all(lane.path for lane in stuck)

    def _judge(self, task: Task, outcome: Outcome) -> Outcome:
        """Call a collector ``timeout`` as long as anything hangs in it, whatever else it gave."""
        if stuck := self._lanes.stuck(task):
            now = time.monotonic()
            outcome.status = "timeout"
            outcome.reason = "; ".join(
                f"{lane.path or 'a call'} has not come back for {now - lane.since:.0f} s"
                for lane in stuck
            )
        return outcome
