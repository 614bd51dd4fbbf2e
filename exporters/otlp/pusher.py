"""
Push mode: gathers a scrape at every interval and sends it, each in a thread of its own.

Whoever scrapes ``/metrics`` meanwhile shares the scrape and waits for no endpoint.
"""

import logging
import math
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping

from exporters.core import selfmetrics
from exporters.core.agent import Scrape
from exporters.core.metric import Sample
from exporters.otlp import stats
from exporters.otlp.buffer import Buffer, Request
from exporters.otlp.client import Client
from exporters.otlp.encode import Encoder
from exporters.otlp.options import OtlpOptions, check, endpoint_of
from exporters.otlp.sender import Sender
from exporters.otlp.stats import PushStats
from exporters.otlp.tls import check_files

OWN = (*selfmetrics.METRICS, *stats.METRICS)
"""What the agent counts from its start on."""
GRACE_SECONDS = 1.0
_GZIP = 31  # zlib's window bits for a gzip header

log = logging.getLogger(__name__)


def next_tick(started: float, now: float, interval: float) -> float:
    """Return the first tick after now; ticks are at start plus whole intervals, without drift."""
    return started + (math.floor((now - started) / interval) + 1) * interval


class Pusher:
    """
    Pushes scrapes to an endpoint, from ``start`` until ``close``.

    Args:
        options: where and how.
        resource: the resource attributes, see ``resource``.
        version: the agent's.
        now: the time of the node, which points carry.

    Raises:
        ValueError: the options cannot work; one line says why.
    """

    def __init__(
        self,
        options: OtlpOptions,
        resource: Mapping[str, str],
        version: str,
        now: Callable[[], float] = time.time,
    ) -> None:
        check(options)
        endpoint = endpoint_of(options)
        if endpoint.secure:
            check_files(options)
        self._options = options
        self._now = now
        self._stats = PushStats()
        self._encoder = Encoder(resource, version, OWN, now())
        self._buffer = Buffer(
            options.buffer_bytes, options.buffer_seconds, self._stats.dropped, time.monotonic
        )
        self._client = Client(options, f"tailsight/{version}")
        self._closing = threading.Event()
        where = f"{endpoint.host}:{endpoint.port}"
        self._sender = Sender(
            self._buffer, self._client.post, self._stats, self._closing, where, time.time
        )
        self._threads: list[threading.Thread] = []

    def samples(self) -> Iterator[Sample]:
        """Yield what push mode says of itself, for the agent's scrapes."""
        return self._stats.samples(self._buffer.bytes, self._options.buffer_bytes)

    def start(self, scrape: Callable[[float | None], Scrape]) -> None:
        """Gather at once, and then at every interval; push what was gathered."""
        for name, target, arguments in (
            ("otlp-gather", self._gather, (scrape,)),
            ("otlp-send", self._send, ()),
        ):
            thread = threading.Thread(target=target, args=arguments, name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def close(self, grace_seconds: float = GRACE_SECONDS) -> None:
        """
        Stop gathering, try once more to send what is kept, and return within the grace.

        There is no last scrape: with a stuck sensor it would come too late or be half of one.
        """
        self._sender.close()
        deadline = time.monotonic() + grace_seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        if any(thread.is_alive() for thread in self._threads):
            self._client.abort()
        if left := self._buffer.rest():
            log.warning("push: stopped with %d data points not delivered", left)

    def _gather(self, scrape: Callable[[float | None], Scrape]) -> None:
        interval = self._options.interval_seconds
        started = tick = time.monotonic()
        while not self._closing.wait(max(0.0, tick - time.monotonic())):
            try:
                samples = scrape(None).samples
            except RuntimeError as error:
                # Another thread's scrape failed, which this one shared.
                log.warning("push: nothing gathered: %s", error)
                self._stats.missed(1)
            else:
                self._put(samples)
            following = next_tick(started, time.monotonic(), interval)
            self._stats.missed(round((following - tick) / interval) - 1)
            tick = following

    def _send(self) -> None:
        try:
            self._sender.run()
        finally:
            self._client.close()

    def _put(self, samples: Iterable[Sample]) -> None:
        encoded = self._encoder.encode(samples, self._now())
        if not encoded.points:
            return
        body = encoded.body
        if self._options.compression == "gzip":
            body = zlib.compress(body, wbits=_GZIP)
        self._buffer.put(Request(body, encoded.points, time.monotonic()))
