"""From uevents to one call for a burst."""

import os
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence

import pytest

from exporters.core.histogram import HistogramValue
from exporters.hotplug import Watcher, open_events
from exporters.hotplug.choose import Source
from exporters.hotplug.events import LOST, Event
from exporters.hotplug.watcher import METRICS, QUIET_SECONDS, Burst
from tests.support.uevents import CPU, NULL, cause, descriptors, need_uevents

HWMON = Event("add", "hwmon", "/devices/x/hwmon/hwmon1")


class Told:
    """Events that a test puts in, behind a descriptor as a socket's."""

    def __init__(self) -> None:
        self._descriptor = os.eventfd(0, os.EFD_NONBLOCK)
        self._queue: deque[Event | OSError] = deque()

    def tell(self, *events: Event | OSError) -> None:
        """Put events in."""
        self._queue.extend(events)
        os.eventfd_write(self._descriptor, 1)

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._descriptor

    def receive(self) -> Sequence[Event]:
        """Return what was put in."""
        os.eventfd_read(self._descriptor)
        found = []
        while self._queue:
            event = self._queue.popleft()
            if isinstance(event, OSError):
                raise event
            found.append(event)
        return found

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._descriptor)


class Calls:
    """Counts calls, and lets a test wait for them."""

    def __init__(self) -> None:
        self._released = threading.Semaphore(0)

    def __call__(self) -> None:
        """Count one more."""
        self._released.release()

    def came(self, seconds: float) -> bool:
        """Wait for one call; return whether it came."""
        return self._released.acquire(timeout=seconds)


@pytest.fixture
def told() -> Told:
    """Return a source that the test fills."""
    return Told()


@pytest.fixture
def calls() -> Calls:
    """Return what the watcher calls."""
    return Calls()


@pytest.fixture
def watcher(told: Told, calls: Calls) -> Iterator[Watcher]:
    """Watch the source that the test fills."""
    watching = Watcher(Source("told", told), calls)
    yield watching
    watching.close()


def counts(watcher: Watcher) -> dict[str, float]:
    """Return what was counted, without zeros."""
    found = {}
    for series, value in watcher.samples():
        if series.metric.name == "tailsight_hotplug_events_total" and value:
            assert not isinstance(value, HistogramValue)
            found[series.values[0]] = value
    return found


def test_burst(watcher: Watcher, told: Told, calls: Calls) -> None:
    """Many events at once have sensors looked for once."""
    told.tell(*[HWMON] * 50)
    assert calls.came(5.0)
    assert not calls.came(2 * QUIET_SECONDS)
    assert {"add": 50.0} == counts(watcher)


def test_events_that_do_not_matter(watcher: Watcher, told: Told, calls: Calls) -> None:
    """No sensor comes with a loudspeaker; an alarm (change) is counted but brings none either."""
    told.tell(Event("add", "sound", "/devices/y"), Event("change", "hwmon", "/devices/x"))
    told.tell(Event("explode", "hwmon", "/devices/x"))
    assert not calls.came(3 * QUIET_SECONDS)
    assert {"change": 1.0, "other": 1.0} == counts(watcher)


def test_lost_events(watcher: Watcher, told: Told, calls: Calls) -> None:
    """After events were lost anything may have changed."""
    told.tell(Event(LOST, "", ""))
    assert calls.came(5.0)
    assert {"lost": 1.0} == counts(watcher)


def test_source_that_fails(
    watcher: Watcher, told: Told, calls: Calls, caplog: pytest.LogCaptureFixture
) -> None:
    """A source that fails for good ends the thread, and the state says why."""
    told.tell(OSError(5, "Input/output error"))
    assert watcher._thread is not None
    watcher._thread.join(5.0)
    assert not watcher._thread.is_alive()
    assert ("none", "told: [Errno 5] Input/output error") == (watcher.source, watcher.reason)
    assert "devices are found slowly from now on" in caplog.text
    assert not calls.came(0)


def test_close(told: Told, calls: Calls) -> None:
    """Closing while nothing happens takes less than a second, and twice is no error."""
    before = descriptors()
    watcher = Watcher(Source("told", told), calls)
    started = time.monotonic()
    watcher.close()
    watcher.close()
    assert time.monotonic() - started < 1.0
    assert "hotplug" not in {thread.name for thread in threading.enumerate()}
    assert before - 1 == descriptors()  # the source's own


def test_nothing_to_hear(calls: Calls) -> None:
    """Without a source there is no thread and no counter, but the state."""
    watcher = Watcher(open_events("off"), calls)
    samples = [(series.prefix, value) for series, value in watcher.samples()]
    watcher.close()
    assert [('tailsight_hotplug_source_info{source="none"} ', 1)] == samples


def test_metrics_are_declared(watcher: Watcher) -> None:
    """Every family that it gives is in METRICS, from which the documentation is made."""
    assert set(METRICS) == {series.metric for series, _ in watcher.samples()}


@pytest.mark.parametrize("choice", ["pyudev", "netlink"])
def test_real_events(choice: str, calls: Calls) -> None:
    """A CPU's event has sensors looked for within a second; one of /dev/null does not."""
    need_uevents()
    watcher = Watcher(open_events(choice), calls)
    try:
        cause(NULL)
        assert not calls.came(2 * QUIET_SECONDS)
        cause(CPU)
        assert calls.came(1.0)
        assert choice == watcher.source
    finally:
        watcher.close()


class Clock:
    """A clock that a test sets."""

    seconds = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.seconds


def test_quiet_ends_a_burst() -> None:
    """A burst is over when nothing came for 0.2 seconds."""
    clock = Clock()
    burst = Burst(clock)
    assert burst.wait_milliseconds() is None
    burst.extend()
    clock.seconds += 0.15
    burst.extend()
    clock.seconds += 0.15
    assert not burst.is_over()
    assert 50 == pytest.approx(burst.wait_milliseconds())
    clock.seconds += 0.0501
    assert burst.is_over()
    burst.end()
    assert burst.wait_milliseconds() is None
    assert not burst.is_over()


def test_a_burst_without_end_is_cut() -> None:
    """Events that never stop delay the call by two seconds at most."""
    clock = Clock()
    burst = Burst(clock)
    for _ in range(19):
        burst.extend()
        clock.seconds += 0.1
        assert not burst.is_over()
    clock.seconds += 0.11
    burst.extend()
    assert burst.is_over()
