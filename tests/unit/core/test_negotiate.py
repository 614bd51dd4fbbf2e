"""Format and compression, with prometheus-client as the oracle."""

import pytest
from prometheus_client.exposition import choose_encoder

from exporters.core.negotiate import wants_gzip, wants_openmetrics

PROMETHEUS_2 = (
    "application/openmetrics-text;version=1.0.0;q=0.5,"
    "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
)


@pytest.mark.parametrize(
    "accept", ["", "*/*", "text/plain", PROMETHEUS_2, "text/html", "application/openmetrics-text"]
)
def test_format_is_what_prometheus_client_would_choose(accept: str) -> None:
    """For the headers that clients send, our choice is the standard library's."""
    assert ("openmetrics" in choose_encoder(accept)[1]) == wants_openmetrics(accept)


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("application/openmetrics-text;q=0.1,text/plain;q=0.9", False),
        ("application/openmetrics-text;q=0", False),
        ("application/openmetrics-text;q=rubbish", False),
        ("APPLICATION/OpenMetrics-Text; version=1.0.0", True),
    ],
)
def test_weights_count(accept: str, expected: bool) -> None:  # noqa: FBT001  # a table
    """RFC 9110: the format that is liked better wins; q=0 refuses."""
    assert expected == wants_openmetrics(accept)


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("gzip", True), ("", False), ("identity", False), ("deflate, gzip;q=0.5", True),
        ("gzip;q=0", False), ("*", True), ("gzip;q=0, *", False),
    ],
)  # fmt: skip
def test_gzip_only_where_taken(accept: str, expected: bool) -> None:  # noqa: FBT001  # a table
    """RFC 9110, section 12.5.3."""
    assert expected == wants_gzip(accept)
