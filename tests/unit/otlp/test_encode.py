"""Requests equal what OpenTelemetry's own encoder makes of equal data."""

import math

import pytest
from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.sdk.metrics import export as sdk
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from exporters.core.histogram import HistogramValue, fine_index, merge
from exporters.core.metric import Kind, Metric, Sample, Unit
from exporters.otlp.encode import Encoder

SECOND = 10**9
STARTED = 1_700_000_000
NOW = STARTED + 60
CUMULATIVE = sdk.AggregationTemporality.CUMULATIVE

TEMPERATURE = Metric(
    "temperature", Kind.GAUGE, Unit.CELSIUS, "How warm it is.", ("sensor", "label")
)
EVENTS = Metric("events", Kind.COUNTER, Unit.NONE, "What the kernel counted.", ("gpu",))
SCRAPES = Metric("scrapes", Kind.COUNTER, Unit.NONE, "What the agent counted.")
BUILD = Metric("build", Kind.INFO, Unit.NONE, "The build.", ("version",))
LATENCY = Metric("latency", Kind.HISTOGRAM, Unit.SECONDS, "How long it took.")


def encoder() -> Encoder:
    """Return an encoder of an agent that started a minute ago and counts SCRAPES itself."""
    return Encoder({"service.name": "tailsight"}, "1.2", (SCRAPES,), STARTED)


def sent(*samples: Sample) -> ExportMetricsServiceRequest:
    """Return the request with these samples, decoded."""
    return ExportMetricsServiceRequest.FromString(encoder().encode(samples, NOW).body)


def of_sdk(*metrics: sdk.Metric) -> ExportMetricsServiceRequest:
    """Return what the SDK's encoder makes of these metrics."""
    scope = InstrumentationScope("tailsight", "1.2")
    group = sdk.ResourceMetrics(
        Resource({"service.name": "tailsight"}), [sdk.ScopeMetrics(scope, list(metrics), "")], ""
    )
    return encode_metrics(sdk.MetricsData([group]))


def number(value: float, start: int = 0, **attributes: str) -> sdk.NumberDataPoint:
    """Return a point of the SDK's, taken now; a gauge's has no start."""
    return sdk.NumberDataPoint(attributes, start * SECOND, NOW * SECOND, value, [])


def test_gauges_and_info() -> None:
    """Integers stay integers, doubles doubles; an empty label is no attribute."""
    expected = of_sdk(
        sdk.Metric(
            "tailsight.temperature",
            "How warm it is.",
            "Cel",
            sdk.Gauge([number(45.5, sensor="cpu", label="Die"), number(-3, sensor="gpu")]),
        ),
        sdk.Metric("tailsight.build_info", "The build.", "", sdk.Gauge([number(1, version="1.2")])),
    )
    assert expected == sent(
        TEMPERATURE.sample(45.5, sensor="cpu", label="Die"),
        BUILD.sample(1, version="1.2"),
        TEMPERATURE.sample(-3, sensor="gpu", label=""),
    )


def test_counters() -> None:
    """The agent's own begin at its start; a kernel's first point spans no time."""
    expected = of_sdk(
        sdk.Metric(
            "tailsight.events",
            "What the kernel counted.",
            "",
            sdk.Sum([number(7, NOW, **{"hw.id": "GPU-1"})], CUMULATIVE, is_monotonic=True),
        ),
        sdk.Metric(
            "tailsight.scrapes",
            "What the agent counted.",
            "",
            sdk.Sum([number(3.5, STARTED)], CUMULATIVE, is_monotonic=True),
        ),
    )
    assert expected == sent(EVENTS.sample(7, gpu="GPU-1"), SCRAPES.sample(3.5))


def test_explicit_histogram() -> None:
    """Without fine buckets the bounds of /metrics are sent; the SDK's point also has min, max."""
    expected = of_sdk(
        sdk.Metric(
            "tailsight.latency",
            "How long it took.",
            "s",
            sdk.Histogram(
                [
                    sdk.HistogramDataPoint(
                        {}, NOW * SECOND, NOW * SECOND, 6, 4.5, [1, 2, 3], [0.5, 1.0], 0, 9
                    )
                ],
                CUMULATIVE,
            ),
        )
    )
    point = expected.resource_metrics[0].scope_metrics[0].metrics[0].histogram.data_points[0]
    point.ClearField("min")
    point.ClearField("max")
    assert expected == sent(LATENCY.sample(HistogramValue((0.5, 1.0), (1, 2, 3), 4.5)))


