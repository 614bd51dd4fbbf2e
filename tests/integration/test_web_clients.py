"""Client certificates: who comes in, for each ``client_auth_type`` and by which names."""

import ipaddress
from pathlib import Path

import pytest
import trustme
from cryptography import x509

from tests.support.certificates import issue_names, write
from tests.support.https import context_of, get, https


@pytest.fixture(scope="module")
def ca() -> trustme.CA:
    """Return an authority."""
    return trustme.CA()


@pytest.mark.parametrize(
    ("kind", "none", "good", "foreign"),
    [
        ("NoClientCert", 200, 200, 200),
        ("VerifyClientCertIfGiven", 200, 200, 0),
        ("RequireAndVerifyClientCert", 0, 200, 0),
    ],
)
def test_client_certificates(  # noqa: PLR0917  # the table's columns
    ca: trustme.CA, tmp_path: Path, kind: str, none: int, good: int, foreign: int
) -> None:
    """Who comes in without a certificate, with one of the authority, and with another's."""
    authority = "" if kind == "NoClientCert" else ", client_ca_file: ca.pem"
    ours = write(tmp_path, "client", ca.issue_cert("prometheus.example"))
    others = write(tmp_path, "foreign", trustme.CA().issue_cert("prometheus.example"))

    with https(ca, tmp_path, f"client_auth_type: {kind}{authority}") as address:
        statuses = [get(address, context_of(ca, client)) for client in (None, ours, others)]

    assert [none, good, foreign] == statuses


@pytest.mark.parametrize(
    ("allowed", "status"),
    [
        ("prometheus.example", 200),
        ("10.0.0.1", 200),
        ("'2001:db8::1'", 200),
        ("'2001:0DB8:0:0::1'", 200),
        ("ops@example.org", 200),
        ("'spiffe://example/prometheus'", 200),
        ("nobody, prometheus.example", 200),
        ("example", 0),
        ("'*.example'", 0),
        ("Prometheus.example", 0),
        ("10.0.0.2", 0),
    ],
)
def test_allowed_names(ca: trustme.CA, tmp_path: Path, allowed: str, status: int) -> None:
    """One of the names must be exactly one of the certificate's, of whatever kind."""
    client = issue_names(
        ca,
        tmp_path,
        [
            x509.DNSName("prometheus.example"),
            x509.IPAddress(ipaddress.ip_address("10.0.0.1")),
            x509.IPAddress(ipaddress.ip_address("2001:db8::1")),
            x509.RFC822Name("ops@example.org"),
            x509.UniformResourceIdentifier("spiffe://example/prometheus"),
        ],
    )
    lines = (
        "client_auth_type: RequireAndVerifyClientCert, client_ca_file: ca.pem,"
        f" client_allowed_sans: [{allowed}]"
    )

    with https(ca, tmp_path, lines) as address:
        assert status == get(address, context_of(ca, client))
