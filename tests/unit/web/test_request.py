"""The head of a request, as RFC 9112 has it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.web.request import MAX_HEADERS, MAX_LINE, Refused, Request, parse_head

HOST = b"\r\nHost: node"


def test_what_prometheus_sends() -> None:
    """A scrape's head gives method, path and headers, and keeps the connection."""
    head = (
        b"GET /metrics HTTP/1.1\r\nHost: node:9749\r\nUser-Agent: Prometheus/2.53.0\r\n"
        b"Accept: application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.4\r\n"
        b"Accept-Encoding: gzip\r\nX-Prometheus-Scrape-Timeout-Seconds: 10"
    )
    request = parse_head(head)

    assert ("GET", "/metrics", True, True) == (
        request.method,
        request.path,
        request.keep_alive,
        request.chunked,
    )
    assert "10" == request.header("x-prometheus-scrape-timeout-seconds")
    assert "gzip" == request.header("accept-encoding")
    assert "" == request.header("authorization")


@pytest.mark.parametrize(
    ("target", "path"),
    [
        (b"/metrics?collect[]=cpu", "/metrics"),
        (b"http://node:9749/metrics", "/metrics"),
        (b"HTTP://node", "/"),
        (b"/-/ready#part", "/-/ready"),
        (b"*", "*"),
        (b"//etc/passwd", "//etc/passwd"),
    ],
)
def test_targets(target: bytes, path: str) -> None:
    """A query, and the host of an absolute target (RFC 9112, 3.2.2), are no part of the path."""
    assert path == parse_head(b"GET " + target + b" HTTP/1.1" + HOST).path


@pytest.mark.parametrize(
    ("head", "keep_alive", "chunked"),
    [
        (b"GET / HTTP/1.1" + HOST, True, True),
        (b"GET / HTTP/1.1\r\nConnection: TE, Close" + HOST, False, True),
        (b"GET / HTTP/1.0", False, False),
        (b"GET / HTTP/1.0\r\nConnection: keep-alive", False, False),
        (b"GET / HTTP/1.1\r\nContent-Length: 0" + HOST, True, True),
        (b"GET / HTTP/1.1\r\nContent-Length: 5" + HOST, False, True),
        (b"GET / HTTP/1.1\r\nContent-Length: 0x0" + HOST, False, True),
        (b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked" + HOST, False, True),
    ],
)
def test_persistence(head: bytes, keep_alive: bool, chunked: bool) -> None:  # noqa: FBT001  # a table
    """A body, or the client's wish, ends the connection; HTTP/1.0 knows no chunks."""
    request = parse_head(head)

    assert (keep_alive, chunked) == (request.keep_alive, request.chunked)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"", 400),
        (b"GET", 400),
        (b"GET /", 400),
        (b"GET  / HTTP/1.1" + HOST, 400),
        (b"GET / HTTP/1.1 " + HOST, 400),
        (b"GET / http/1.1" + HOST, 400),
        (b"GET /\x00 HTTP/1.1" + HOST, 400),
        (b"GET /\xff HTTP/1.1" + HOST, 400),
        (b"G(T / HTTP/1.1" + HOST, 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (b"GET / HTTP/1.1", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b", 400),
        (b"GET / HTTP/1.1\r\nHost : node", 400),
        (b"GET / HTTP/1.1\r\n Host: node", 400),
        (b"GET / HTTP/1.1\r\nHost: node\r\n folded", 400),
        (b"GET / HTTP/1.1\r\nHost: node\nX: 1", 400),
        (b"GET / HTTP/1.1\r\nHost: node\rX: 1", 400),
        (b"GET / HTTP/1.1\r\nHost: \x00", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 0" + HOST, 400),
        (b"PRI * HTTP/2.0", 505),
        (b"GET / HTTP/3.0", 505),
        (b"GET /" + b"a" * MAX_LINE + b" HTTP/1.1" + HOST, 414),
        (b"GET / HTTP/1.1" + HOST + b"\r\nA: 1" * MAX_HEADERS, 431),
    ],
)
def test_what_is_no_request(head: bytes, status: int) -> None:
    """What RFC 9112 forbids, or what is too much, is refused with the status that says so."""
    with pytest.raises(Refused) as refused:
        parse_head(head)

    assert status == refused.value.status
    assert "\n" not in str(refused.value)


def test_headers_sent_twice_are_joined() -> None:
    """Lists may be spread over several headers (RFC 9110, section 5.3)."""
    request = parse_head(b"GET / HTTP/1.1\r\nAccept: a\r\naccept:\tb \t" + HOST)

    assert "a, b" == request.header("accept")


@given(st.binary(max_size=200) | st.binary(max_size=80).map(lambda tail: b"GET / HTTP/1.1" + tail))
def test_any_bytes(data: bytes) -> None:
    """Any input is a request without control characters, or is refused."""
    try:
        request = parse_head(data)
    except Refused as refused:
        assert refused.status in {400, 414, 431, 505}  # noqa: PT017  # either way is right
    else:
        assert isinstance(request, Request)
        texts = (request.method, request.path, *request.headers, *request.headers.values())
        assert not any(character in text for text in texts for character in "\r\n\0")
