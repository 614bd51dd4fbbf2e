"""
What a client asks for: the head of an HTTP/1.1 request, parsed strictly.

https://www.rfc-editor.org/rfc/rfc9112 (message syntax), https://www.rfc-editor.org/rfc/rfc9110
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

MAX_LINE = 8192
"""Bytes of a request line: RFC 9112, section 3, asks for 8000 at least."""
MAX_HEAD = 16384
"""Bytes of request line and headers."""
MAX_HEADERS = 100

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105  # RFC 9110, section 5.6.2, no password
_LINE = re.compile(rf"({_TOKEN}) ([!-~]+) HTTP/(\d)\.(\d)")
_HEADER = re.compile(rf"({_TOKEN}):[ \t]*([\t -~\x80-\xff]*)")
_ABSOLUTE = re.compile(r"https?://[^/?#]*", re.IGNORECASE)
_ONCE = frozenset({"host", "content-length", "authorization"})


class Refused(ValueError):  # noqa: N818  # an answer to the client, not an error of ours
    """A request that gets no more than an error status; the text says why, on one line."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """One request, without the body, which none of our resources takes."""

    method: str
    path: str
    """As sent, without query: no resource has a name that needs decoding."""
    headers: Mapping[str, str]
    """By lower-case name; those sent several times are joined by commas."""
    keep_alive: bool = True
    """Whether another request may follow on the connection."""
    chunked: bool = True
    """Whether the client understands the chunked transfer coding: from HTTP/1.1 on."""

    def header(self, name: str) -> str:
        """Return a header by its lower-case name; empty where it was not sent."""
        return self.headers.get(name, "")


def parse_head(head: bytes) -> Request:
    """
    Parse a request line and headers, without the empty line after them.

    Raises:
        Refused: it is not a request that this server understands.
    """
    line, *rest = head.decode("latin-1").split("\r\n")
    if len(line) > MAX_LINE:
        raise Refused(414, f"the request line is longer than {MAX_LINE} bytes")
    match = _LINE.fullmatch(line)
    if not match:
        raise Refused(400, "the request line is not METHOD TARGET HTTP/1.1")
    method, target, major, minor = match.groups()
    if major != "1":
        raise Refused(505, "this server speaks HTTP/1.1")
    headers = _headers(rest)
    modern = minor != "0"
    if modern and "host" not in headers:
        raise Refused(400, "the Host header is missing")
    path = _ABSOLUTE.sub("", target, count=1).partition("?")[0].partition("#")[0]
    return Request(method, path or "/", headers, modern and _goes_on(headers), modern)


def _headers(lines: list[str]) -> dict[str, str]:
    if len(lines) > MAX_HEADERS:
        raise Refused(431, f"there are more than {MAX_HEADERS} headers")
    headers: dict[str, str] = {}
    for line in lines:
        match = _HEADER.fullmatch(line)
        if not match:
            raise Refused(400, "a header is not NAME: VALUE")
        name, value = match[1].lower(), match[2].rstrip(" \t")
        if name in headers:
            if name in _ONCE:
                raise Refused(400, f"the header {name} was sent twice")
            value = f"{headers[name]}, {value}"
        headers[name] = value
    return headers


def _goes_on(headers: Mapping[str, str]) -> bool:
    """Whether the connection can go on: a body, which nobody reads here, ends it."""
    options = {option.strip() for option in headers.get("connection", "").lower().split(",")}
    body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    return not body and "close" not in options
