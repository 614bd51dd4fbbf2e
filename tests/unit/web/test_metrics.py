"""What /metrics takes from a request and does to a body."""

import gzip

import pytest

from exporters.web.metrics import compress, metrics, timeout_of
from exporters.web.request import Request
from tests.support.web import Fixed, make_agent


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("10", 9.5),
        ("10.000000", 9.5),
        ("2", 1.5),
        ("1", 0.75),
        ("0.1", 0.075),
        ("", None),
        ("soon", None),
        ("0", None),
        ("-1", None),
        ("nan", None),
        ("inf", None),
        ("1e400", None),
    ],
)
def test_timeouts(header: str, seconds: float | None) -> None:
    """Half a second, or a quarter of a short time, is kept for the way back."""
    assert (None if seconds is None else pytest.approx(seconds)) == timeout_of(header)


def test_gzip_of_pieces() -> None:
    """Compressed pieces are one gzip stream, and are not handed on in crumbs."""
    pieces = [b"%d " % number * 9_000 for number in range(40)]
    packed = list(compress(pieces))

    assert b"".join(pieces) == gzip.decompress(b"".join(packed))
    assert len(packed) < len(pieces)


def test_a_failed_flight_is_flown_again() -> None:
    """Who waited for another client's scrape, which failed, gets one of its own."""
    agent = make_agent(Fixed("cpu", 1.0))
    scrape, asked = agent.scrape, []

    def first_fails(timeout_seconds: float | None) -> object:
        asked.append(timeout_seconds)
        if len(asked) == 1:
            msg = "the scrape that this one waited for failed"
            raise RuntimeError(msg)
        return scrape(timeout_seconds)

    agent.scrape = first_fails  # type: ignore[assignment]
    request = Request("GET", "/metrics", {"x-prometheus-scrape-timeout-seconds": "4"})

    assert 200 == metrics(agent, request).status
    assert [3.5, 3.5] == asked


def test_head_reads_no_sensor() -> None:
    """HEAD costs the node nothing."""
    agent = make_agent(Fixed("cpu", 1.0, before=lambda: pytest.fail("a sensor was read")))

    assert 200 == metrics(agent, Request("HEAD", "/metrics", {})).status
    assert None is agent.last
