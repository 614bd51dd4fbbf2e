"""
``--web.config.file``: TLS, basic auth, headers and rate limit, in exporter-toolkit's format.

https://github.com/prometheus/exporter-toolkit/blob/master/docs/web-configuration.md
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from exporters.config.file import read_text
from exporters.web.tlsconfig import TABLE, TlsConfig, tls_config
from exporters.web.tree import Read, Table, boolean, compose, keyed, parsed, section, text, wrong

_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+|0")
_PART = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_BCRYPT = re.compile(r"\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}")
# A line break would let a value start headers of its own (RFC 9110, section 5.5).
_HEADER_VALUE = re.compile(r"[\t -~]*")
_HEADERS: Mapping[str, tuple[str, ...]] = {
    "Content-Security-Policy": (),
    "X-Frame-Options": ("deny", "sameorigin"),
    "X-Content-Type-Options": ("nosniff",),
    "X-XSS-Protection": (),
    "Strict-Transport-Security": (),
}


@dataclass(frozen=True, slots=True)
class RateLimit:
    """One request in each interval, and so many at once after a pause."""

    interval_seconds: float
    burst: int


@dataclass(frozen=True, slots=True)
class WebConfig:
    """What the file says, checked; no other file was looked at."""

    tls: TlsConfig | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    users: Mapping[str, str] = field(default_factory=dict)
    """Bcrypt hashes by user name."""
    rate_limit: RateLimit | None = None


def read_web_config(path: str) -> WebConfig:
    """
    Read the file.

    Raises:
        ValueError: it cannot be read, or says something wrong; on one line.
    """
    return parse_web_config(read_text(path), os.path.dirname(path))


def parse_web_config(content: str, folder: str = "") -> WebConfig:
    """
    Parse the file's text; relative names in it start from its folder.

    Raises:
        ValueError: see ``read_web_config``.
    """
    node = compose(content)
    values: dict[str, Any] = _FILE(node) if node else {}
    http = values.get("http_server_config", {})
    return WebConfig(
        tls=tls_config(values.get("tls_server_config", {}), folder),
        headers={name: value for name, value in http.get("headers", {}).items() if value},
        users=values.get("basic_auth_users", {}),
        rate_limit=_rate_limit(values.get("rate_limit", {})),
    )


def _rate_limit(values: Mapping[str, Any]) -> RateLimit | None:
    interval, burst = values.get("interval", 0.0), values.get("burst", 0)
    if not interval:
        return None
    if burst < 1:
        msg = "rate_limit wants a burst of at least 1: with 0 nobody is ever answered"
        raise ValueError(msg)
    return RateLimit(interval, burst)


def _duration(word: str) -> float:
    if not _DURATION.fullmatch(word):
        msg = f"wants a length of time such as 1s, 500ms, or 0 for no limit, got {word!r}"
        raise ValueError(msg)
    return sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(word))


def _count(word: str) -> int:
    if not (word.isascii() and word.isdecimal() and len(word) < 10):  # noqa: PLR2004  # digits
        msg = f"wants a whole number, got {word!r}"
        raise ValueError(msg)
    return int(word)


def _http2(node: yaml.Node) -> bool:
    if boolean(node):
        why = "this server speaks HTTP/1.1 only; leave http2 out, or set it to false"
        raise wrong(node, f"http2: {why}")
    return False


def _users(node: yaml.Node) -> dict[str, str]:
    users = {}
    for name, value in keyed(node).items():
        users[name] = text(value)
        if ":" in name:
            raise wrong(value, f"user {name!r}: basic auth allows no colon in a name")
        if not _BCRYPT.fullmatch(users[name]):
            # Without the text: it may be the password itself.
            why = "not a bcrypt hash ($2y$...); make one: htpasswd -nBC 10 ''"
            raise wrong(value, f"user {name!r}: {why}")
    return users


def _header(choices: tuple[str, ...]) -> Read:
    def parse(value: str) -> str:
        if value and choices and value not in choices:
            msg = f"wants one of {', '.join(choices)}, got {value!r}"
            raise ValueError(msg)
        if not _HEADER_VALUE.fullmatch(value):
            msg = "wants one line of plain ASCII"
            raise ValueError(msg)
        return value

    return parsed(parse)


_HTTP: Table = {
    "http2": _http2,
    "headers": section({name: _header(choices) for name, choices in _HEADERS.items()}),
}
_FILE = section(
    {
        "tls_server_config": section(TABLE),
        "http_server_config": section(_HTTP),
        "basic_auth_users": _users,
        "rate_limit": section({"interval": parsed(_duration), "burst": parsed(_count)}),
    }
)
