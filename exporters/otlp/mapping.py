"""
Names in OpenTelemetry's way, chosen so that Prometheus shows again what ``/metrics`` shows.

A Collector's Prometheus exporters and Prometheus' own OTLP receiver turn dots into underscores,
append the unit as a word, ``_total`` to monotonic sums and ``_ratio`` to gauges of unit 1. So
the OTLP name leaves out exactly what they append. docs/otlp.md holds these tables for people.

https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/
"""

from collections.abc import Mapping
from typing import NamedTuple

from exporters.core.metric import NAMESPACE, Kind, Metric, Series, Unit

UNITS: Mapping[Unit, str] = {
    Unit.NONE: "",
    Unit.AMPERES: "A",
    Unit.BYTES: "By",
    Unit.CELSIUS: "Cel",
    Unit.HERTZ: "Hz",
    Unit.JOULES: "J",
    Unit.RATIO: "1",
    Unit.SECONDS: "s",
    Unit.VOLTS: "V",
    Unit.WATTS: "W",
    Unit.BYTES_PER_SECOND: "By/s",
    # UCUM has no such unit. The semantic convention for hw.fan.speed has, and what translators
    # do not know they append as it is.
    Unit.RPM: "rpm",
}
"""Codes of the Unified Code for Units of Measure, which OpenTelemetry asks for."""

ATTRIBUTES: Mapping[str, str] = {
    "gpu": "hw.id",
    "namespace": "k8s.namespace.name",
    "pod": "k8s.pod.name",
    "container": "k8s.container.name",
}
"""Labels with a name in the semantic conventions; all others keep theirs."""

WORKLOAD = "workload"
WORKLOAD_IN_KUBERNETES = "service.name"
WORKLOAD_ELSEWHERE = "process.executable.name"


class Identity(NamedTuple):
    """What OTLP calls a metric."""

    name: str
    unit: str


def identity(metric: Metric) -> Identity:
    """
    Return the metric's name and unit in OTLP.

    A translator appends no unit whose word the name holds already, wherever it stands, and 1
    becomes a word on gauges only. There the name spells its unit out, and the unit stands in
    braces, which by UCUM make it a remark that translators drop.
    """
    stem = f"{NAMESPACE}.{metric.subject}"
    unit = UNITS[metric.unit]
    if metric.unit is not Unit.NONE and _would_be_lost(metric):
        stem, unit = f"{stem}_{metric.unit}", f"{{{unit}}}"
    # A gauge, as text formats have it: the specification maps Info to a non-monotonic sum, from
    # which translators make the same Prometheus gauge, only that a sum needs a start time.
    return Identity(f"{stem}_info" if metric.kind is Kind.INFO else stem, unit)


def _would_be_lost(metric: Metric) -> bool:
    if metric.unit is Unit.RATIO and metric.kind is not Kind.GAUGE:
        return True
    words = {*metric.unit.split("_"), metric.unit}
    return metric.kind is Kind.INFO or not words.isdisjoint(metric.subject.split("_"))


def attributes(series: Series) -> list[tuple[str, str]]:
    """
    Return the attributes of a series' points.

    An empty label value is no attribute, as it is no label to Prometheus.
    """
    labels = dict(zip(series.metric.labels, series.values, strict=True))
    workload = WORKLOAD_IN_KUBERNETES if labels.get("namespace") else WORKLOAD_ELSEWHERE
    names = {**ATTRIBUTES, WORKLOAD: workload}
    return [(names.get(name, name), value) for name, value in labels.items() if value]
