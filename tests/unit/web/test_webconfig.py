"""The web configuration file, in exporter-toolkit's format."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.web.tlsconfig import CIPHERS, TlsConfig
from exporters.web.webconfig import RateLimit, WebConfig, parse_web_config, read_web_config

# The example of exporter-toolkit, docs/web-config.yml.
ALICE = "$2y$10$mDwo.lAisC94iLAyP81MCesa29IzH37oigHC/42V2pdJlUprsJPze"
BOB = "$2y$10$hLqFl9jSjoAAy95Z/zw8Ye8wkdMBM8c5Bn1ptYqP/AXyV0.oy0S8m"
EXAMPLE = f"""
tls_server_config:
  cert_file: server.crt
  key_file: server.key
basic_auth_users:
  alice: {ALICE}
  bob: {BOB}
rate_limit:
  interval: "1s"
  burst: 20
"""
TLS = "tls_server_config: {cert_file: c, key_file: k, %s}"
VERIFY = "client_auth_type: RequireAndVerifyClientCert"


def test_the_example_of_the_format() -> None:
    """Upstream's example says here what it says there; names start from the file's folder."""
    expected = WebConfig(
        tls=TlsConfig(cert_file="/etc/web/server.crt", key_file="/etc/web/server.key"),
        users={"alice": ALICE, "bob": BOB},
        rate_limit=RateLimit(1.0, 20),
    )

    assert expected == parse_web_config(EXAMPLE, "/etc/web")


def test_every_key() -> None:
    """All that Python's ssl can do is taken, by upstream's names and defaults."""
    config = parse_web_config(
        """
tls_server_config:
  cert: PEM
  key: PEM
  client_ca_file: /etc/ca.pem
  client_auth_type: RequireAndVerifyClientCert
  client_allowed_sans: [prometheus.example, 10.0.0.1]
  min_version: TLS13
  max_version: TLS13
  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]
  prefer_server_cipher_suites: false
  curve_preferences: [CurveP384]
http_server_config:
  http2: false
  headers:
    X-Frame-Options: deny
    Strict-Transport-Security: max-age=31536000; includeSubDomains
    X-XSS-Protection: ""
basic_auth_users:
rate_limit:
  interval: 0
