"""TLS by Python's ssl; imported only where it is configured, since it costs 4 MB."""

import contextlib
import os
import socket
import ssl
from collections.abc import Iterator, Mapping
from typing import Any

from exporters.web.stream import Wrap
from exporters.web.tlsconfig import CIPHERS, CURVES, REQUIRE_AND_VERIFY, VERIFY_IF_GIVEN, TlsConfig

_VERSIONS = {"TLS12": ssl.TLSVersion.TLSv1_2, "TLS13": ssl.TLSVersion.TLSv1_3}
_VERIFY = {VERIFY_IF_GIVEN: ssl.CERT_OPTIONAL, REQUIRE_AND_VERIFY: ssl.CERT_REQUIRED}
_HANDSHAKE = b"\x16"  # RFC 8446, section 5.1: the type of the first record of TLS
_PLAIN = (
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
    b"400 Bad Request: this port speaks https\n"
)


def tls_wrap(config: TlsConfig) -> Wrap:
    """
    Return what makes a connection secure, by the files as they are now.

    Raises:
        ValueError: a file is missing or wrong; on one line.
    """
    context = _context(config)
    allowed = frozenset(map(_canonical, config.client_allowed_sans))

    def wrap(client: socket.socket) -> socket.socket:
        if client.recv(1, socket.MSG_PEEK) not in {_HANDSHAKE, b""}:
            client.sendall(_PLAIN)
            msg = "the client does not speak TLS"
            raise OSError(msg)
        secure = context.wrap_socket(client, server_side=True)
        if allowed and not allowed & names_of(secure):
            secure.close()
            msg = "the client's certificate names none of client_allowed_sans"
            raise OSError(msg)
        return secure

    return wrap


def names_of(secure: ssl.SSLSocket) -> set[str]:
    """Return the subject alternative names of the client's certificate."""
    certificate: Mapping[str, Any] = secure.getpeercert() or {}
    return {_canonical(value) for _, value in certificate.get("subjectAltName", ())}


def _canonical(name: str) -> str:
    """Write an IPv6 address as everybody does: OpenSSL writes all its zeros."""
    try:
        return socket.inet_ntop(socket.AF_INET6, socket.inet_pton(socket.AF_INET6, name))
    except OSError:
        return name


def _context(config: TlsConfig) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = _VERSIONS[config.min_version]
    context.maximum_version = _VERSIONS[config.max_version]
    # Compression gives secrets away (CRIME), renegotiation costs us more than the client.
    context.options |= ssl.OP_NO_COMPRESSION | ssl.OP_NO_RENEGOTIATION
    context.options |= ssl.OP_CIPHER_SERVER_PREFERENCE
    if not config.prefer_server_cipher_suites:
        context.options &= ~ssl.OP_CIPHER_SERVER_PREFERENCE
    _set_ciphers(context, config)
    for curve in config.curve_preferences:
        context.set_ecdh_curve(CURVES[curve])
    _load(context, config)
    return context


def _set_ciphers(context: ssl.SSLContext, config: TlsConfig) -> None:
    if not config.cipher_suites:
        return
    older = [name for suite in config.cipher_suites if (name := CIPHERS[suite])]
    if older:
        try:
            context.set_ciphers(":".join(older))
        except ssl.SSLError:
            msg = f"cipher_suites: this OpenSSL has none of {', '.join(config.cipher_suites)}"
            raise ValueError(msg) from None
    elif config.max_version == "TLS13":
        context.minimum_version = ssl.TLSVersion.TLSv1_3
    else:
        msg = "cipher_suites has none for TLS 1.2, and max_version allows no other"
        raise ValueError(msg)


def _load(context: ssl.SSLContext, config: TlsConfig) -> None:
    """Load certificate, key and authorities; whatever is wrong with them is a ValueError."""
    with contextlib.ExitStack() as stack:
        cert = config.cert_file or stack.enter_context(_memory_file(config.cert))
        key = config.key_file or stack.enter_context(_memory_file(config.key))
        for name in config.files:
            _check_readable(name)
        try:
            context.load_cert_chain(cert, key, password=_no_password)
        except OSError as error:
            what = f"{config.cert_file or 'cert'}, {config.key_file or 'key'}"
            msg = f"{what}: no PEM certificate with its PEM key{_why(error)}"
            raise ValueError(msg) from None
    if config.client_auth_type in _VERIFY:
        context.verify_mode = _VERIFY[config.client_auth_type]
        try:
            context.load_verify_locations(
                config.client_ca_file or None, cadata=config.client_ca or None
            )
        except OSError as error:
            msg = f"{config.client_ca_file or 'client_ca'}: no PEM certificate{_why(error)}"
            raise ValueError(msg) from None


def _why(error: OSError) -> str:
    """Return OpenSSL's word for what is wrong, if it has one, such as KEY_VALUES_MISMATCH."""
    reason = getattr(error, "reason", None)
    return f" ({reason})" if reason else ""


def _check_readable(name: str) -> None:
    """Raise a ValueError that names the file; those of ssl do not."""
    try:
        with open(name, "rb"):
            pass
    except OSError as error:
        msg = f"{name}: cannot be read: {error.strerror}"
        raise ValueError(msg) from None


def _no_password() -> str:
    msg = "the key is encrypted, which nobody can unlock here; store it without a password"
    raise ValueError(msg)


@contextlib.contextmanager
def _memory_file(text: str) -> Iterator[str]:
    """Give a file that holds the text in memory only: ssl loads keys from nothing else."""
    if not hasattr(os, "memfd_create"):
        msg = "this Python cannot load a cert or key from the file itself; use cert_file, key_file"
        raise ValueError(msg)
    descriptor = os.memfd_create("tls", os.MFD_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)