def test_exponential_histogram() -> None:
    """With fine buckets an exponential histogram is sent: 1.1 s is in bucket 1 of scale 3."""
    expected = of_sdk(
        sdk.Metric(
            "tailsight.latency",
            "How long it took.",
            "s",
            sdk.ExponentialHistogram(
                [
                    sdk.ExponentialHistogramDataPoint(
                        {}, NOW * SECOND, NOW * SECOND, 4, 4.2, 3, 1,
                        sdk.Buckets(1, [1, 0, 0, 0, 0, 0, 2]), sdk.Buckets(0, []), 0, 0, 9,
                    )
                ],
                CUMULATIVE,
            ),
        )
    )  # fmt: skip
    exponential = expected.resource_metrics[0].scope_metrics[0].metrics[0].exponential_histogram
    exponential.data_points[0].ClearField("min")
    exponential.data_points[0].ClearField("max")
    fine = {fine_index(1.1): 1, fine_index(2.0): 2}
    # One observation of 0 is in the lowest of the bounds' buckets and in no fine one.
    value = HistogramValue((1.0,), (1, 3), 4.2, fine)
    assert expected == sent(LATENCY.sample(value))


def test_a_histogram_of_the_agents() -> None:
    """Merged for the text format or not, sum and count are the same."""
    fine = {fine_index(0.0103): 3, fine_index(0.5): 1}
    request = sent(LATENCY.sample(merge(fine, (0.01, 0.02), 0.5309)))
    metric = request.resource_metrics[0].scope_metrics[0].metrics[0]
    point = metric.exponential_histogram.data_points[0]
    assert (4, 0.5309, 0, 4) == (
        point.count, point.sum, point.zero_count, sum(point.positive.bucket_counts),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "field", "expected"),
    [
        (2**63 - 1, "as_int", 2**63 - 1),
        (2**63, "as_double", 2.0**63),
        (2**64 - 1, "as_double", 2.0**64),
        (-(2**63), "as_int", -(2**63)),
        (0.0, "as_double", 0.0),
        (math.inf, "as_double", math.inf),
    ],
)
def test_numbers_at_the_edges(value: float, field: str, expected: float) -> None:
    """What does not fit 63 bits is sent as a double instead of failing the whole push."""
    request = sent(EVENTS.sample(value, gpu="g"))
    point = request.resource_metrics[0].scope_metrics[0].metrics[0].sum.data_points[0]
    assert (field, expected) == (point.WhichOneof("value"), getattr(point, field))


def test_a_counter_over_time() -> None:
    """Later points keep the first one's start, and a reset moves it to the point before."""
    one = encoder()
    starts = []
    for seconds, total in enumerate((5, 6, 1, 2)):
        body = one.encode([EVENTS.sample(total, gpu="g")], NOW + seconds).body
        request = ExportMetricsServiceRequest.FromString(body)
        point = request.resource_metrics[0].scope_metrics[0].metrics[0].sum.data_points[0]
        starts.append(point.start_time_unix_nano // SECOND - NOW)
    assert [0, 0, 1, 1] == starts


def test_a_histogram_that_gets_fine_buckets() -> None:
    """A series may change its form between scrapes; its attributes stay right."""
    metric = Metric("wait", Kind.HISTOGRAM, Unit.SECONDS, "A wait.", ("queue",))
    one = encoder()
    one.encode([metric.sample(HistogramValue((1.0,), (1, 0), 1.0), queue="a")], NOW)
    body = one.encode([metric.sample(merge({0: 1}, (1.0,), 1.0), queue="a")], NOW).body
    request = ExportMetricsServiceRequest.FromString(body)
    points = request.resource_metrics[0].scope_metrics[0].metrics[0].exponential_histogram
    attribute = points.data_points[0].attributes[0]
    assert ("queue", "a") == (attribute.key, attribute.value.string_value)


def test_a_label_that_is_no_text() -> None:
    """The name of a file in another encoding spoils one value and not the push."""
    name = b"sensor \xff".decode(errors="surrogateescape")
    request = sent(EVENTS.sample(1, gpu=name))
    point = request.resource_metrics[0].scope_metrics[0].metrics[0].sum.data_points[0]
    assert "sensor ?" == point.attributes[0].value.string_value


def test_points_are_counted() -> None:
    """The encoder says how many points it sent, so that losses can be counted."""
    samples = [SCRAPES.sample(1), EVENTS.sample(1, gpu="a"), EVENTS.sample(1, gpu="b")]
    assert 3 == encoder().encode(samples, NOW).points


def test_nothing() -> None:
    """No samples make no points."""
    assert 0 == encoder().encode([], NOW).points
