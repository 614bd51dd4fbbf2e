"""
An HTTP/1.1 server for GET and HEAD, in a thread for each of a few connections.

Of our own, since ``http.server`` costs a quarter of the memory that the agent may take
(docs/adr/0005).
"""

import logging
import socket
import threading
import time
from types import TracebackType
from typing import Self

from exporters.web.address import listen_on, shown
from exporters.web.connection import Answer, Connection, Patience
from exporters.web.request import Request
from exporters.web.response import Response, plain
from exporters.web.stream import Gone, Stream, Wrap, not_wrapped

log = logging.getLogger(__name__)

MAX_CONNECTIONS = 40
"""As many as node_exporter answers at once."""
MAX_REFUSALS = 16
"""Clients above that which are told so; those above these are cut without a word."""
_GRACE_SECONDS = 0.6
_PAUSE_SECONDS = 0.1
_PATIENCE = Patience()


def busy(_request: Request) -> Response:
    """Send a client away."""
    return plain(503, f"{MAX_CONNECTIONS} connections are open already", [("Retry-After", "1")])


class Server:
    """
    Listens from its construction on, answers from ``start`` to ``close``.

    Args:
        listen: ``HOST:PORT``, ``[IPv6]:PORT``, or ``:PORT`` for all interfaces; port 0 is any.
        answer: makes the response to a request, in the connection's thread.
        wrap: makes a new connection secure.
        patience: for how long clients are waited for.
        scheme: what ``url`` starts with.

    Raises:
        ServeError: it cannot listen there.
    """

    def __init__(
        self,
        listen: str,
        answer: Answer,
        wrap: Wrap = not_wrapped,
        patience: Patience = _PATIENCE,
        scheme: str = "http",
    ) -> None:
        self._listener = listen_on(listen)
        self.address = shown(self._listener)
        """Where it listens, with the real port: ``127.0.0.1:9749``."""
        self.url = f"{scheme}://{self.address}"
        self._answer = answer
        self._wrap = wrap
        self._patience = patience
        self._closing = False
        self._changed = threading.Condition()
        self._open: dict[Connection, Stream] = {}
        self._acceptor = threading.Thread(target=self._accept, name="web", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._acceptor.start()

    def close(self) -> None:
        """Let requests under way end, for less than a second, and cut what is left then."""
        deadline = time.monotonic() + _GRACE_SECONDS
        self._closing = True
        # Unlike close, this wakes a thread that waits in accept.
        Stream(self._listener).cut()
        if self._acceptor.is_alive():
            self._acceptor.join(_GRACE_SECONDS)
        self._listener.close()
        with self._changed:
            for connection in self._open:
                connection.finish()
            self._changed.wait_for(lambda: not self._open, deadline - time.monotonic())
            for stream in self._open.values():
                stream.cut()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _accept(self) -> None:
        while not self._closing:
            try:
                client, _ = self._listener.accept()
            except OSError as error:
                if not self._closing:
                    # Such as EMFILE; it would come back at once.
                    log.warning("cannot accept a connection: %s", error)
                    time.sleep(_PAUSE_SECONDS)
                continue
            self._admit(client)

    def _admit(self, client: socket.socket) -> None:
        """Give a client a thread, or send it away."""
        stream = Stream(client)
        with self._changed:
            if len(self._open) >= MAX_CONNECTIONS + MAX_REFUSALS:
                stream.close()
                return
            full = len(self._open) >= MAX_CONNECTIONS and not self._end_the_idlest()
            connection = Connection(stream, busy if full else self._answer, self._patience)
            self._open[connection] = stream
        if full:
            connection.finish()
        arguments = (connection, stream)
        thread = threading.Thread(target=self._run, args=arguments, name="web client", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            log.warning("no thread for a connection: %s", error)
            self._forget(*arguments)

    def _end_the_idlest(self) -> bool:
        """Make room by ending the connection that has waited longest for a further request."""
        waiting = [(one.idle_since, one) for one in self._open if one.idle_since is not None]
        if not waiting:
            return False
        min(waiting, key=lambda pair: pair[0])[1].finish()
        return True

    def _run(self, connection: Connection, stream: Stream) -> None:
        try:
            stream.wrap(self._wrap, self._patience.head)
            connection.run()
        except Gone as error:
            log.debug("no secure connection: %s", error)
            stream.drain(self._patience.linger)
        finally:
            self._forget(connection, stream)

    def _forget(self, connection: Connection, stream: Stream) -> None:
        stream.close()
        with self._changed:
            del self._open[connection]
            self._changed.notify_all()
