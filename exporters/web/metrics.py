"""``/metrics``: one scrape, in the format and compression that the client asked for."""

import math
import zlib
from collections.abc import Iterable, Iterator

from exporters.core.agent import Agent, Scrape
from exporters.core.exposition import render
from exporters.core.negotiate import OPENMETRICS, TEXT, wants_gzip, wants_openmetrics
from exporters.web.request import Request
from exporters.web.response import Response

TIMEOUT_HEADER = "x-prometheus-scrape-timeout-seconds"
_LEVEL = 1
"""More costs more time than it saves on a network: docs/adr/0005."""
_GZIP = 16 + zlib.MAX_WBITS
_PIECE = 1 << 16
_MOST_MARGIN_SECONDS = 0.5


def metrics(agent: Agent, request: Request) -> Response:
    """Answer with a scrape; HEAD reads no sensor."""
    openmetrics = wants_openmetrics(request.header("accept"))
    gzip = wants_gzip(request.header("accept-encoding"))
    body: Iterable[bytes] = ()
    if request.method != "HEAD":
        scrape = _scrape(agent, timeout_of(request.header(TIMEOUT_HEADER)))
        body = render(scrape.samples, openmetrics=openmetrics)
    return Response(
        200,
        OPENMETRICS if openmetrics else TEXT,
        compress(body) if gzip else iter(body),
        [("Vary", "Accept, Accept-Encoding"), *([("Content-Encoding", "gzip")] if gzip else [])],
    )


def _scrape(agent: Agent, timeout_seconds: float | None) -> Scrape:
    """Scrape; once more where that failed which another client had begun (``SingleFlight``)."""
    try:
        return agent.scrape(timeout_seconds)
    except RuntimeError:
        return agent.scrape(timeout_seconds)


def timeout_of(header: str) -> float | None:
    """
    Return how long a scrape may take for its answer to arrive in time, in seconds.

    Prometheus says in X-Prometheus-Scrape-Timeout-Seconds when it will give up. None where it
    says nothing, or nonsense.
    """
    try:
        seconds = float(header)
    except ValueError:
        return None
    if not math.isfinite(seconds) or seconds <= 0:
        return None
    return seconds - min(_MOST_MARGIN_SECONDS, seconds / 4)


def compress(body: Iterable[bytes]) -> Iterator[bytes]:
    """Yield gzip of a body, in pieces that are worth a packet."""
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    ready: list[bytes] = []
    size = 0
    for piece in body:
        ready.append(compressor.compress(piece))
        size += len(ready[-1])
        if size >= _PIECE:
            yield b"".join(ready)
            ready, size = [], 0
    yield b"".join((*ready, compressor.flush()))
