"""A kubelet that answers one question, well or badly, by real HTTPS."""

import ipaddress
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import trustme
from cryptography import x509

from exporters.host.options import Kubelet
from tests.support.certificates import issue_names

TOKEN = "eyJhbGciOi.very.secret"  # noqa: S105  # of no cluster
Answer = Callable[[BaseHTTPRequestHandler], None]


def listing(*pods: dict[str, Any]) -> bytes:
    """Return a list of pods as the kubelet writes it."""
    return json.dumps(
        {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": pods}
    ).encode()


def answer(status: int, body: bytes = b"", **headers: str) -> Answer:
    """Return an answer with a status and a body."""

    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return send


def raw(*pieces: bytes, between: Callable[[], object] = lambda: None) -> Answer:
    """Return an answer that is these bytes, whatever they are."""

    def send(handler: BaseHTTPRequestHandler) -> None:
        for piece in pieces:
            handler.wfile.write(piece)
            between()

    return send


@dataclass(slots=True)
class FakeKubelet:
    """What it is asked, and what it says next."""

    address: str
    folder: Path
    answer: Answer
    requests: list[tuple[str, str]] = field(default_factory=list)
    """Path and Authorization of each."""
    gone: threading.Event = field(default_factory=threading.Event)
    """Set when the test is over, so that a slow answer ends."""

    def options(self, **changes: str | None) -> Kubelet:
        """Return where it is and what opens it."""
        known = {
            "url": f"https://{self.address}",
            "token_file": str(self.folder / "token"),
            "ca_file": str(self.folder / "ca.pem"),
        }
        return Kubelet(**{**known, **changes})  # type: ignore[arg-type]


@contextmanager
def kubelet(folder: Path, answer: Answer, ca: trustme.CA | None = None) -> Iterator[FakeKubelet]:
    """
    Serve this answer to ``/pods``, by TLS where there is an authority; token and CA in files.

    Its certificate says no more than it must, as those of clusters do.
    """
    (folder / "token").write_text(f"{TOKEN}\n")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            fake.requests.append((self.path, self.headers.get("Authorization", "")))
            with suppress(OSError):  # the client has had enough
                fake.answer(self)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        fake = FakeKubelet(f"127.0.0.1:{server.server_port}", folder, answer)
        if ca:
            ca.cert_pem.write_to_path(str(folder / "ca.pem"))
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            name = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
            context.load_cert_chain(*issue_names(ca, folder, [name]))
            server.socket = context.wrap_socket(
                server.socket, server_side=True, do_handshake_on_connect=False
            )
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield fake
        finally:
            fake.gone.set()
            server.shutdown()
            thread.join()
