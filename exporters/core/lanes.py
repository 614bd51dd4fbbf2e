"""
Threads that work off tasks, of which some may never come back.

One lane runs all tasks in turn, which costs least while all is well. When a task is slow,
another lane takes over those that wait. When time is up, a lane that has not come back is left
behind: a thread stuck in the kernel cannot be killed, only bounded in number.
"""

import errno
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from exporters.core.collector import Failure
from exporters.core.root import Root
from exporters.core.task import Outcome, Task

# A task that takes longer than this does not keep the others waiting.
PATIENCE_SECONDS = 0.05
# A path whose read was too slow is left alone for so long after that read came back.
SLOW_PATH_SECONDS = 60.0


Work = Callable[[Task, Outcome, Root], None]
"""What is done with a task; it never raises."""


def no_work(_task: Task, _outcome: Outcome, _root: Root) -> None:
    """Do nothing: there was no work yet."""


@dataclass(slots=True, eq=False)
class Lane:
    """A thread and what it does now."""

    thread: threading.Thread | None = None
    task: Task | None = None
    work: Work = no_work
    outcome: Outcome = field(default_factory=Outcome)
    since: float = 0.0
    overtaken: bool = False
    """Another lane was started, so that nobody waits behind this one."""
    left_behind: bool = False
    path: str | None = None
    """What a lane that was left behind hangs at, where it is a file."""


class Lanes:
    """Runs tasks within a deadline and keeps account of the threads that hang."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._changed = threading.Condition()
        self._work: Work = no_work
        self._waiting: deque[Task] = deque()
        self._done: dict[Task, Outcome] = {}
        self._lanes: set[Lane] = set()
        self._stuck: set[Lane] = set()
        self._slow: dict[str, float] = {}
        self._closed = False

    def close(self) -> None:
        """Let the lanes end that have nothing to do; those that hang cannot be helped."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def run(self, work: Work, tasks: Iterable[Task], seconds: float) -> dict[Task, Outcome]:
        """
        Do the work on each task, and return the outcomes there are when the time is up.

        A task that hangs has the outcome ``timeout`` with what it gave before; one whose turn
        did not come has none.
        """
        deadline = time.monotonic() + seconds
        with self._changed:
            self._free_paths()
            self._work, self._done = work, {}
            self._waiting.extend(tasks)
            wanted = len(self._waiting)
            self._add_lane()
            while len(self._done) < wanted and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(min(left, PATIENCE_SECONDS))
                self._overtake()
            self._waiting.clear()
            for lane in [lane for lane in self._lanes if lane.task]:
                self._leave_behind(lane)
            return self._done

    def stuck(self, task: Task) -> list[Lane]:
        """Return the lanes that hang in a task."""
        with self._changed:
            return [lane for lane in self._stuck if lane.task is task]

    def _add_lane(self) -> None:
        """See to it that a lane takes what waits: wake an idle one, or start one."""
        if any(lane.task is None for lane in self._lanes):
            self._changed.notify_all()
            return
        lane = Lane()
        lane.thread = threading.Thread(
            target=self._live, args=(lane,), name="tailsight-lane", daemon=True
        )
        try:
            lane.thread.start()
        except RuntimeError:
            return  # no more threads are to be had: the next scrape tries again
        self._lanes.add(lane)

    def _overtake(self) -> None:
        patient_until = time.monotonic() - PATIENCE_SECONDS
        for lane in [lane for lane in self._lanes if lane.task and not lane.overtaken]:
            if self._waiting and lane.since <= patient_until:
                lane.overtaken = True
                self._add_lane()

    def _leave_behind(self, lane: Lane) -> None:
        task, begun = lane.task, lane.outcome
        if task is None or lane.thread is None:
            return
        lane.left_behind = begun.cancelled = True
        lane.path = self._root.reading(lane.thread.ident)
        self._lanes.discard(lane)
        self._stuck.add(lane)
        failures = list(begun.failures)
        if lane.path:
            self._root.set_stuck(lane.path)
            failures.append(Failure(lane.path, TimeoutError(errno.ETIMEDOUT, "does not return")))
        self._done[task] = Outcome(
            "timeout", list(begun.samples), failures, seconds=time.monotonic() - lane.since
        )

    def _live(self, lane: Lane) -> None:
        """Take tasks as they come; end when left behind, or when another lane is idle, too."""
        while self._take(lane) and lane.task:
            lane.work(lane.task, lane.outcome, self._root)
            if not self._hand_in(lane):
                return

    def _take(self, lane: Lane) -> bool:
        with self._changed:
            idle = [other for other in self._lanes if other.task is None]
            if not self._waiting and len(idle) > 1:
                self._lanes.discard(lane)
                return False
            self._changed.wait_for(lambda: self._waiting or self._closed)
            if self._closed:
                return False
            lane.task, lane.work = self._waiting.popleft(), self._work
            lane.outcome = Outcome()
            lane.since, lane.overtaken = time.monotonic(), False
            return True

    def _hand_in(self, lane: Lane) -> bool:
        with self._changed:
            if lane.left_behind:
                self._stuck.discard(lane)
                if lane.path:
                    self._slow[lane.path] = time.monotonic() + SLOW_PATH_SECONDS
                return False
            if lane.task:
                self._done[lane.task] = lane.outcome
            lane.task = None
            if not self._waiting:
                self._changed.notify_all()
            return True

    def _free_paths(self) -> None:
        now = time.monotonic()
        for path in [path for path, due in self._slow.items() if due <= now]:
            del self._slow[path]
            self._root.set_free(path)
