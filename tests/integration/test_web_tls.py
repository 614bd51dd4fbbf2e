"""HTTPS over real sockets, by clients of the standard library, curl and openssl."""

import ssl
import subprocess
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
import trustme

from exporters.config.load import ConfigError
from exporters.web.connection import Patience
from exporters.web.guard import Guard
from exporters.web.response import Response
from exporters.web.server import Server
from exporters.web.wiring import web_server
from tests.support.certificates import write
from tests.support.https import PLACE, context_of, get, https, server_files
from tests.support.programs import program
from tests.support.web import Fixed, connect, make_agent, talk


@pytest.fixture(scope="module")
def ca() -> trustme.CA:
    """Return an authority."""
    return trustme.CA()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_https(ca: trustme.CA, tmp_path: Path, version: ssl.TLSVersion) -> None:
    """Both versions are spoken, with a certificate that the client can verify."""
    context = context_of(ca)
    context.minimum_version = context.maximum_version = version

    with https(ca, tmp_path) as address:
        assert 200 == get(address, context)


@pytest.mark.parametrize(
    ("lines", "version", "status"),
    [
        ("min_version: TLS13", ssl.TLSVersion.TLSv1_2, 0),
        ("min_version: TLS13", ssl.TLSVersion.TLSv1_3, 200),
        ("max_version: TLS12", ssl.TLSVersion.TLSv1_3, 0),
        ("max_version: TLS12", ssl.TLSVersion.TLSv1_2, 200),
        ("cipher_suites: [TLS_AES_128_GCM_SHA256]", ssl.TLSVersion.TLSv1_2, 0),
        ("cipher_suites: [TLS_AES_128_GCM_SHA256]", ssl.TLSVersion.TLSv1_3, 200),
    ],
)
def test_versions(
    ca: trustme.CA, tmp_path: Path, lines: str, version: ssl.TLSVersion, status: int
) -> None:
    """What the file excludes is not spoken; suites of TLS 1.3 alone leave no TLS 1.2."""
    context = context_of(ca)
    context.minimum_version = context.maximum_version = version

    with https(ca, tmp_path, lines) as address:
        assert status == get(address, context)


def test_inline_certificates(ca: trustme.CA, tmp_path: Path) -> None:
    """Certificate, key and authority may stand in the file itself."""
    config = tmp_path / "inline.yml"
    cert, key = server_files(ca, tmp_path)
    blocks = {"cert": cert, "key": key, "client_ca": str(tmp_path / "ca.pem")}
    text = "tls_server_config:\n  client_auth_type: RequireAndVerifyClientCert\n"
    for name, path in blocks.items():
        lines = Path(path).read_text().splitlines()
        text += f"  {name}: |\n" + "".join(f"    {line}\n" for line in lines)
    config.write_text(text)
    with web_server(make_agent(Fixed("cpu", 41.5)), "127.0.0.1:0", str(config)) as server:
        client = write(tmp_path, "client", ca.issue_cert("x.example"))

        assert [0, 200] == [
            get(server.address, context_of(ca)),
            get(server.address, context_of(ca, client)),
        ]


