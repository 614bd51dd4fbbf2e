"""One client's connection: requests in, responses out, each within its time."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from exporters.web.request import MAX_HEAD, MAX_LINE, Refused, Request, parse_head
from exporters.web.response import Response, plain, wire
from exporters.web.stream import Gone, Stream

log = logging.getLogger(__name__)

Answer = Callable[[Request], Response]
_END = b"\r\n\r\n"
_FAILED = plain(500)


@dataclass(frozen=True, slots=True)
class Patience:
    """For how long a client is waited for, in seconds."""

    head: float = 5.0
    """For a TLS handshake, and from the first byte of a request to the last of its head."""
    idle: float = 120.0
    """Between two requests: longer than most scrape intervals, so that connections are kept."""
    send: float = 10.0
    """Until the client has taken one piece of a response (some 100 KB)."""
    linger: float = 0.5
    """After we end a connection, for what the client still sends."""


class Connection:
    """Serves one client, in a thread of its own."""

    def __init__(self, stream: Stream, answer: Answer, patience: Patience) -> None:
        self._stream = stream
        self._answer = answer
        self._patience = patience
        self._received = b""
        self._last = False
        self.idle_since: float | None = None
        """Since when it waits for another request; None before the first and during one."""

    def run(self) -> None:
        """Serve until the client leaves, is too slow, or is not wanted any more."""
        try:
            while self._serve_one() and not self._last:
                self.idle_since = time.monotonic()
        except Gone as error:
            log.debug("a client is gone: %s", error)

    def finish(self) -> None:
        """End it after the response that is under way, or now if there is none."""
        self._last = True
        if self.idle_since is not None:
            self.idle_since = None
            self._stream.cut()

    def _serve_one(self) -> bool:
        """Answer one request; return whether another may follow."""
        try:
            data = self._read_head()
            if data is None:
                return False
            request = parse_head(data)
        except Refused as error:
            self._send(plain(error.status, str(error)), keep=False)
            self._stream.drain(self._patience.linger)
            return False
        response, keep = _FAILED, False
        try:
            response = self._answer(request)
            keep = request.keep_alive and not self._last
        finally:
            # Without an answer the mistake is ours: the client hears of it, then the thread dies
            # of it, which reports it.
            self._send(response, keep=keep, request=request)
        if not keep:
            self._stream.drain(self._patience.linger)
        return keep

    def _read_head(self) -> bytes | None:
        """Return the next request's head; None where the client sends no more."""
        begun = bool(self._received)
        first = self.idle_since is None
        wait = self._patience.head if begun or first else self._patience.idle
        deadline = time.monotonic() + wait
        while _END not in self._received:
            try:
                data = self._stream.receive(deadline)
            except TimeoutError:
                if begun:
                    raise Refused(408, "the request came too slowly") from None
                return None
            self.idle_since = None
            if not data:
                return None
            if not begun:
                begun, deadline = True, time.monotonic() + self._patience.head
            # An empty line before a request is to be ignored (RFC 9112, section 2.2).
            self._received = (self._received + data).lstrip(b"\r\n")
            self._refuse_long()
        self.idle_since = None
        data, _, rest = self._received.partition(_END)
        self._received = rest.lstrip(b"\r\n")
        return data

    def _refuse_long(self) -> None:
        """Raise Refused as soon as a head is too long, however it may go on."""
        if b"\r\n" not in self._received[: MAX_LINE + 2] and len(self._received) > MAX_LINE:
            raise Refused(414, f"the request line is longer than {MAX_LINE} bytes")
        if _END not in self._received[: MAX_HEAD + len(_END)] and len(self._received) > MAX_HEAD:
            raise Refused(431, f"the headers are longer than {MAX_HEAD} bytes")

    def _send(self, response: Response, *, keep: bool, request: Request | None = None) -> None:
        for data in wire(
            response,
            bodiless=request is not None and request.method == "HEAD",
            chunked=request is not None and request.chunked,
            keep=keep,
        ):
            self._stream.send(data, self._patience.send)
