"""Agents that are served by https, and a client with or without a certificate of its own."""

import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import trustme

from exporters.web.wiring import web_server
from tests.support.certificates import write
from tests.support.web import Fixed, make_agent

PLACE = b'{place="cpu"} 41.5\n'
Pair = tuple[str, str]


def server_files(ca: trustme.CA, folder: Path) -> Pair:
    """Write ``ca.pem`` and a server's certificate and key; return the paths of those."""
    ca.cert_pem.write_to_path(str(folder / "ca.pem"))
    return write(folder, "server", ca.issue_cert("127.0.0.1", "localhost"))


@contextmanager
def https(ca: trustme.CA, folder: Path, lines: str = "", readings: int = 0) -> Iterator[str]:
    """Serve some readings with these lines of ``tls_server_config``; give the address."""
    server_files(ca, folder)
    config = folder / "web.yml"
    names = "cert_file: server.crt, key_file: server.key"
    config.write_text(f"tls_server_config: {{{names}, {lines}}}\n")
    more = (Fixed(f"core{number}", 1.0) for number in range(readings))
    with web_server(make_agent(Fixed("cpu", 41.5), *more), "127.0.0.1:0", str(config)) as server:
        assert f"https://{server.address}" == server.url
        yield server.address


def context_of(ca: trustme.CA, client: Pair | None = None) -> ssl.SSLContext:
    """Return a client's context that trusts the authority, with the client's certificate."""
    context = ssl.create_default_context()
    ca.configure_trust(context)
    if client:
        context.load_cert_chain(*client)
    return context


def get(address: str, context: ssl.SSLContext) -> int:
    """Scrape by https; return the status, 0 where there was no secure connection."""
    try:
        with urllib.request.urlopen(
            f"https://{address}/metrics", context=context, timeout=10
        ) as answer:
            assert PLACE in answer.read()
            return int(answer.status)
    except (urllib.error.URLError, OSError):
        return 0
