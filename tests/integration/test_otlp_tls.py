"""Push mode over TLS: who is trusted, who is asked, and what happens when files change."""

import socket
import ssl
from pathlib import Path
from typing import Any

import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from exporters.otlp.options import OtlpOptions
from exporters.otlp.pusher import Pusher
from tests.support.otlp_server import OtlpServer
from tests.support.pushing import NAME, pushing

RETRIED = 'exports_total{result="retry"}'


class Keys:
    """An authority, a server that it vouches for, and a client, in files."""

    def __init__(self, folder: Path, server_name: str = "127.0.0.1") -> None:
        self.authority = trustme.CA()
        self.ca = str(folder / "ca.pem")
        self.certificate = str(folder / "client.pem")
        self.key = str(folder / "client.key")
        self.authority.cert_pem.write_to_path(self.ca)
        self.write_client(self.authority)
        self.server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.authority.issue_cert(server_name).configure_cert(self.server)

    def write_client(self, authority: trustme.CA) -> None:
        """Write a client certificate of this authority."""
        client = authority.issue_cert("edge-7")
        client.cert_chain_pems[0].write_to_path(self.certificate)
        client.private_key_pem.write_to_path(self.key)

    def ask_client(self) -> None:
        """Have the server take only clients of the authority."""
        self.authority.configure_trust(self.server)
        self.server.verify_mode = ssl.CERT_REQUIRED


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    """Make keys in a folder of the test."""
    return Keys(tmp_path)


def test_trusted_server(keys: Keys) -> None:
    """With its authority in ca-file the endpoint is trusted."""
    with OtlpServer(keys.server) as server, pushing(server.url, ca_file=keys.ca):
        assert [0.0] == server.wait(2)[0].values(NAME)


def test_client_certificate(keys: Keys) -> None:
    """An endpoint that asks for a certificate gets it."""
    keys.ask_client()
    given: dict[str, Any] = {
        "ca_file": keys.ca,
        "cert_file": keys.certificate,
        "key_file": keys.key,
    }
    with OtlpServer(keys.server) as server, pushing(server.url, **given):
        server.wait(2)
    assert 1 == server.connections


def test_unknown_server(keys: Keys, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing is sent to an endpoint that no authority of the system vouches for."""
    with OtlpServer(keys.server) as server, pushing(server.url) as push:
        push.wait(RETRIED, 1)
        assert [] == server.arrivals
    assert "CERTIFICATE_VERIFY_FAILED" in caplog.text


def test_server_of_another_name(tmp_path: Path) -> None:
    """A certificate for another host does not do."""
    keys = Keys(tmp_path, server_name="collector.example")
    with OtlpServer(keys.server) as server, pushing(server.url, ca_file=keys.ca) as push:
        push.wait(RETRIED, 1)
        assert [] == server.arrivals


def test_missing_client_certificate(keys: Keys) -> None:
    """Without the certificate that it asks for the endpoint takes nothing; it is tried again."""
    keys.ask_client()
    with OtlpServer(keys.server) as server, pushing(server.url, ca_file=keys.ca) as push:
        push.wait(RETRIED, 1)
        assert [] == server.arrivals


def test_rotated_files(keys: Keys) -> None:
    """A certificate that was replaced is used without a restart, and none of the data is lost."""
    keys.ask_client()
    keys.write_client(trustme.CA())
    given: dict[str, Any] = {
        "ca_file": keys.ca,
        "cert_file": keys.certificate,
        "key_file": keys.key,
    }
    with OtlpServer(keys.server) as server, pushing(server.url, **given) as push:
        push.wait(RETRIED, 1)
        keys.write_client(keys.authority)
        assert [0.0] == server.wait(1)[0].values(NAME)


def test_no_handshake() -> None:
    """An endpoint that takes connections and never says a word costs one timeout."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}"
        with pushing(url, 60, timeout_seconds=0.3) as push:
            push.wait(RETRIED, 1)


def test_unusable_files(keys: Keys, tmp_path: Path) -> None:
    """A missing, foreign or encrypted file is refused at the start, in one line that names it."""
    nonsense = tmp_path / "nonsense.pem"
    nonsense.write_text("no certificate")
    locked = tmp_path / "locked.key"
    key = load_pem_private_key(Path(keys.key).read_bytes(), password=None)
    locked.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"a password"))
    )
    cases: list[dict[str, Any]] = [
        {"ca_file": str(tmp_path / "missing.pem")},
        {"ca_file": str(nonsense)},
        {"cert_file": str(nonsense)},
        {"cert_file": keys.certificate},
        {"cert_file": keys.certificate, "key_file": str(locked)},
    ]
    for given in cases:
        options = OtlpOptions(endpoint="https://c", **given)
        with pytest.raises(ValueError, match=r"^otlp: the certificates in [^\n]+\Z") as caught:
            Pusher(options, {}, "1")
        assert all(path in str(caught.value) for path in given.values())
