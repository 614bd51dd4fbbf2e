"""Certificates for tests: trustme's, and one kind that it does not make."""

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def write(folder: Path, name: str, certificate: trustme.LeafCert) -> tuple[str, str]:
    """Write certificate and key; return their paths."""
    cert, key = folder / f"{name}.crt", folder / f"{name}.key"
    cert.write_bytes(b"".join(blob.bytes() for blob in certificate.cert_chain_pems))
    key.write_bytes(certificate.private_key_pem.bytes())
    return str(cert), str(key)


def issue_names(ca: trustme.CA, folder: Path, names: Sequence[x509.GeneralName]) -> tuple[str, str]:
    """Write a certificate with any kind of alternative names; return its and its key's path."""
    authority = x509.load_pem_x509_certificate(ca.cert_pem.bytes())
    signer = serialization.load_pem_private_key(ca.private_key_pem.bytes(), None)
    assert isinstance(signer, ec.EllipticCurvePrivateKey)
    key = ec.generate_private_key(ec.SECP256R1())
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([]))
        .issuer_name(authority.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=True)
        .sign(signer, hashes.SHA256())
    )
    path = folder / "named.pem"
    path.write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return str(path), str(path)
