"""One collector at work: what it found to read, and one run over it."""

import errno
import logging
import math
from dataclasses import dataclass, field
from typing import Literal

from exporters.core.collector import Collector, Failure, NoData, Sensor
from exporters.core.metric import Sample
from exporters.core.root import Root

log = logging.getLogger(__name__)

Status = Literal["ok", "absent", "error", "timeout"]
STATUSES: tuple[Status, ...] = ("ok", "absent", "error", "timeout")

# What a read answers when its device has gone: looking again may find it elsewhere.
GONE = frozenset({errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ESTALE})
# A folder that could not be looked into is tried again sooner than all is looked for anew.
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
        self._stale = True
        self._due = -math.inf
        self._failing: frozenset[str] = frozenset()

    def invalidate(self) -> None:
        """Look for sensors anew at the next run; also when told so in the middle of a search."""
        self._stale = True

    def run(self, outcome: Outcome) -> None:
        """Run the collector to its end and turn whatever happens into the outcome."""
        started = self._root.monotonic()
        try:
            self._collect(outcome)
        except NoData as error:
            outcome.status, outcome.reason = "absent", str(error)
        except Cancelled:
            return
        except Exception as error:
            outcome.status = "error"
            outcome.reason = f"{type(error).__name__}: {error}"
            outcome.failures.append(Failure(self.collector.source, error))
            self._stale = True
            log.warning("collector %s: %s", self.collector.name, outcome.reason)
            log.debug("collector %s failed", self.collector.name, exc_info=True)
        outcome.seconds = self._root.monotonic() - started

    def _collect(self, outcome: Outcome) -> None:
        if self._stale or self._root.monotonic() >= self._due:
            self._discover()
        self._read(outcome)
        failing = frozenset(failure.where for failure in outcome.failures)
        gone = any(getattr(failure.error, "errno", None) in GONE for failure in outcome.failures)
        if gone and failing != self._failing:
            self._discover()
            outcome.samples.clear()
            outcome.failures.clear()
            self._read(outcome)
        self._failing = frozenset(failure.where for failure in outcome.failures)
        if outcome.failures and not outcome.samples:
            first = outcome.failures[0]
            outcome.status, outcome.reason = "error", f"{first.where}: {first.error}"

    def _discover(self) -> None:
        self._stale, self._due = False, -math.inf
        sensors = list(self.collector.discover(self._root))
        if not sensors:
            msg = f"nothing at {self.collector.source}"
            raise NoData(msg)
        self._sensors = sensors
        wait = self._rediscover_seconds
        if any(isinstance(sensor, Failure) for sensor in sensors):
            wait = min(wait, RETRY_SECONDS)
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
