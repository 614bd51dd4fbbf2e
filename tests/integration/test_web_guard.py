"""Basic auth, headers and rate limit over real sockets, and what happens when the file changes."""

import logging
import os
import ssl
from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import trustme

from exporters.config.load import ConfigError
from exporters.web.server import Server
from exporters.web.wiring import web_server
from tests.support.certificates import write
from tests.support.web import Fixed, connect, fetch, make_agent

# exporter-toolkit's handler_test.go has alice with alice123; jBCrypt's tests abc.
ALICE = "$2y$12$1DpfPeqF9HzHJt.EWswy1exHluGfbhnn3yXhR7Xes6m3WJqFg0Wby"
ABC = "$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i"
PATHS = ("/", "/metrics", "/-/healthy", "/-/ready", "/nope")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Return where the configuration is."""
    return tmp_path / "web.yml"


def replace(config: Path, text: str) -> None:
    """Write the file as tools do that want no reader to see half of it."""
    beside = config.with_suffix(".new")
    beside.write_text(text)
    os.replace(beside, config)


@pytest.fixture
def server(config: Path) -> Iterator[Server]:
    """Serve with the configuration that the test wrote before; with abc for alice otherwise."""
    config.write_text(f"basic_auth_users: {{alice: {ABC}}}\n")
    with web_server(make_agent(Fixed("cpu", 41.5)), "127.0.0.1:0", str(config)) as one:
        yield one


def status(server: Server, user: str = "", password: str = "", path: str = "/metrics") -> int:
    """Return the status that somebody gets."""
    secret = b64encode(f"{user}:{password}".encode()).decode()
    headers = {"Authorization": f"Basic {secret}"} if user else {}
    return fetch(server.address, path, headers).status


def test_the_password_of_exporter_toolkit_s_tests(config: Path) -> None:
    """A hash made by another tool lets in its password and no other, as it does upstream."""
    config.write_text(f"basic_auth_users: {{alice: {ALICE}}}\n")
    with web_server(make_agent(), "127.0.0.1:0", str(config)) as server:
        statuses = [
            status(server, "alice", "alice123"),
            status(server, "alice", "alice1234"),
            status(server, "fakeuser", "fakepassword"),
            status(server),
        ]

    assert [200, 401, 401, 401] == statuses


def test_everything_wants_a_password(server: Server) -> None:
    """No path tells a stranger anything, not even whether it exists; HEAD neither."""
    strangers = [fetch(server.address, path) for path in PATHS]

    assert [401] * len(PATHS) == [reply.status for reply in strangers]
    assert 1 == len({reply.body for reply in strangers})
    assert 'Basic realm="tailsight", charset="UTF-8"' == strangers[0].headers["www-authenticate"]
    assert 401 == fetch(server.address, "/", method="HEAD").status
    assert [200, 200, 200, 200, 404] == [status(server, "alice", "abc", path) for path in PATHS]


def test_headers_and_rate_limit(config: Path) -> None:
    """Configured headers are on every answer, errors included; the fourth request is too much."""
    config.write_text(
        "http_server_config: {headers: {X-Frame-Options: deny, X-XSS-Protection: '1',"
        " Content-Security-Policy: default-src 'self'}}\n"
        "rate_limit: {interval: 1h, burst: 3}\n"
    )
    with web_server(make_agent(), "127.0.0.1:0", str(config)) as server:
        replies = [fetch(server.address, path) for path in ("/", "/metrics", "/nope", "/")]

    assert [200, 200, 404, 429] == [reply.status for reply in replies]
    assert ["deny"] * 4 == [reply.headers["x-frame-options"] for reply in replies]
    assert "default-src 'self'" == replies[0].headers["content-security-policy"]


def test_a_changed_file_counts_at_once(server: Server, config: Path) -> None:
    """Also on a connection that is kept: who is taken out of the file is out."""
    secret = b64encode(b"alice:abc").decode()
    request = (
        f"GET /-/healthy HTTP/1.1\r\nHost: a\r\nAuthorization: Basic {secret}\r\n\r\n".encode()
    )
    with connect(server.address) as client:
        client.sendall(request)
        before = client.recv(1000)
        replace(config, f"basic_auth_users: {{bob: {ABC}}}\n")
        client.sendall(request)
        after = client.recv(1000)

    assert before.startswith(b"HTTP/1.1 200")
    assert after.startswith(b"HTTP/1.1 401")
    assert 200 == status(server, "bob", "abc")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is empty, which wants a restart"),
        ("nonsense", "line 1: wants NAME: VALUE here"),
        ("basic_auth_users: {alice: abc}", "not a bcrypt hash"),
        (None, "cannot be read: No such file or directory"),
        (
            "tls_server_config: {cert_file: x, key_file: y}",
            "tls_server_config came or went, which wants a restart",
        ),
    ],
)
def test_a_wrong_change_changes_nothing(
    server: Server, config: Path, caplog: pytest.LogCaptureFixture, text: str | None, why: str
) -> None:
    """The last good version stays, so that no mistake opens the door; the log says it once."""
    caplog.set_level(logging.ERROR)
    if text is None:
        config.unlink()
    else:
        replace(config, text)
    statuses = [status(server), status(server, "alice", "abc"), status(server, "alice", "x")]

    assert [401, 200, 401] == statuses
    assert 1 == len(caplog.messages)
    assert why in caplog.messages[0]
    assert caplog.messages[0].endswith("what was read before stays in force")


def test_a_wrong_change_can_be_corrected(server: Server, config: Path) -> None:
    """After a mistake the next good version counts."""
    replace(config, "nonsense")
    assert 200 == status(server, "alice", "abc")
    replace(config, f"basic_auth_users: {{bob: {ABC}}}\n")

    assert [401, 200] == [status(server, "alice", "abc"), status(server, "bob", "abc")]


def test_a_wrong_file_at_the_start(config: Path) -> None:
    """It is one line with flag, file and line, and nothing is served."""
    config.write_text("basic_auth_users:\n  alice: abc\n")
    with pytest.raises(ConfigError) as error:
        web_server(make_agent(), "127.0.0.1:0", str(config))

    assert (
        f"--web.config.file {config}: line 2: user 'alice': not a bcrypt hash ($2y$...);"
        " make one: htpasswd -nBC 10 ''" == str(error.value)
    )


def certificate(address: str) -> bytes:
    """Return the certificate that a server shows now."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with closing(context.wrap_socket(connect(address))) as client:
        shown = client.getpeercert(binary_form=True)
        assert shown is not None
        return shown


def test_a_renewed_certificate_is_shown_at_once(config: Path, tmp_path: Path) -> None:
    """New connections get the new pair; while it is half written they get the old one."""
    ca = trustme.CA()
    write(tmp_path, "server", ca.issue_cert("localhost"))
    config.write_text("tls_server_config: {cert_file: server.crt, key_file: server.key}\n")
    renewed = ca.issue_cert("localhost")
    expected = ssl.PEM_cert_to_DER_cert(renewed.cert_chain_pems[0].bytes().decode())
    with web_server(make_agent(), "127.0.0.1:0", str(config)) as server:
        first = certificate(server.address)
        (tmp_path / "server.crt").write_bytes(renewed.cert_chain_pems[0].bytes())
        half = certificate(server.address)
        (tmp_path / "server.key").write_bytes(renewed.private_key_pem.bytes())
        last = certificate(server.address)

    assert first == half
    assert (first != expected, expected) == (True, last)
