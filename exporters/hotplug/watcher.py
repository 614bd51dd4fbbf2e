"""Turns bursts of uevents into one call that has sensors looked for anew."""

import logging
import os
import select
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from exporters.core.metric import Kind, Metric, Sample, Unit
from exporters.hotplug.choose import NONE, Source
from exporters.hotplug.events import LOST, Event, Events

log = logging.getLogger(__name__)

# Classes and buses whose devices collectors read, or whose coming brings such devices.
SUBSYSTEMS = frozenset({
    "block", "cpu", "devfreq", "devfreq-event", "drm", "host1x", "hwmon", "i2c", "iio",
    "intel_rapl", "net", "node", "nvidia", "nvme", "pci", "platform", "powercap", "pwm", "thermal",
})  # fmt: skip
# "change" is not among them: alarms and trip points send it, and no sensor comes or goes with it.
ACTIONS = frozenset({"add", "remove", "move", "online", "offline", "bind", "unbind"})
ALL_ACTIONS = (*sorted(ACTIONS), "change", "other", LOST)

# A device appears in several steps, each an event; when it is quiet for so long, it is whole.
QUIET_SECONDS = 0.2
# Where it never gets quiet, sensors are looked for all the same.
LATEST_SECONDS = 2.0

EVENTS = Metric(
    "hotplug_events",
    Kind.COUNTER,
    Unit.NONE,
    "Kernel events on devices that may have sensors; lost: times that the kernel dropped some.",
    ("action",),
)
SOURCE = Metric(
    "hotplug_source",
    Kind.INFO,
    Unit.NONE,
    "Who hears of devices that come and go; with none they are found by looking, slowly.",
    ("source",),
)
METRICS = (EVENTS, SOURCE)


class Watcher:
    """
    Listens in a thread of its own until ``close``, and counts what it hears.

    Args:
        source: who hears for us; it is closed with the watcher.
        changed: called once after each burst; must be quick and must not raise.
    """

    def __init__(self, source: Source, changed: Callable[[], None]) -> None:
        self.source = source.name
        """``pyudev``, ``netlink``, or ``none`` from the moment that nothing is heard any more."""
        self.reason = source.reason
        """Why the source is none, for people."""
        self._counts: Counter[str] = Counter()
        self._events = source.events
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._thread: threading.Thread | None = None
        if self._events is not None:
            arguments = (self._events, changed)
            self._thread = threading.Thread(
                target=self._run, args=arguments, name="hotplug", daemon=True
            )
            self._thread.start()

    def samples(self) -> Iterator[Sample]:
        """Yield what was heard so far."""
        yield SOURCE.sample(1, source=self.source)
        if self._events is not None:
            for action in ALL_ACTIONS:
                yield EVENTS.sample(self._counts[action], action=action)

    def close(self) -> None:
        """Stop listening; returns within a second. Once is enough, twice is no error."""
        if self._wake < 0:
            return
        os.eventfd_write(self._wake, 1)
        if self._thread is not None:
            self._thread.join(1.0)
        # A thread that has not ended would meet strangers' descriptors.
        if self._thread is None or not self._thread.is_alive():
            os.close(self._wake)
            if self._events is not None:
                self._events.close()
        self._wake = -1

    def _run(self, events: Events, changed: Callable[[], None]) -> None:
        try:
            self._listen(events, changed)
        except OSError as error:
            self.reason = f"{self.source}: {error}"
            self.source = NONE
            log.warning("no more uevents, devices are found slowly from now on: %s", error)

    def _listen(self, events: Events, changed: Callable[[], None]) -> None:
        """Wait for events, and for quiet after them, until woken to end."""
        poll = select.poll()
        poll.register(events.fileno(), select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        burst = Burst(time.monotonic)
        while True:
            ready = {descriptor for descriptor, _ in poll.poll(burst.wait_milliseconds())}
            if self._wake in ready:
                return
            if events.fileno() in ready and self._count(events.receive()):
                burst.extend()
            if burst.is_over():
                burst.end()
                changed()

    def _count(self, events: Iterable[Event]) -> bool:
        """Count the events on devices that matter; return whether sensors may have changed."""
        changed = False
        for action, subsystem, devpath in events:
            if action != LOST and subsystem not in SUBSYSTEMS:
                continue
            log.debug("%s %s", action, devpath)
            self._counts[action if action in ALL_ACTIONS else "other"] += 1
            changed = changed or action in ACTIONS or action == LOST
        return changed


class Burst:
    """When a burst of events began, and when it counts as over."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._latest: float | None = None
        self._due = 0.0

    def extend(self) -> None:
        """Take account of one more event."""
        now = self._clock()
        if self._latest is None:
            self._latest = now + LATEST_SECONDS
        self._due = min(now + QUIET_SECONDS, self._latest)

    def wait_milliseconds(self) -> float | None:
        """Return how long to wait for the burst's end; None without a burst."""
        if self._latest is None:
            return None
        return max(0.0, (self._due - self._clock()) * 1000)

    def is_over(self) -> bool:
        """Whether there was a burst and it is over."""
        return self._latest is not None and self._clock() >= self._due

    def end(self) -> None:
        """Forget the burst."""
        self._latest = None
