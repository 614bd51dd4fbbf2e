"""Push mode against a real HTTP endpoint that decodes what it gets, takes it or refuses it."""

import time

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsPartialSuccess,
    ExportMetricsServiceResponse,
)

from exporters.core.agent import Scrape
from exporters.otlp.options import OtlpOptions
from exporters.otlp.pusher import next_tick
from tests.support.otlp_server import OtlpServer, Reply
from tests.support.pushing import NAME, Push, numbers, pushing


def test_request() -> None:
    """The first push comes at once, to the right path, with the right headers, decodable."""
    with OtlpServer() as server, pushing(server.url, 60, headers={"Authorization": "Bearer x"}):
        (arrival,) = server.wait(1, seconds=2)
    assert ("/v1/metrics", [0.0]) == (arrival.path, arrival.values(NAME))
    expected = {
        "content-type": "application/x-protobuf",
        "content-encoding": "gzip",
        "authorization": "Bearer x",
        "user-agent": "tailsight/1.2",
        "host": f"127.0.0.1:{server.port}",
    }
    assert expected.items() <= arrival.headers.items()


def test_without_compression_and_with_a_path() -> None:
    """The endpoint's own path is used as it is."""
    with OtlpServer() as server, pushing(f"{server.url}/api/otlp?t=1", compression="none"):
        arrival = server.wait(1)[0]
    assert "/api/otlp?t=1" == arrival.path
    assert "content-encoding" not in arrival.headers


def test_one_connection() -> None:
    """Pushes share a connection, as the specification asks for."""
    with OtlpServer() as server, pushing(server.url):
        server.wait(5)
    assert 1 == server.connections


def test_the_endpoint_closes_a_kept_connection() -> None:
    """A connection closed while idle costs nothing: no wait, no retry in the counts."""
    with OtlpServer() as server:
        server.replies = [Reply(headers={"Connection": "close"}), Reply()]
        with pushing(server.url, 0.5) as push:
            push.wait('exports_total{result="success"}', 2)
            server.cut()
            push.wait('exports_total{result="success"}', 3)
            assert 'exports_total{result="retry"}' not in push.values()
    assert [0, 1, 2] == numbers(server)[:3]


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after(status: int) -> None:
    """A throttled request is sent again, after the wait that was asked for."""
    with OtlpServer() as server:
        server.replies = [Reply(status, {"Retry-After": "1"}, b"")]
        with pushing(server.url, 60):
            server.wait(1)
            asked = time.monotonic()
            arrivals = server.wait(2)
            waited = time.monotonic() - asked
    assert [0, 0] == [arrival.values(NAME)[0] for arrival in arrivals]
    assert 0.9 < waited < 5


def test_refused() -> None:
    """What is refused for good is not sent again, and is counted."""
    with OtlpServer() as server:
        server.replies = [Reply(400, body=b"\x08\x03\x12\x03bad")]
        with pushing(server.url) as push:
            server.wait(2)
            push.wait('exports_total{result="success"}', 1)
            refusals = push.values()['dropped_requests_total{reason="refused"}']
    assert (1, [0, 1]) == (refusals, numbers(server)[:2])


def test_redirect_is_not_followed() -> None:
    """Nothing reaches the place that a redirect names."""
    with OtlpServer() as elsewhere, OtlpServer() as server:
        server.replies = [Reply(307, {"Location": f"{elsewhere.url}/v1/metrics"})] * 3
        with pushing(server.url):
            server.wait(3)
    assert [] == elsewhere.arrivals


def test_partial_success(caplog: pytest.LogCaptureFixture) -> None:
    """Rejected points are counted and told of, and the request is not sent again."""
    part = ExportMetricsPartialSuccess(rejected_data_points=2, error_message="too many labels")
    body = ExportMetricsServiceResponse(partial_success=part).SerializeToString()
    with OtlpServer() as server:
        server.replies = [Reply(body=body)]
        with pushing(server.url) as push:
            server.wait(2)
            rejected = push.values()['dropped_data_points_total{reason="rejected"}']
    assert (2, [0, 1]) == (rejected, numbers(server)[:2])
    assert f"push to 127.0.0.1:{server.port}: partial: too many labels" in caplog.messages


def test_a_failed_scrape_is_counted() -> None:
    """When nothing could be gathered, nothing is sent, and the next interval is tried."""
    with OtlpServer() as server, pushing(server.url) as push:
        server.wait(1)
        push.agent.error = RuntimeError("the scrape that this one waited for failed")
        push.wait("missed_intervals_total", 2)
        push.agent.error = None
        arrived = len(server.arrivals)
        server.wait(arrived + 2)
    assert sorted(numbers(server)) == numbers(server)


def test_self_metrics_are_pushed() -> None:
    """The pushes themselves say how pushing goes."""
    with OtlpServer() as server, pushing(server.url):
        arrivals = server.wait(3)
    sums = [arrival.values("tailsight.otlp_exports")[0] for arrival in arrivals]
    assert 0 == sums[0] < sums[-1]


@pytest.mark.parametrize(
    ("now", "expected"), [(100.0, 115.0), (114.9, 115.0), (115.0, 130.0), (163.0, 175.0)]
)
def test_ticks_do_not_drift(now: float, expected: float) -> None:
    """Ticks stay on the grid of the first one, and those that were missed are left out."""
    assert expected == next_tick(100.0, now, 15.0)


def test_a_slow_scrape_skips_ticks() -> None:
    """A scrape that takes longer than the interval makes no backlog of scrapes."""
    with OtlpServer() as server:
        push = Push(OtlpOptions(endpoint=server.url, interval_seconds=0.05))

        def slow(timeout: float | None) -> Scrape:
            time.sleep(0.12)
            return push.agent.scrape(timeout)

        push.pusher.start(slow)
        server.wait(3)
        push.pusher.close()
        assert 4 <= int(str(push.values()["missed_intervals_total"]))
