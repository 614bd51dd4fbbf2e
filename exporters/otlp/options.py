"""What push mode was told, and whether it makes sense; cheap to import, nothing is opened."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import SplitResult, urlsplit

DEFAULT_PATH = "/v1/metrics"
"""Where OTLP/HTTP takes metrics unless the endpoint names a path."""
PORTS = {"http": 80, "https": 443}
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, section 5.6.2
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")  # RFC 9110, section 5.5
# The client says these itself; a second one would contradict it.
_OWN_HEADERS = frozenset(
    {"connection", "content-encoding", "content-length", "content-type", "host",
     "transfer-encoding"}
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class OtlpOptions:
    """Where and how to push."""

    endpoint: str
    """``http://host:4318`` or ``https://host/path``; ``/v1/metrics`` where it has no path."""
    interval_seconds: float = 15.0
    timeout_seconds: float = 10.0
    """For one request, from connecting to the last byte of the answer."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """They may hold secrets: never shown."""
    compression: Literal["gzip", "none"] = "gzip"
    buffer_bytes: int = 4 * 2**20
    """How much to keep, as sent, while the endpoint is away."""
    buffer_seconds: float = 3600.0
    """How long to keep it: most backends refuse what is much older."""
    ca_file: str | None = None
    """Trust these authorities instead of the system's."""
    cert_file: str | None = None
    key_file: str | None = None
    """The certificate's key, unless it is in ``cert_file``."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The endpoint, taken apart."""

    secure: bool
    host: str
    port: int
    path: str
    """With its query."""


def endpoint_of(options: OtlpOptions) -> Endpoint:
    """
    Return the endpoint that the options name.

    Raises:
        ValueError: as ``check``.
    """
    url = _split(options.endpoint)
    path = url.path if url.path not in {"", "/"} else DEFAULT_PATH
    return Endpoint(
        secure=url.scheme == "https",
        host=url.hostname or "",
        port=url.port or PORTS[url.scheme],
        path=f"{path}?{url.query}" if url.query else path,
    )


def check(options: OtlpOptions) -> None:
    """
    Refuse options that cannot work, before anything starts.

    Raises:
        ValueError: one line that says which option, what is wrong and what to do.
    """
    url = _split(options.endpoint)
    tls = {"ca_file": options.ca_file, "cert_file": options.cert_file}
    given = [name.replace("_", "-") for name, path in tls.items() if path]
    if given and url.scheme == "http":
        _refuse(given[0], "has no use with http://: write https:// in the endpoint")
    if options.key_file and not options.cert_file:
        _refuse("key-file", "has no use without otlp.cert-file")
    if options.compression not in {"gzip", "none"}:
        _refuse("compression", f"wants gzip or none, got {options.compression!r}")
    numbers = (options.interval_seconds, options.timeout_seconds, options.buffer_bytes)
    for name, number in zip(("interval", "timeout", "buffer"), numbers, strict=True):
        if not number > 0:
            _refuse(name, f"wants more than 0, got {number!r}")
    for name, value in options.headers.items():
        _check_header(name, value)


def _split(endpoint: str) -> SplitResult:
    try:
        url = urlsplit(endpoint)
        port = url.port
        (url.hostname or "").encode("idna")
    except ValueError as error:
        msg = f"otlp.endpoint: {endpoint!r} is no URL: {error}"
        raise ValueError(msg) from error
    if url.scheme not in PORTS or not url.hostname or port == 0:
        _refuse("endpoint", f"wants a URL such as http://127.0.0.1:4318, got {endpoint!r}")
    if url.username is not None or url.password is not None:
        _refuse("endpoint", "must not hold a password: use otlp.headers (authorization=...)")
    if url.fragment or not endpoint.isascii() or any(char <= " " for char in endpoint):
        _refuse("endpoint", f"has a fragment, a space or a letter that no URL has: {endpoint!r}")
    return url


def _check_header(name: str, value: str) -> None:
    if not _TOKEN.fullmatch(name) or name.lower() in _OWN_HEADERS:
        _refuse("headers", f"{name!r} is not a header to set")
    if not _VALUE.fullmatch(value):
        # The value may be a secret: name the header only.
        _refuse("headers", f"the value of {name} holds a character that no header may have")


def _refuse(option: str, text: str) -> None:
    msg = f"otlp.{option}: {text}"
    raise ValueError(msg)