""",
        "etc",
    )

    assert ("TLS13", "TLS13", False) == (
        config.tls and config.tls.min_version,
        config.tls and config.tls.max_version,
        config.tls and config.tls.prefer_server_cipher_suites,
    )
    assert ("/etc/ca.pem",) == (config.tls and config.tls.files)
    assert config.headers == {
        "X-Frame-Options": "deny",
        "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
    }
    assert ({}, None) == (config.users, config.rate_limit)


@pytest.mark.parametrize("content", ["", "# nothing\n", "tls_server_config:\n", "{}"])
def test_an_empty_file(content: str) -> None:
    """It switches nothing on, as upstream."""
    assert WebConfig() == parse_web_config(content)


@pytest.mark.parametrize(
    ("interval", "seconds"), [("1s", 1), ("100ms", 0.1), ("1m30s", 90), ("1.5h", 5400)]
)
def test_durations(interval: str, seconds: float) -> None:
    """Lengths of time are written as Go does."""
    limit = parse_web_config(f"rate_limit: {{interval: {interval}, burst: 1}}").rate_limit

    assert limit is not None
    assert pytest.approx(seconds) == limit.interval_seconds


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("- a", "line 1: wants NAME: VALUE here"),
        ("a: [", "line 1: "),
        ("a: 1\n---\nb: 2", "line 2: "),
        ("tls_config: {}", "line 1: unknown key tls_config; known are tls_server_config, "),
        ("\nrate_limit:\n  brust: 1", "line 3: unknown key brust; known are interval, burst"),
        (f"basic_auth_users: {{a: {ALICE}, a: {BOB}}}", "line 1: a is there twice"),
        ("? [a]\n: b", "line 1: a name is plain text"),
        ("basic_auth_users: {alice: secret}", "user 'alice': not a bcrypt hash"),
        ("basic_auth_users: {alice: $2x$10$" + ALICE[7:] + "}", "not a bcrypt hash"),
        ("basic_auth_users: {alice: $2y$32$" + ALICE[7:] + "}", "not a bcrypt hash"),
        (f"basic_auth_users: {{'a:b': {ALICE}}}", "user 'a:b': basic auth allows no colon"),
        ("rate_limit: {interval: soon}", "interval wants a length of time"),
        ("rate_limit: {interval: 1s}", "rate_limit wants a burst of at least 1"),
        ("rate_limit: {interval: 1s, burst: -1}", "burst wants a whole number, got '-1'"),
        ("http_server_config: {http2: true}", "http2: this server speaks HTTP/1.1 only"),
        ("http_server_config: {http2: 'false'}", "http2 wants true or false"),
        ("http_server_config: {headers: {Server: x}}", "unknown key Server"),
        (
            "http_server_config: {headers: {X-Frame-Options: allow}}",
            "X-Frame-Options wants one of deny, sameorigin, got 'allow'",
        ),
        (
            'http_server_config: {headers: {X-XSS-Protection: "1\\r\\nX: y"}}',
            "X-XSS-Protection wants one line of plain ASCII",
        ),
        ("tls_server_config: {cert_file: c}", "wants one of key or key_file"),
        ("tls_server_config: {key_file: c}", "wants one of cert or cert_file"),
        (TLS % "cert: x", "wants cert or cert_file, not both"),
        (TLS % "cert_file: x", "line 1: cert_file is there twice"),
        (TLS % "min_version: TLS11", "min_version TLS11: is broken"),
        (TLS % "min_version: TLS14", "min_version wants one of TLS12, TLS13, got 'TLS14'"),
        (TLS % "min_version: TLS13, max_version: TLS12", "min_version TLS13 is above max_version"),
        (TLS % "cipher_suites: [TLS_RSA_WITH_RC4_128_SHA]", "cipher_suites wants one of TLS_AES"),
        (TLS % "cipher_suites: TLS_AES_128_GCM_SHA256", "cipher_suites wants a list"),
        (TLS % "curve_preferences: [X25519]", "X25519: Python's ssl cannot restrict to it"),
        (TLS % "curve_preferences: [CurveP256, CurveP384]", "Python's ssl takes one curve"),
        (TLS % "client_auth_type: RequestClientCert", "takes certificates unchecked"),
        (TLS % "client_auth_type: RequireClientCert", "takes certificates unchecked"),
        (TLS % "client_auth_type: RequireAnyClientCert", "takes certificates unchecked"),
        (TLS % "client_auth_type: Maybe", "client_auth_type wants one of NoClientCert, "),
        (TLS % VERIFY, "RequireAndVerifyClientCert wants a client_ca_file"),
        (TLS % "client_ca_file: x", "a client_ca wants a client_auth_type"),
        (TLS % f"client_ca_file: x, client_ca: y, {VERIFY}", "client_ca_file, not both"),
        (TLS % "client_allowed_sans: [x]", "client_allowed_sans wants client_auth_type"),
        (TLS % "cert_file: [x]", "cert_file is there twice"),
        ("tls_server_config: {cert_file: [x]}", "cert_file wants plain text"),
    ],
)
def test_what_is_wrong(content: str, why: str) -> None:
    """A mistake is one line: where, what, and what is wanted; a password in it is not repeated."""
    with pytest.raises(ValueError, match=r".") as error:
        parse_web_config(content)

    assert why in str(error.value)
    assert "\n" not in str(error.value)
    assert "secret" not in str(error.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """Missing, a folder, not text, too long: one line each."""
    binary, long = tmp_path / "binary", tmp_path / "long"
    binary.write_bytes(b"\xff")
    long.write_text("#" * 2_000_000)
    for path, why in (
        (tmp_path / "none", "cannot be read: No such file or directory"),
        (tmp_path, "cannot be read: Is a directory"),
        (binary, "is not UTF-8 text"),
        (long, "is longer than 1048576 characters"),
    ):
        with pytest.raises(ValueError, match=f"^{why}$"):
            read_web_config(str(path))


@given(
    st.text(max_size=60)
    | st.sampled_from(["tls_server_config", "rate_limit", "basic_auth_users"]).flatmap(
        lambda key: st.text(max_size=40).map(lambda value: f"{key}: {value}")
    )
)
def test_any_text(content: str) -> None:
    """Any input is a configuration or one line of complaint."""
    try:
        config = parse_web_config(content)
    except ValueError as error:
        assert "\n" not in str(error)  # noqa: PT017  # either way is right
    else:
        assert isinstance(config, WebConfig)


def test_ciphers_are_those_of_go() -> None:
    """The names are the 13 that crypto/tls calls secure; 10 of them are of TLS 1.2."""
    assert (13, 10) == (len(CIPHERS), len([name for name in CIPHERS.values() if name]))
