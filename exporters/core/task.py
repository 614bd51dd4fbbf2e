"""One collector at work: what it found to read, and one run over it."""

import errno
import math
from dataclasses import dataclass, field
from typing import Literal

from exporters.core.collector import Collector, Failure, NoData, Sensor
from exporters.core.metric import Sample
from exporters.core.root import Root

Status = Literal["ok", "absent", "error", "timeout"]
STATUSES: tuple[Status, ...] = ("ok", "absent", "error", "timeout")

# What a read answers when its device has gone: looking again may find it elsewhere.
GONE = frozenset({errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ESTALE})
# What is absent, or could not be looked into, is looked for sooner than all is looked for anew.
RETRY_SECONDS = 10.0


@dataclass(slots=True)
class Outcome:
    """What one run of one collector gave."""

    status: Status = "ok"
    samples: list[Sample] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    reason: str = ""
    """Why the status is not ok, for people."""
    seconds: float = 0.0
    cancelled: bool = False
    """Set from outside when nobody waits for the run any more; it then reads nothing further."""


class Cancelled(Exception):  # noqa: N818  # not an error: the run was told to stop
    """The run took too long and its result is not wanted any more."""


class Task:
    """A collector and the sensors that it found last."""

    def __init__(self, collector: Collector, root: Root, rediscover_seconds: float) -> None:
        self.collector = collector
        self._root = root
        self._rediscover_seconds = rediscover_seconds
        self._sensors: list[Sensor | Failure] = []
        self._absent: str | None = None
        self._stale = True
        self._due = -math.inf
        self._failing: frozenset[str] = frozenset()
        self._searches = 0

    def invalidate(self) -> None:
        """Look for sensors anew at the next run; also when told so in the middle of a search."""
        self._stale = True

    def collect(self, outcome: Outcome) -> None:
        """
        Read all sensors into the outcome, after looking for them where something has changed.

        Raises:
            NoData: there are none.
            Cancelled: the outcome is not wanted any more.
            Exception: whatever a collector or a parser raises by mistake.
        """
        volatile = self.collector.volatile
        if self._stale or volatile:
            self.search()
        if self._absent is not None:
            raise NoData(self._absent)
        self._read(outcome)
        failing = frozenset(failure.where for failure in outcome.failures)
        gone = any(getattr(failure.error, "errno", None) in GONE for failure in outcome.failures)
        if gone and failing != self._failing and not volatile:
            self.search()
            outcome.samples.clear()
            outcome.failures.clear()
            if self._absent is not None:
                raise NoData(self._absent)
            self._read(outcome)
        self._failing = frozenset(failure.where for failure in outcome.failures)
        if outcome.failures and not outcome.samples:
            first = outcome.failures[0]
            outcome.status, outcome.reason = "error", f"{first.where}: {first.error}"

    def is_due(self) -> bool:
        """Whether it is time to search though nothing is known to have changed."""
        waits = not self._stale and not self.collector.volatile
        return waits and self._root.monotonic() >= self._due

    def search(self) -> None:
        """
        Look for sensors anew.

        Raises:
            Exception: whatever a collector raises by mistake.
        """
        self._stale, self._due = False, -math.inf
        self._searches = mine = self._searches + 1
        absent, sensors = None, list[Sensor | Failure]()
        try:
            sensors = list(self.collector.discover(self._root))
        except NoData as error:
            absent = str(error)
        if mine != self._searches:
            return  # it hung so long that another one was made meanwhile, which knows better
        if not sensors and absent is None:
            absent = f"nothing at {self.collector.source}"
        self._sensors, self._absent = sensors, absent
        soon = self._absent is not None or any(isinstance(one, Failure) for one in self._sensors)
        wait = min(self._rediscover_seconds, RETRY_SECONDS) if soon else self._rediscover_seconds
        self._due = self._root.monotonic() + wait

    def _read(self, outcome: Outcome) -> None:
        root, samples, failures = self._root, outcome.samples, outcome.failures
        for sensor in self._sensors:
            if isinstance(sensor, Failure):
                failures.append(sensor)
                continue
            try:
                found = sensor.read(root)
                for sample in found:
                    _check(sample)
            except (OSError, ValueError) as error:
                if outcome.cancelled:
                    raise Cancelled from None
                failures.append(Failure(sensor.where, error))
            else:
                if outcome.cancelled:
                    raise Cancelled
                samples.extend(found)


def _check(sample: Sample) -> None:
    """
    Let no number pass that would poison what is computed from it.

    Raises:
        ValueError: the value is not a finite number.
    """
    value = sample.value
    if isinstance(value, float) and not math.isfinite(value):
        msg = f"{sample.series.metric.name} would be {value!r}"
        raise ValueError(msg)
