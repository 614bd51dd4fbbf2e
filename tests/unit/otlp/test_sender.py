"""What is sent again, after what wait, and what is counted and said."""

import logging
import threading
from collections.abc import Callable

import pytest

from exporters.otlp.buffer import Buffer, Request
from exporters.otlp.result import Dropped
from exporters.otlp.sender import Sender, backoff
from exporters.otlp.stats import PushStats
from exporters.otlp.verdict import Answer

Step = Answer | OSError


class Endpoint:
    """Gives prepared answers, then 200, and remembers what it got."""

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.got: list[bytes] = []

    def __call__(self, body: bytes) -> Answer:
        """Take one request."""
        self.got.append(body)
        step = self.steps.pop(0) if self.steps else Answer(200)
        if isinstance(step, OSError):
            raise step
        return step


class Waits(threading.Event):
    """What the sender waits on: takes no time, remembers each wait, may act instead."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[float | None] = []
        self.act: Callable[[], object] = list

    def wait(self, timeout: float | None = None) -> bool:
        """Remember the wait."""
        self.asked.append(timeout)
        self.act()
        return self.is_set()


class Bench:
    """A sender in front of an endpoint; the time is 1000 s after the epoch."""

    def __init__(self, *steps: Step) -> None:
        self.endpoint = Endpoint(*steps)
        self.stats = PushStats()
        self.monotonic = 0.0
        self.buffer = Buffer(1000, 60.0, self.stats.dropped, lambda: self.monotonic)
        self.waits = Waits()
        self.sender = Sender(
            self.buffer,
            self.endpoint,
            self.stats,
            self.waits,
            "c:4318",
            now=lambda: 1000.0,
            share=lambda: 0.0,
        )

    def run(self, *bodies: bytes) -> None:
        """Send these bodies, one point each, and end."""
        for body in bodies:
            self.buffer.put(Request(body, 1, self.monotonic))
        self.buffer.close()
        self.sender.run()

    def values(self) -> dict[str, object]:
        """Return the counters that are not 0."""
        samples = self.stats.samples(self.buffer.bytes, 1000)
        return {
            sample.series.prefix.strip().removeprefix("tailsight_otlp_"): sample.value
            for sample in samples
            if sample.value
        }


def test_in_order() -> None:
    """What was gathered first is sent first."""
    bench = Bench()
    bench.run(b"a", b"b")
    assert [b"a", b"b"] == bench.endpoint.got


def test_retried_until_taken() -> None:
    """A retryable failure is sent again, before anything newer, with growing waits."""
    bench = Bench(ConnectionRefusedError("away"), Answer(503), TimeoutError("late"))
    bench.run(b"a", b"b")
    assert [b"a", b"a", b"a", b"a", b"b"] == bench.endpoint.got
    assert [1.0, 2.0, 4.0] == bench.waits.asked
    assert {
        'exports_total{result="retry"}': 3,
        'exports_total{result="success"}': 2,
        "buffer_limit_bytes": 1000,
        "last_success_timestamp_seconds": 1000.0,
    } == bench.values()


def test_success_resets_the_wait() -> None:
    """After a success the next failure waits for a second again."""
    bench = Bench(Answer(503), Answer(503), Answer(200), Answer(503))
    bench.run(b"a", b"b")
    assert [1.0, 2.0, 1.0] == bench.waits.asked


def test_retry_after_is_honoured() -> None:
    """The endpoint's own wait takes the place of ours, in seconds or as a date."""
    date = "Thu, 01 Jan 1970 00:17:10 GMT"  # 1030 seconds after the epoch, and it is 1000
    bench = Bench(Answer(429, retry_after="7"), Answer(503, retry_after=date), Answer(503))
    bench.run(b"a")
    assert [7.0, 30.0, 4.0] == bench.waits.asked


def test_refused_is_dropped() -> None:
    """A final error costs its own request only, which is counted."""
    bench = Bench(Answer(400))
    bench.run(b"a", b"b")
    assert [b"a", b"b"] == bench.endpoint.got
    assert {
        'exports_total{result="refused"}': 1,
        'exports_total{result="success"}': 1,
        'dropped_requests_total{reason="refused"}': 1,
        'dropped_data_points_total{reason="refused"}': 1,
        "buffer_limit_bytes": 1000,
        "last_success_timestamp_seconds": 1000.0,
    } == bench.values()


def test_trouble_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """Attempts that fail alike make one line, and the end of it one more."""
    caplog.set_level(logging.INFO)
    bench = Bench(Answer(401), Answer(401), OSError("no route"), OSError("no route"))
    bench.run(b"a", b"b", b"c", b"d")
    expected = ["refused: HTTP 401", "retry: no route", "works again"]
    assert [f"push to c:4318: {text}" for text in expected] == caplog.messages


def test_close_tries_once_more() -> None:
    """A sender that waits is woken, tries what it has once, and ends at the first failure."""
    bench = Bench(*[Answer(503)] * 5)
    bench.waits.act = bench.sender.close
    bench.run(b"a", b"b")
    assert [b"a", b"a"] == bench.endpoint.got
    assert 2 == bench.buffer.rest()


def test_a_request_that_grows_old_while_waiting() -> None:
    """What the endpoint did not take for too long is dropped and counted."""
    bench = Bench(Answer(503))
    bench.buffer.put(Request(b"old", 1, made=-59.0))

    def two_seconds_later() -> None:
        bench.monotonic = 2.0

    bench.waits.act = two_seconds_later
    bench.run(b"new")
    assert [b"old", b"new"] == bench.endpoint.got
    assert 1 == bench.values()[f'dropped_requests_total{{reason="{Dropped.TOO_OLD}"}}']


def test_backoff_grows_to_half_a_minute() -> None:
    """Waits double from 1 s up to 30 s, and chance takes off up to a half."""
    assert [1, 2, 4, 8, 16, 30, 30] == [backoff(n, 0.0) for n in range(1, 8)]
    assert [0.5, 15.0] == [backoff(1, 1.0), backoff(10**6, 1.0)]
