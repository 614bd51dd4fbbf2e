"""
Posts requests to the endpoint over one connection, and says what came back.

By http.client, which follows no redirect and asks no proxy: what is sent goes where the
endpoint says or nowhere.
"""

import socket
import ssl
import threading
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException, HTTPSConnection

from exporters.otlp.options import OtlpOptions, endpoint_of
from exporters.otlp.tls import context_source
from exporters.otlp.verdict import Answer

MAX_ANSWER = 1 << 16
"""No more of an answer is read: it is a few bytes when all is well."""


class Client:
    """A connection to the endpoint that is opened when needed, and kept. For one thread."""

    def __init__(self, options: OtlpOptions, user_agent: str) -> None:
        self._endpoint = endpoint_of(options)
        self._timeout = options.timeout_seconds
        self._context: Callable[[], ssl.SSLContext] | None = None
        if self._endpoint.secure:
            self._context = context_source(options)
        self._headers = {
            **options.headers,
            "Content-Type": "application/x-protobuf",
            "User-Agent": user_agent,
        }
        if options.compression == "gzip":
            self._headers["Content-Encoding"] = "gzip"
        self._connection: HTTPConnection | None = None
        self._socket: socket.socket | None = None
        self._ended = False

    def post(self, body: bytes) -> Answer:
        """
        Send one request and return the answer, whatever its status.

        Raises:
            OSError: nothing came back that could be read, in time or at all.
        """
        kept = self._connection is not None and self._connection.sock is not None
        try:
            return self._post(body)
        except TimeoutError:
            raise
        except OSError:
            # The endpoint may close a kept connection any time; that says nothing of its health.
            if not kept or self._ended:
                raise
        return self._post(body)

    def _post(self, body: bytes) -> Answer:
        late = threading.Event()

        def cut() -> None:
            late.set()
            self._shut()

        # The socket's timeout is for one read, and an answer may trickle in byte by byte.
        timer = threading.Timer(self._timeout, cut)
        timer.daemon = True
        timer.start()
        try:
            connection = self._connected()
            connection.request("POST", self._endpoint.path, body, self._headers)
            answer = self._read(connection)
        except (OSError, HTTPException) as error:
            self.close()
            if late.is_set() or isinstance(error, TimeoutError):
                raise self._too_late() from error
            if isinstance(error, OSError):
                raise
            msg = f"not an HTTP answer: {type(error).__name__} {error}"
            raise OSError(msg) from error
        finally:
            timer.cancel()
        if late.is_set():
            # To http.client the end of what was cut off may look like the end of the answer.
            self.close()
            raise self._too_late()
        return answer

    def _too_late(self) -> TimeoutError:
        return TimeoutError(f"no answer within {self._timeout:g} s")

    def _connected(self) -> HTTPConnection:
        if self._connection is None:
            self._connection = self._open()
        if self._connection.sock is None:
            self._connection.connect()
            # http.client lets go of its socket before it has read the last of an answer.
            self._socket = self._connection.sock
        return self._connection

    def _open(self) -> HTTPConnection:
        host, port = self._endpoint.host, self._endpoint.port
        if self._context is None:
            return HTTPConnection(host, port, timeout=self._timeout)
        return HTTPSConnection(host, port, timeout=self._timeout, context=self._context())

    def _read(self, connection: HTTPConnection) -> Answer:
        response = connection.getresponse()
        body = response.read(MAX_ANSWER)
        if not response.isclosed():
            self.close()
        return Answer(
            status=response.status,
            body=body,
            content_type=response.headers.get("Content-Type", "").lower(),
            retry_after=response.headers.get("Retry-After", ""),
            location=response.headers.get("Location", ""),
        )

    def abort(self) -> None:
        """End the request that is under way for good, from another thread: ``post`` raises."""
        self._ended = True
        self._shut()

    def _shut(self) -> None:
        if self._socket is not None:
            try:
                # Of the plain socket: TLS would first have to agree with the reading thread.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
            except OSError:
                return  # it is closed already

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = self._socket = None
