"""Bad options are refused with one line that says what to do."""

from typing import Any

import pytest

from exporters.otlp.options import Endpoint, OtlpOptions, check, endpoint_of


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://c:4318", Endpoint(secure=False, host="c", port=4318, path="/v1/metrics")),
        ("http://c:4318/", Endpoint(secure=False, host="c", port=4318, path="/v1/metrics")),
        ("https://c", Endpoint(secure=True, host="c", port=443, path="/v1/metrics")),
        ("http://[::1]:9/otlp", Endpoint(secure=False, host="::1", port=9, path="/otlp")),
        ("https://c/a/?k=v", Endpoint(secure=True, host="c", port=443, path="/a/?k=v")),
        ("http://c?k=v", Endpoint(secure=False, host="c", port=80, path="/v1/metrics?k=v")),
    ],
)
def test_endpoints(url: str, expected: Endpoint) -> None:
    """A path is used as it is; without one it is that of the specification."""
    options = OtlpOptions(endpoint=url)
    check(options)
    assert expected == endpoint_of(options)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "collector:4318",
        "grpc://collector:4317",
        "http://",
        "http://:4318",
        "http://c:0",
        "http://c:99999",
        "http://c:port",
        "http://user:secret@c",
        "http://c/#part",
        "http://c/a b",
        "http://c/\r\nX: y",
        "http://[::1",
        "http://" + "x" * 64,
    ],
)
def test_bad_endpoints(url: str) -> None:
    """The option is named, on one line."""
    with pytest.raises(ValueError, match=r"^otlp\.endpoint.*\Z"):
        check(OtlpOptions(endpoint=url))


def test_a_password_is_not_repeated() -> None:
    """A secret in the URL is refused without showing it."""
    with pytest.raises(ValueError, match="password") as caught:
        check(OtlpOptions(endpoint="http://user:secret@c"))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"interval_seconds": 0}, "otlp.interval"),
        ({"timeout_seconds": -1}, "otlp.timeout"),
        ({"timeout_seconds": float("nan")}, "otlp.timeout"),
        ({"buffer_bytes": 0}, "otlp.buffer"),
        ({"compression": "zstd"}, "otlp.compression"),
        ({"ca_file": "ca.pem"}, "otlp.ca-file"),
        ({"endpoint": "https://c", "key_file": "key.pem"}, "otlp.key-file"),
        ({"headers": {"a b": "c"}}, "otlp.headers"),
        ({"headers": {"": "c"}}, "otlp.headers"),
        ({"headers": {"Content-Type": "text/plain"}}, "otlp.headers"),
        ({"headers": {"a": "b\r\nc: d"}}, "otlp.headers"),
        ({"headers": {"a": "台"}}, "otlp.headers"),
    ],
)
def test_bad_options(changes: dict[str, Any], named: str) -> None:
    """Each wrong option is named as the user wrote it."""
    with pytest.raises(ValueError, match=rf"^{named}: [^\n]+\Z"):
        check(OtlpOptions(**{"endpoint": "http://c", **changes}))


def test_headers_are_not_shown() -> None:
    """A token does not reach a log by way of the options."""
    options = OtlpOptions(endpoint="http://c", headers={"authorization": "Bearer secret"})
    assert "secret" not in repr(options)
