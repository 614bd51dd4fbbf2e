"""Looks into what a collector's run gave, by metric and label."""

from exporters.core import Metric
from exporters.core.task import Outcome


def readings(outcome: Outcome, metric: Metric, *labels: str) -> dict[object, object]:
    """
    Return the values of a metric by some of its labels: a text for one label, else a tuple.

    Two series that these labels do not tell apart fail the test.
    """
    found: dict[object, object] = {}
    for series, value in outcome.samples:
        if series.metric is metric:
            pairs = dict(zip(metric.labels, series.values, strict=True))
            key = pairs[labels[0]] if len(labels) == 1 else tuple(pairs[name] for name in labels)
            assert key not in found, f"{labels} do not tell apart {series.prefix}"
            found[key] = value
    return found


def failed(outcome: Outcome) -> list[str]:
    """Return the paths of what could not be read, sorted."""
    return sorted(failure.where for failure in outcome.failures)
