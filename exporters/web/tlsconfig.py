"""
``tls_server_config``: what it may say, checked; without ``ssl``, which costs 4 MB.

https://github.com/prometheus/exporter-toolkit/blob/master/docs/web-configuration.md

What is there upstream and cannot be had from Python's ssl is refused with the reason.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from exporters.web.tree import Table, boolean, each, parsed, text

VERSIONS = ("TLS12", "TLS13")
_OLD = ("TLS10", "TLS11")
VERIFY_IF_GIVEN = "VerifyClientCertIfGiven"
REQUIRE_AND_VERIFY = "RequireAndVerifyClientCert"
NO_CLIENT_CERT = "NoClientCert"
_UNVERIFIED = ("RequestClientCert", "RequireClientCert", "RequireAnyClientCert")

# Go's names, as https://pkg.go.dev/crypto/tls#CipherSuites lists them, to OpenSSL's. Those of
# TLS 1.3 are empty: they are always on, upstream too.
CIPHERS: Mapping[str, str] = {
    "TLS_AES_128_GCM_SHA256": "",
    "TLS_AES_256_GCM_SHA384": "",
    "TLS_CHACHA20_POLY1305_SHA256": "",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA": "ECDHE-ECDSA-AES128-SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA": "ECDHE-ECDSA-AES256-SHA",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA": "ECDHE-RSA-AES128-SHA",
    "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA": "ECDHE-RSA-AES256-SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256": "ECDHE-ECDSA-AES128-GCM-SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384": "ECDHE-ECDSA-AES256-GCM-SHA384",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256": "ECDHE-RSA-AES128-GCM-SHA256",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384": "ECDHE-RSA-AES256-GCM-SHA384",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256": "ECDHE-RSA-CHACHA20-POLY1305",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256": "ECDHE-ECDSA-CHACHA20-POLY1305",
}
CURVES: Mapping[str, str] = {
    "CurveP256": "prime256v1",
    "CurveP384": "secp384r1",
    "CurveP521": "secp521r1",
}


@dataclass(frozen=True, slots=True)
class TlsConfig:
    """The section's values; files are named from the working directory."""

    cert: str = ""
    key: str = ""
    client_ca: str = ""
    cert_file: str = ""
    key_file: str = ""
    client_ca_file: str = ""
    client_auth_type: str = NO_CLIENT_CERT
    client_allowed_sans: tuple[str, ...] = ()
    min_version: str = "TLS12"
    max_version: str = "TLS13"
    cipher_suites: tuple[str, ...] = ()
    prefer_server_cipher_suites: bool = True
    curve_preferences: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it names."""
        return tuple(filter(None, (self.cert_file, self.key_file, self.client_ca_file)))


def _one_of(words: tuple[str, ...], refused: Mapping[str, str]) -> Callable[[str], str]:
    def parse(word: str) -> str:
        if word in refused:
            msg = f"{word}: {refused[word]}"
            raise ValueError(msg)
        if word not in words:
            msg = f"wants one of {', '.join(words)}, got {word!r}"
            raise ValueError(msg)
        return word

    return parse


_version = parsed(
    _one_of(VERSIONS, dict.fromkeys(_OLD, "is broken (RFC 8996), OpenSSL 3 refuses it; use TLS12"))
)
_unverified = (
    f"takes certificates unchecked, which Python's ssl cannot do; use {REQUIRE_AND_VERIFY}"
)
TABLE: Table = {
    "cert": text,
    "key": text,
    "client_ca": text,
    "cert_file": text,
    "key_file": text,
    "client_auth_type": parsed(
        _one_of(
            (NO_CLIENT_CERT, VERIFY_IF_GIVEN, REQUIRE_AND_VERIFY),
            dict.fromkeys(_UNVERIFIED, _unverified),
        )
    ),
    "client_ca_file": text,
    "client_allowed_sans": each(text),
    "min_version": _version,
    "max_version": _version,
    "cipher_suites": each(parsed(_one_of(tuple(CIPHERS), {}))),
    "prefer_server_cipher_suites": boolean,
    "curve_preferences": each(
        parsed(
            _one_of(tuple(CURVES), {"X25519": "Python's ssl cannot restrict to it; leave it out"})
        )
    ),
}


def tls_config(values: Mapping[str, Any], folder: str) -> TlsConfig | None:
    """
    Return the section as read by ``TABLE``; None where it does not switch TLS on.

    Args:
        values: what the section says.
        folder: the one of the file, from which relative names start.

    Raises:
        ValueError: the values do not fit together.
    """
    config = TlsConfig(**values)
    if not _switches_on(config, values):
        return None
    for text_key, file_key in (("cert", "cert_file"), ("key", "key_file")):
        _exactly_one(values, text_key, file_key)
    _check_clients(config)
    if VERSIONS.index(config.min_version) > VERSIONS.index(config.max_version):
        msg = f"min_version {config.min_version} is above max_version {config.max_version}"
        raise ValueError(msg)
    if len(config.curve_preferences) > 1:
        msg = "curve_preferences: Python's ssl takes one curve; leave one, or all out"
        raise ValueError(msg)
    return replace(
        config,
        cert_file=_beside(folder, config.cert_file),
        key_file=_beside(folder, config.key_file),
        client_ca_file=_beside(folder, config.client_ca_file),
    )


def _switches_on(config: TlsConfig, values: Mapping[str, Any]) -> bool:
    return bool(
        any((config.cert, config.key, config.client_ca, *config.files))
        or values.get("client_auth_type")
    )


def _exactly_one(values: Mapping[str, Any], text_key: str, file_key: str) -> None:
    count = bool(values.get(text_key)) + bool(values.get(file_key))
    if count != 1:
        msg = f"tls_server_config wants {'' if count else 'one of '}{text_key} or {file_key}"
        raise ValueError(msg + (", not both" if count else ""))


def _check_clients(config: TlsConfig) -> None:
    has_ca = bool(config.client_ca or config.client_ca_file)
    if config.client_ca and config.client_ca_file:
        msg = "tls_server_config wants client_ca or client_ca_file, not both"
    elif has_ca and config.client_auth_type == NO_CLIENT_CERT:
        msg = f"a client_ca wants a client_auth_type, such as {REQUIRE_AND_VERIFY}"
    elif not has_ca and config.client_auth_type != NO_CLIENT_CERT:
        msg = f"client_auth_type {config.client_auth_type} wants a client_ca_file"
    elif config.client_allowed_sans and config.client_auth_type != REQUIRE_AND_VERIFY:
        msg = f"client_allowed_sans wants client_auth_type: {REQUIRE_AND_VERIFY}"
    else:
        return
    raise ValueError(msg)


def _beside(folder: str, name: str) -> str:
    return os.path.join(folder, name) if name else ""