def test_plain_http_is_told_so(ca: trustme.CA, tmp_path: Path) -> None:
    """A client that forgot the s of https reads why it gets nothing; the next one is served."""
    with https(ca, tmp_path) as address:
        answer = talk(address, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert 200 == get(address, context_of(ca))

    assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert answer.endswith(b"400 Bad Request: this port speaks https\n")


@pytest.mark.parametrize("begin", [b"", b"\x16\x03\x01\x02\x00", b"\x16\x03\x01\xff\xff"])
def test_a_client_that_never_shakes_hands(ca: trustme.CA, tmp_path: Path, begin: bytes) -> None:
    """It holds up nobody, and is cut after the time that a request's head may take."""
    server_files(ca, tmp_path)
    config = tmp_path / "web.yml"
    config.write_text("tls_server_config: {cert_file: server.crt, key_file: server.key}\n")
    guard = Guard(str(config), {})
    answer = partial(guard.answer, lambda _: Response(200, "text/plain", PLACE))
    patience = Patience(head=0.5, linger=0.1)
    with (
        Server("127.0.0.1:0", answer, guard.wrap, patience) as server,
        connect(server.address) as silent,
        suppress(ConnectionResetError),
    ):
        silent.sendall(begin)
        assert 200 == get(server.address, context_of(ca))
        silent.settimeout(4)
        while silent.recv(100):
            pass


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("cert_file: none.crt, key_file: server.key", "none.crt: cannot be read: No such file"),
        ("cert_file: ., key_file: server.key", "cannot be read: Is a directory"),
        ("cert_file: web.yml, key_file: server.key", "no PEM certificate with its PEM key"),
        ("cert_file: server.crt, key_file: other.key", "KEY_VALUES_MISMATCH"),
        ("cert_file: server.crt, key_file: locked.key", "the key is encrypted"),
        (
            (
                "cert_file: server.crt, key_file: server.key, client_ca_file: server.key,"
                " client_auth_type: RequireAndVerifyClientCert"
            ),
            "server.key: no PEM certificate",
        ),
    ],
)
def test_wrong_files(ca: trustme.CA, tmp_path: Path, lines: str, why: str) -> None:
    """A missing, mixed up or locked file is one line that names it, at the start."""
    _, key = server_files(ca, tmp_path)
    write(tmp_path, "other", ca.issue_cert("localhost"))
    openssl = [str(program("openssl")), "pkcs8", "-topk8", "-in", key, "-passout", "pass:x"]
    subprocess.run([*openssl, "-out", str(tmp_path / "locked.key")], check=True, timeout=10)
    config = tmp_path / "web.yml"
    config.write_text(f"tls_server_config: {{{lines}}}\n")
    with pytest.raises(ConfigError) as error:
        web_server(make_agent(), "127.0.0.1:0", str(config))

    assert str(error.value).startswith(f"--web.config.file {config}: ")
    assert why in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("lines", "offer", "agreed"),
    [
        (
            "cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384]",
            ["-tls1_2"],
            "ECDHE-ECDSA-AES256-GCM-SHA384",
        ),
        (
            "cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384]",
            ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"],
            None,
        ),
        ("curve_preferences: [CurveP384]", ["-groups", "P-384:P-256"], "ECDH, secp384r1"),
        ("curve_preferences: [CurveP384]", ["-groups", "P-256"], None),
        ("curve_preferences: [CurveP384]", ["-groups", "X25519"], None),
    ],
)
def test_ciphers_and_curves(
    ca: trustme.CA, tmp_path: Path, lines: str, offer: list[str], agreed: str | None
) -> None:
    """OpenSSL's own client agrees on what the file allows, and on nothing else."""
    with https(ca, tmp_path, lines) as address:
        done = subprocess.run(
            [program("openssl"), "s_client", "-connect", address, *offer],
            input="",
            capture_output=True,
            text=True,
            check=False,
            timeout=20,
        )

    assert (agreed is not None) == (done.returncode == 0)
    assert agreed is None or agreed in done.stdout


def test_the_end_is_said(ca: trustme.CA, tmp_path: Path) -> None:
    """A body that ends with the connection is told from one that was cut (RFC 8446, 6.1)."""
    context = context_of(ca)
    context.options &= ~ssl.OP_IGNORE_UNEXPECTED_EOF
    body = b""
    with (
        https(ca, tmp_path, readings=1500) as address,
        connect(address) as plain,
        context.wrap_socket(
            plain, server_hostname="localhost", suppress_ragged_eofs=False
        ) as client,
    ):
        client.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        while data := client.recv(65536):
            body += data

    assert 1501 == body.count(b"tailsight_demo_temperature_celsius{")


def test_curl(ca: trustme.CA, tmp_path: Path) -> None:
    """Curl verifies the certificate and scrapes a body of several pieces."""
    with https(ca, tmp_path, readings=1500) as address:
        authority, url = str(tmp_path / "ca.pem"), f"https://{address}/metrics"
        done = subprocess.run(
            [program("curl"), "-sS", "--cacert", authority, url],
            check=True,
            capture_output=True,
            timeout=20,
        )

    assert PLACE in done.stdout
    assert 1501 == done.stdout.count(b"tailsight_demo_temperature_celsius{")
