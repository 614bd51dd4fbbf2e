"""/metrics over real sockets, held against prometheus-client as the oracle."""

import gzip
import http.client
import threading
from contextlib import closing

import pytest
from prometheus_client.exposition import choose_encoder
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as text

from tests.support.web import Fixed, fetch, make_agent, serving

TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"

# What Prometheus 2.x and 3.x, the OpenTelemetry receiver, browsers and curl send.
ACCEPTS = (
    "",
    "*/*",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
    "text/plain",
    "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
    "application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5",
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
    (
        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;"
        "q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
    ),
)


def oracle(accept: str) -> str:
    """Return the media type that prometheus-client answers with."""
    return choose_encoder(accept)[1].partition(";")[0]


@pytest.mark.parametrize("accept", ACCEPTS)
def test_the_format_is_the_one_that_prometheus_client_gives(accept: str) -> None:
    """Every client gets the media type that it would get from prometheus-client."""
    with serving(make_agent(Fixed("cpu", 41.5))) as address:
        reply = fetch(address, headers={"Accept": accept})

    assert oracle(accept) == reply.headers["content-type"].partition(";")[0]
    assert reply.body.endswith(b"# EOF\n") == (OPENMETRICS == reply.headers["content-type"])


@pytest.mark.parametrize(
    ("accept", "kind", "parse"), [("", TEXT, text), (ACCEPTS[-1], OPENMETRICS, openmetrics)]
)
def test_both_formats_round_trip(accept: str, kind: str, parse: object) -> None:
    """The oracle's parser reads back the value and the labels that the sensor gave."""
    place = 'a "quoted" \\ place\nof two lines'
    with serving(make_agent(Fixed(place, 41.5), Fixed("gpu", -0.25))) as address:
        reply = fetch(address, headers={"Accept": accept})
    families = parse(reply.body.decode())  # type: ignore[operator]
    samples = {
        sample.labels["place"]: sample.value
        for family in families
        for sample in family.samples
        if sample.name == "tailsight_demo_temperature_celsius"
    }

    assert (200, kind) == (reply.status, reply.headers["content-type"])
    assert {place: 41.5, "gpu": -0.25} == samples


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("", None),
        ("gzip", "gzip"),
        ("gzip, deflate, br, zstd", "gzip"),
        ("GZIP;q=0.5", "gzip"),
        ("*", "gzip"),
        ("gzip;q=0", None),
        ("identity", None),
        ("br, *;q=0", None),
    ],
)
def test_compression(accepted: str, coding: str | None) -> None:
    """Gzip is sent to whom takes it (RFC 9110, 12.5.3), and says so to caches."""
    with serving(make_agent(Fixed("cpu", 41.5))) as address:
        reply = fetch(address, headers={"Accept-Encoding": accepted})

    assert coding == reply.headers.get("content-encoding")
    body = gzip.decompress(reply.body) if coding else reply.body
    assert b'tailsight_demo_temperature_celsius{place="cpu"} 41.5\n' in body
    assert "Accept, Accept-Encoding" == reply.headers["vary"]


@pytest.mark.parametrize("accepted", ["", "gzip"])
def test_many_series(accepted: str) -> None:
    """A body of several pieces arrives whole, chunked, and the connection goes on."""
    agent = make_agent(*(Fixed(f"core{number}", float(number)) for number in range(1990)))
    with serving(agent) as address, closing(http.client.HTTPConnection(address)) as client:
        for _ in range(2):
            client.request("GET", "/metrics", headers={"Accept-Encoding": accepted})
            answer = client.getresponse()
            data = answer.read()
            body = gzip.decompress(data) if accepted else data
            assert 1990 == body.count(b"tailsight_demo_temperature_celsius{")
            assert None is not client.sock


def test_a_hanging_sensor_costs_only_itself_and_keeps_the_client_s_time() -> None:
    """With a scrape timeout of 1 s from Prometheus, the others come within it, with 200."""
    release = threading.Event()
    agent = make_agent(Fixed("cpu", 41.5), Fixed("stuck", 1.0, before=lambda: release.wait(20)))
    with serving(agent) as address, closing(http.client.HTTPConnection(address)) as client:
        client.timeout = 1.0
        client.request("GET", "/metrics", headers={"X-Prometheus-Scrape-Timeout-Seconds": "1"})
        answer = client.getresponse()
        body = answer.read().decode()
        release.set()

    assert 200 == answer.status
    assert 'tailsight_collector_status{collector="demo",status="timeout"} 1\n' in body
    assert 'tailsight_collector_success{collector="none"} 1\n' in body


def test_raising_sensors_cost_only_themselves() -> None:
    """A sensor that fails in whatever way leaves status 200 and the others' readings."""

    def boom() -> None:
        raise ZeroDivisionError

    agent = make_agent(Fixed("cpu", 41.5), Fixed("gpu", 1.0, before=boom))
    with serving(agent) as address:
        reply = fetch(address)

    assert 200 == reply.status
    assert b'tailsight_collector_success{collector="none"} 1\n' in reply.body


def test_a_client_that_likes_text_better_gets_text() -> None:
    """Weights count (RFC 9110, 12.4.2); prometheus-client does not look at them."""
    accept = "application/openmetrics-text;q=0.5,text/plain;q=0.9"
    with serving(make_agent()) as address:
        assert TEXT == fetch(address, headers={"Accept": accept}).headers["content-type"]
