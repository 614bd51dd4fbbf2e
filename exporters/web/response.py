"""What a client gets: a status, headers and a body, which may come in pieces."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

REASONS = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    414: "URI Too Long",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
    505: "HTTP Version Not Supported",
}
TEXT = "text/plain; charset=utf-8"
Header = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Response:
    """One response; its headers leave out what the connection adds: length, date, persistence."""

    status: int
    content_type: str
    body: bytes | Iterable[bytes]
    """All at once, or pieces that are made while they are sent."""
    headers: Sequence[Header] = ()


def plain(status: int, text: str = "", headers: Sequence[Header] = ()) -> Response:
    """Return a response of one line: the status, and what there is to say of it."""
    line = f"{status} {REASONS[status]}{': ' if text else ''}{text}\n"
    return Response(status, TEXT, line.encode(), headers)


def head(response: Response, extra: Iterable[Header]) -> bytes:
    """Return status line and headers, with the empty line that ends them."""
    headers = (
        ("Content-Type", response.content_type),
        ("Date", time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime())),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
    )
    # Of headers of one name the last one counts: what an operator configured wins.
    merged = {name.lower(): (name, value) for name, value in (*headers, *response.headers, *extra)}
    lines = [f"HTTP/1.1 {response.status} {REASONS[response.status]}"]
    lines += [f"{name}: {value}" for name, value in merged.values()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def wire(response: Response, *, bodiless: bool, chunked: bool, keep: bool) -> Iterator[bytes]:
    """
    Yield a response as it goes over the wire, piece by piece.

    Args:
        response: what to send.
        bodiless: send the head alone, as HEAD wants it.
        chunked: the client understands the chunked coding; else a long body ends with the
            connection, so that ``keep`` must be false.
        keep: the connection goes on.
    """
    persistence = ("Connection", "keep-alive" if keep else "close")
    if bodiless:
        yield _head(response, (*_length(response), persistence))
        return
    body = _pieces(response)
    first, second = next(body, b""), next(body, None)
    if second is None:
        yield _head(response, (("Content-Length", str(len(first))), persistence)) + first
        return
    coding = (("Transfer-Encoding", "chunked"),) if chunked else ()
    frame = _chunk if chunked else bytes
    yield _head(response, (*coding, persistence)) + frame(first)
    yield frame(second)
    yield from map(frame, body)
    if chunked:
        yield _LAST_CHUNK


def _head(response: Response, framing: Iterable[Header]) -> bytes:
    """Return status line and headers, with the empty line that ends them."""
    headers = (
        ("Content-Type", response.content_type),
        ("Date", time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime())),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        *response.headers,
        *framing,
    )
    # Of headers of one name the last one counts: what an operator configured wins.
    merged = {name.lower(): (name, value) for name, value in headers}
    lines = [f"HTTP/1.1 {response.status} {REASONS[response.status]}"]
    lines += [f"{name}: {value}" for name, value in merged.values()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _length(response: Response) -> tuple[Header, ...]:
    body = response.body
    return (("Content-Length", str(len(body))),) if isinstance(body, bytes) else ()


def _chunk(data: bytes) -> bytes:
    """Return data as one chunk of the chunked transfer coding (RFC 9112, section 7.1)."""
    return b"%x\r\n%b\r\n" % (len(data), data)


_LAST_CHUNK = b"0\r\n\r\n"


def _pieces(response: Response) -> Iterator[bytes]:
    """Yield the body's pieces; none of them is empty, since an empty chunk would end the body."""
    body = (response.body,) if isinstance(response.body, bytes) else response.body
    return filter(None, iter(body))
