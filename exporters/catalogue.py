"""Every metric that tailsight can export, from the objects that export it."""

from collections.abc import Iterable, Mapping

from exporters import clock, hardware, host
from exporters.clock import ClockOptions
from exporters.core import selfmetrics
from exporters.core.metric import Metric
from exporters.hardware.nvml import NvmlOptions
from exporters.host import HostOptions
from exporters.hotplug import watcher
from exporters.otlp import stats


def catalogue() -> dict[str, tuple[Metric, ...]]:
    """
    Return the metrics by the collector, or the part of the agent, that has them.

    Raises:
        ValueError: two metrics share a name.
    """
    collectors = (
        *hardware.parts({}, NvmlOptions()).collectors,
        *host.parts(HostOptions()).collectors,
        *clock.collectors(ClockOptions()),
    )
    found = {one.name: one.metrics for one in collectors}
    found["agent"] = (*selfmetrics.METRICS, *watcher.METRICS, *stats.METRICS)
    refuse_twins(found)
    return found


def refuse_twins(found: Mapping[str, Iterable[Metric]]) -> None:
    """Raise ValueError where two different metrics have one name."""
    by_name: dict[str, Metric] = {}
    for owner, metrics in found.items():
        for metric in metrics:
            if by_name.setdefault(metric.name, metric) != metric:
                msg = f"{owner} has another {metric.name} than there was before"
                raise ValueError(msg)
