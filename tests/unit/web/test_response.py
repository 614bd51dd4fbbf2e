"""Responses as they go over the wire, read back by http.client."""

import http.client
import io
from collections.abc import Iterable

import pytest

from exporters.web.response import REASONS, Header, Response, plain, wire


class Pipe:
    """As much of a socket as HTTPResponse wants."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def makefile(self, _mode: str) -> io.BytesIO:
        """Give the bytes."""
        return io.BytesIO(self.data)


def read(data: bytes, method: str = "GET") -> tuple[http.client.HTTPResponse, bytes]:
    """Parse a response by the standard library's client."""
    answer = http.client.HTTPResponse(Pipe(data), method=method)  # type: ignore[arg-type]
    answer.begin()
    return answer, answer.read()


def sent(body: bytes | Iterable[bytes], headers: Iterable[Header] = (), **how: bool) -> bytes:
    """Return what goes over the wire for a body."""
    settings = {"bodiless": False, "chunked": True, "keep": True} | how
    return b"".join(wire(Response(200, "text/plain", body, tuple(headers)), **settings))


@pytest.mark.parametrize(
    ("body", "content", "length", "coding"),
    [
        (b"one", b"one", "3", None),
        (b"", b"", "0", None),
        ([b"one"], b"one", "3", None),
        ([b"", b"one", b""], b"one", "3", None),
        ([], b"", "0", None),
        ([b"one", b"", b"two" * 100], b"one" + b"two" * 100, None, "chunked"),
    ],
)
def test_framing(
    body: bytes | Iterable[bytes], content: bytes, length: str | None, coding: str | None
) -> None:
    """A body of one piece has its length; a longer one is chunked, and no chunk ends it early."""
    answer, got = read(sent(body))

    assert content == got
    assert length == answer.getheader("Content-Length")
    assert coding == answer.getheader("Transfer-Encoding")
    assert "keep-alive" == answer.getheader("Connection")


def test_http_1_0() -> None:
    """A client that knows no chunks gets the pieces and then the end of the connection."""
    answer, got = read(sent([b"one", b"two"], chunked=False, keep=False))

    assert b"onetwo" == got
    assert None is answer.getheader("Transfer-Encoding")
    assert "close" == answer.getheader("Connection")


def test_head_makes_no_body() -> None:
    """HEAD gets the headers, and the pieces of a body are not even made."""
    pieces = iter((b"one", b"two"))

    assert sent(pieces, bodiless=True).endswith(b"\r\n\r\n")
    assert [b"one", b"two"] == list(pieces)
    answer, got = read(sent(b"one", bodiless=True), "HEAD")
    assert (b"", "3") == (got, answer.getheader("Content-Length"))


def test_a_configured_header_replaces_ours() -> None:
    """Of two headers with one name the later is sent, once."""
    data = sent(b"", [("x-content-type-options", "other")])

    assert 1 == data.lower().count(b"x-content-type-options")
    assert b"x-content-type-options: other\r\n" in data


def test_plain() -> None:
    """An error says its status and why, on one line."""
    answer = plain(404, "see / for what there is")

    assert b"404 Not Found: see / for what there is\n" == answer.body
    assert REASONS.items() <= {**http.client.responses, 414: "URI Too Long"}.items()
