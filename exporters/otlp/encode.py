"""
Samples as an OTLP request, through the official generated classes.

Importing this costs some 3 MB: only push mode does.

https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/metrics/v1/metrics.proto
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.metrics.v1 import metrics_pb2 as pb
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from exporters.core.histogram import HistogramValue
from exporters.core.metric import Kind, Metric, Sample, Series
from exporters.otlp.exponential import SCALE, exponential
from exporters.otlp.mapping import attributes, identity
from exporters.otlp.resource import SERVICE
from exporters.otlp.starts import StartTimes

_CUMULATIVE = pb.AGGREGATION_TEMPORALITY_CUMULATIVE
_INT64 = range(-(2**63), 2**63)

Point = pb.NumberDataPoint | pb.HistogramDataPoint | pb.ExponentialHistogramDataPoint


@dataclass(frozen=True, slots=True)
class Encoded:
    """A request as it goes over the wire, not yet compressed."""

    body: bytes
    points: int


class Encoder:
    """Encodes one scrape after another; it remembers since when each counter counts."""

    def __init__(
        self,
        resource: Mapping[str, str],
        version: str,
        own: Iterable[Metric],
        started_seconds: float,
    ) -> None:
        """
        Take what is the same in every request.

        Args:
            resource: the resource attributes.
            version: the agent's.
            own: the metrics that the agent counts itself, from 0 at its start.
            started_seconds: when the agent started, since the epoch.
        """
        self._resource = Resource(attributes=_key_values(resource.items()))
        self._scope = InstrumentationScope(name=SERVICE, version=version)
        self._own = frozenset(metric.name for metric in own)
        self._started = _nanoseconds(started_seconds)
        self._starts = StartTimes()
        self._attributes: dict[tuple[str, type[Point]], bytes] = {}

    def encode(self, samples: Iterable[Sample], now_seconds: float) -> Encoded:
        """Encode samples that were taken at this time since the epoch."""
        now = _nanoseconds(now_seconds)
        request = ExportMetricsServiceRequest()
        group = request.resource_metrics.add(resource=self._resource)
        metrics = group.scope_metrics.add(scope=self._scope).metrics
        messages: dict[tuple[str, type[Point]], pb.Metric] = {}
        kept: dict[tuple[str, type[Point]], bytes] = {}
        points = 0
        for sample in samples:
            metric, form = sample.series.metric, _form(sample.value)
            message = messages.get((metric.name, form))
            if message is None:
                name, unit = identity(metric)
                message = metrics.add(name=name, unit=unit, description=metric.help)
                messages[metric.name, form] = message
            key = sample.series.prefix, form
            ready = kept[key] = self._attributes.get(key) or _attributes(sample.series, form)
            point = self._add(message, sample, now)
            point.MergeFromString(ready)
            points += 1
        self._attributes = kept
        self._starts.forget(now)
        return Encoded(request.SerializeToString(), points)

    def _add(self, message: pb.Metric, sample: Sample, now: int) -> Point:
        series, value = sample
        if isinstance(value, HistogramValue):
            point = _histogram(message, value)
            point.start_time_unix_nano = self._start(series, value.count, now)
        elif series.metric.kind is Kind.COUNTER:
            message.sum.aggregation_temporality = _CUMULATIVE
            message.sum.is_monotonic = True
            point = _number(message.sum, value)
            point.start_time_unix_nano = self._start(series, value, now)
        else:
            point = _number(message.gauge, value)
        point.time_unix_nano = now
        return point

    def _start(self, series: Series, value: float, now: int) -> int:
        began = self._started if series.metric.name in self._own else None
        return self._starts.start(series.prefix, value, now, began)


def _form(value: float | HistogramValue) -> type[Point]:
    """Return the kind of point that holds such a value: exponential where the fine grain is."""
    if not isinstance(value, HistogramValue):
        return pb.NumberDataPoint
    return pb.HistogramDataPoint if value.fine is None else pb.ExponentialHistogramDataPoint


def _attributes(series: Series, form: type[Point]) -> bytes:
    """Return a series' attributes as bytes of a point: they are the same in every request."""
    return form(attributes=_key_values(attributes(series))).SerializeToString()


def _number(data: pb.Gauge | pb.Sum, value: float) -> Point:
    # Beyond 63 bits a kernel's counter is told with a double's 53.
    if isinstance(value, int) and value in _INT64:
        return data.data_points.add(as_int=value)
    return data.data_points.add(as_double=value)


def _histogram(message: pb.Metric, value: HistogramValue) -> Point:
    if value.fine is None:
        message.histogram.aggregation_temporality = _CUMULATIVE
        return message.histogram.data_points.add(
            count=value.count,
            sum=value.sum,
            explicit_bounds=value.bounds,
            bucket_counts=value.counts,
        )
    message.exponential_histogram.aggregation_temporality = _CUMULATIVE
    buckets = exponential(value.fine)
    return message.exponential_histogram.data_points.add(
        count=value.count,
        sum=value.sum,
        scale=SCALE,
        # No fine bucket holds 0: what was counted and is in none of them was 0.
        zero_count=value.count - sum(value.fine.values()),
        positive=pb.ExponentialHistogramDataPoint.Buckets(
            offset=buckets.offset, bucket_counts=buckets.counts
        ),
    )


def _key_values(pairs: Iterable[tuple[str, str]]) -> list[KeyValue]:
    return [KeyValue(key=name, value=AnyValue(string_value=_utf8(text))) for name, text in pairs]


def _utf8(text: str) -> str:
    """Return text that protobuf takes: a file's name may hold bytes that are no UTF-8."""
    return text.encode(errors="replace").decode()


def _nanoseconds(seconds: float) -> int:
    return max(0, int(seconds * 1e9))
