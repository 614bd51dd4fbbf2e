"""Push mode while its endpoint is away, full, hanging or not an endpoint at all."""

import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

import pytest

from tests.support.otlp_server import OtlpServer, Reply
from tests.support.pushing import numbers, pushing


def refused(server: OtlpServer) -> Callable[[], None]:
    """Return what has the server answer 503 without taking account of the request."""

    def hook(handler: BaseHTTPRequestHandler) -> bool:
        server.arrivals.pop()
        handler.send_response(503)
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return True

    server.hook = hook
    return lambda: setattr(server, "hook", lambda _: False)


def test_goes_away_and_returns() -> None:
    """Within the bound nothing is lost and the order is kept, though pushes fail meanwhile."""
    with OtlpServer() as server:
        with pushing(server.url) as push:
            server.wait(2)
            server.stop()
            push.wait('exports_total{result="retry"}', 1)
            time.sleep(0.3)  # the agent goes on gathering
            server.start()
            server.wait(12)
        arrived = numbers(server)
        dropped = [name for name in push.values() if name.startswith("dropped")]
    # A request whose answer was lost is sent a second time: never a gap, never out of order.
    assert sorted(set(arrived)) == list(dict.fromkeys(arrived)) == list(range(len(set(arrived))))
    assert [] == dropped


def test_drops_the_oldest_and_says_so() -> None:
    """Beyond the bound the oldest go; what is left arrives in order, and the sum is right."""
    with OtlpServer() as server:
        back = refused(server)
        with pushing(server.url, 0.02, buffer_bytes=3000) as push:
            push.wait('dropped_requests_total{reason="buffer_full"}', 3)
            # What is being sent at this moment, one request, comes on top.
            assert 4000 >= int(str(push.values()["buffer_bytes"]))
            back()
            server.wait(1)
        lost = push.values()['dropped_requests_total{reason="buffer_full"}']
    arrived = numbers(server)
    assert list(range(int(arrived[0]), int(arrived[0]) + len(arrived))) == arrived
    assert lost == arrived[0]


def trickle(handler: BaseHTTPRequestHandler) -> bool:
    """Send a header without end, byte by byte."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nX: ")
    while True:
        handler.wfile.write(b"y")
        handler.wfile.flush()
        time.sleep(0.05)


def trickle_body(handler: BaseHTTPRequestHandler) -> bool:
    """Send a body without end, byte by byte, on a connection that ends with it."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    return trickle(handler)


def hang(_handler: BaseHTTPRequestHandler) -> bool:
    """Never answer."""
    threading.Event().wait(20)
    return True


@pytest.mark.parametrize("hook", [hang, trickle, trickle_body])
def test_hanging_endpoint(hook: Callable[[BaseHTTPRequestHandler], bool]) -> None:
    """A request takes no longer than its timeout, and the scrapes go on meanwhile."""
    with OtlpServer() as server:
        server.hook = hook
        started = time.monotonic()
        with pushing(server.url, timeout_seconds=0.4) as push:
            push.wait('exports_total{result="retry"}', 1)
            took = time.monotonic() - started
            server.hook = lambda _: False
            server.wait(6)
    assert 0.3 < took < 2
    first = numbers(server)[1:4]  # the one that hung arrived, too, and comes again
    assert [0, 1, 2] == first


@pytest.mark.parametrize(
    "answer", [b"\0\0\0\0\n\n", b"SSH-2.0-x\r\n", b"HTTP/1.1 999999 \r\n\r\n", b""]
)
def test_not_http(answer: bytes) -> None:
    """An endpoint that speaks something else is a failure to be tried again, no more."""

    def hook(handler: BaseHTTPRequestHandler) -> bool:
        handler.wfile.write(answer)
        handler.close_connection = True
        return True

    with OtlpServer() as server:
        server.hook = hook
        with pushing(server.url, 60) as push:
            push.wait('exports_total{result="retry"}', 1)


def test_close_flushes() -> None:
    """What is kept when the agent ends is tried once more, though the sender was waiting."""
    with OtlpServer() as server:
        server.replies = [Reply(503, {"Retry-After": "600"}, b"")]
        with pushing(server.url, 60) as push:
            push.wait('exports_total{result="retry"}', 1)
            started = time.monotonic()
        took = time.monotonic() - started
    assert [0, 0] == numbers(server)
    assert took < 1


def test_close_is_quick(caplog: pytest.LogCaptureFixture) -> None:
    """Neither a hanging endpoint nor a hanging scrape holds the end up, and losses are told."""
    with OtlpServer() as server:
        server.hook = hang
        with pushing(server.url, 60) as push:
            server.wait(1)
            started = time.monotonic()
        took = time.monotonic() - started
        assert 0.9 < took < 1.9
        send = next(thread for thread in push.pusher._threads if thread.name == "otlp-send")
        send.join(5)
        assert not send.is_alive()
    lost = next(message for message in caplog.messages if "not delivered" in message)
    assert lost.startswith("push: stopped with ")
