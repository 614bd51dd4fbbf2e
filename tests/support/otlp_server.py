"""An OTLP/HTTP endpoint that decodes what it gets, and that can misbehave in every way."""

import gzip
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)


@dataclass(frozen=True)
class Reply:
    """One prepared reply."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = ExportMetricsServiceResponse().SerializeToString()


@dataclass(frozen=True)
class Arrival:
    """One request that arrived."""

    path: str
    headers: dict[str, str]
    """By lower-case name."""
    request: ExportMetricsServiceRequest

    def values(self, name: str) -> list[float]:
        """Return the values of a gauge or sum, by its OTLP name."""
        return [
            point.as_double if point.HasField("as_double") else point.as_int
            for group in self.request.resource_metrics
            for scope in group.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in [*metric.gauge.data_points, *metric.sum.data_points]
        ]


class OtlpServer:
    """
    Listens on loopback from ``start`` (or ``with``) until ``stop``; it may start again.

    ``replies`` are given in turn, then ``Reply()``; ``hook`` may do something else with the
    handler of a request and return True.
    """

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.replies: list[Reply] = []
        self.arrivals: list[Arrival] = []
        self.connections = 0
        self.hook: Callable[[BaseHTTPRequestHandler], bool] = lambda _: False
        self.port = 0
        self._context = context
        self._changed = threading.Condition()
        self._server: ThreadingHTTPServer | None = None
        self._sockets: list[socket.socket] = []

    @property
    def url(self) -> str:
        """The endpoint, without a path."""
        return f"{'https' if self._context else 'http'}://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Listen, on the port of last time if there was one."""
        outer = self

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False

            def get_request(self) -> tuple[socket.socket, Any]:
                connection, address = super().get_request()
                outer.connections += 1
                outer._sockets.append(connection)
                return connection, address

            def handle_error(self, request: Any, client_address: Any) -> None:
                """A client that goes away is no error of this server's."""

        self._server = Server(("127.0.0.1", self.port), self._handler())
        if self._context:
            self._server.socket = self._context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        """Refuse and cut connections from now on."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        self.cut()

    def cut(self) -> None:
        """Cut all connections; new ones are welcome."""
        connections, self._sockets = self._sockets, []
        for connection in connections:
            try:
                socket.socket.shutdown(connection, socket.SHUT_RDWR)
            except OSError:
                continue  # it is closed already

    def wait(self, count: int, seconds: float = 10.0) -> list[Arrival]:
        """Return the arrivals once there are so many; fail if there are not in time."""
        with self._changed:
            enough = self._changed.wait_for(lambda: len(self.arrivals) >= count, seconds)
            assert enough, f"{len(self.arrivals)} of {count} requests arrived in {seconds} s"
            return list(self.arrivals)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _arrived(self, arrival: Arrival) -> Reply:
        with self._changed:
            self.arrivals.append(arrival)
            self._changed.notify_all()
            return self.replies.pop(0) if self.replies else Reply()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name
                """Say nothing."""

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = ExportMetricsServiceRequest.FromString(body)
                reply = outer._arrived(Arrival(self.path, headers, request))
                if outer.hook(self):
                    return
                self.send_response(reply.status)
                given = {"Content-Type": "application/x-protobuf", **reply.headers}
                for name, value in given.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

        return Handler
