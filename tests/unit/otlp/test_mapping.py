"""Names in OTLP come back from Prometheus as they stand on /metrics."""

from itertools import product
from pathlib import Path

import pytest

from exporters.catalogue import catalogue
from exporters.core.metric import Kind, Metric, Unit
from exporters.otlp.mapping import (
    ATTRIBUTES,
    UNITS,
    WORKLOAD_ELSEWHERE,
    WORKLOAD_IN_KUBERNETES,
    Identity,
    attributes,
    identity,
)
from exporters.otlp.resource import NODE_ATTRIBUTES
from tests.support.prometheus_names import label_name, prometheus_name

DOCUMENT = Path(__file__).parents[3] / "docs" / "otlp.md"
OTLP_KIND = {
    Kind.GAUGE: "gauge",
    Kind.INFO: "gauge",
    Kind.COUNTER: "sum",
    Kind.HISTOGRAM: "histogram",
}
# A plain subject, and subjects that hold a unit's word, which translators would trip over.
SUBJECTS = (
    "temperature",
    "bytes_in_flight",
    "second_stage",
    "seconds_behind",
    "ratio_limit",
    "hit_ratio",
    "rpm_target",
    "watts_per_second",
    "volts",
)


def product_metrics() -> dict[str, Metric]:
    """Return every metric that tailsight can export, by name."""
    return {metric.name: metric for metrics in catalogue().values() for metric in metrics}


def round_trip(metric: Metric) -> str:
    """Return the metric's name after a Collector turned it into Prometheus' again."""
    name, unit = identity(metric)
    return prometheus_name(name, unit, OTLP_KIND[metric.kind])


def documented(heading: str) -> dict[str, str]:
    """Return the first two columns of the table below a heading, without backticks."""
    text = DOCUMENT.read_text(encoding="utf-8").partition(f"## {heading}\n")[2]
    lines = [line for line in text.partition("\n## ")[0].splitlines() if line.startswith("|")]
    rows = [
        [cell.strip().replace("`", "") for cell in line.strip("|").split("|")] for line in lines
    ]
    return {row[0]: row[1] for row in rows[2:]}


@pytest.mark.parametrize(
    ("kind", "unit", "expected"),
    [
        (Kind.GAUGE, Unit.CELSIUS, ("tailsight.load", "Cel")),
        (Kind.COUNTER, Unit.JOULES, ("tailsight.load", "J")),
        (Kind.HISTOGRAM, Unit.SECONDS, ("tailsight.load", "s")),
        (Kind.GAUGE, Unit.RATIO, ("tailsight.load", "1")),
        (Kind.GAUGE, Unit.BYTES_PER_SECOND, ("tailsight.load", "By/s")),
        (Kind.GAUGE, Unit.RPM, ("tailsight.load", "rpm")),
        (Kind.INFO, Unit.NONE, ("tailsight.load_info", "")),
        (Kind.HISTOGRAM, Unit.RATIO, ("tailsight.load_ratio", "{1}")),
    ],
)
def test_names(kind: Kind, unit: Unit, expected: tuple[str, str]) -> None:
    """A name has its dot after the namespace and leaves out what translators append."""
    assert Identity(*expected) == identity(Metric("load", kind, unit, "A load."))


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_kind_and_unit_comes_back(subject: str) -> None:
    """Whatever kind, unit and subject meet, Prometheus shows the name of /metrics."""
    metrics = [Metric(subject, kind, unit, "A thing.") for kind, unit in product(Kind, Unit)]
    assert [metric.name for metric in metrics] == [round_trip(metric) for metric in metrics]


def test_every_metric_of_the_product_comes_back() -> None:
    """No metric that tailsight defines changes its name on the way through OTLP."""
    metrics = product_metrics()
    assert {"tailsight_throttled_seconds_total", "tailsight_otlp_buffer_bytes"} <= metrics.keys()
    assert {} == {
        name: came for name, metric in metrics.items() if (came := round_trip(metric)) != name
    }


def test_labels_become_attributes() -> None:
    """Labels with a semantic convention take its name, others keep theirs, empty ones go."""
    metric = Metric(
        "load", Kind.GAUGE, Unit.NONE, "A load.", ("gpu", "namespace", "pod", "sensor", "cause")
    )
    series = metric.series(gpu="GPU-1", namespace="shop", pod="cart-0", sensor="temp1", cause="")
    expected = [
        ("hw.id", "GPU-1"),
        ("k8s.namespace.name", "shop"),
        ("k8s.pod.name", "cart-0"),
        ("sensor", "temp1"),
    ]
    assert expected == attributes(series)


@pytest.mark.parametrize(
    ("namespace", "expected"),
    [("shop", WORKLOAD_IN_KUBERNETES), ("", WORKLOAD_ELSEWHERE)],
)
def test_workload(namespace: str, expected: str) -> None:
    """A workload is a service inside Kubernetes and an executable outside."""
    metric = Metric("load", Kind.GAUGE, Unit.NONE, "A load.", ("namespace", "workload"))
    assert (expected, "cart") == attributes(metric.series(namespace=namespace, workload="cart"))[-1]


def test_no_two_labels_meet() -> None:
    """No attribute becomes a label that another label already has."""
    names = [*ATTRIBUTES.values(), WORKLOAD_IN_KUBERNETES, WORKLOAD_ELSEWHERE]
    own = {label for metric in product_metrics().values() for label in metric.labels}
    assert set() == {label_name(name) for name in names} & own


def test_the_document_lists_the_units() -> None:
    """docs/otlp.md has the units that the code has."""
    assert {unit: code for unit, code in UNITS.items() if unit} == documented("Units")


def test_the_document_lists_the_attributes() -> None:
    """docs/otlp.md has the attributes that the code has."""
    workload = {"workload": f"{WORKLOAD_IN_KUBERNETES} or {WORKLOAD_ELSEWHERE}"}
    assert {**ATTRIBUTES, **workload} == documented("Labels")


def test_the_document_lists_the_resource() -> None:
    """docs/otlp.md has the node's resource attributes that the code has."""
    node = {**NODE_ATTRIBUTES, "node": "host.name, k8s.node.name"}
    assert node == documented("Resource")
