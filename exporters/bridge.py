"""
For Python programs with a prometheus-client registry of their own: tailsight as one collector.

``registry.register(Bridge(agent))`` adds the node's metrics to the program's. The agent itself
does not use this: importing prometheus-client costs 9 MB (docs/adr/0004).
"""

from collections.abc import Iterator

from prometheus_client.metrics_core import Metric as Family

from exporters.core.agent import Agent
from exporters.core.histogram import HistogramValue
from exporters.core.metric import Metric, Sample


class Bridge:
    """A collector for prometheus-client that answers with an agent's scrape."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def describe(self) -> Iterator[Family]:
        """Yield nothing: to be registered must not read sensors."""
        return iter(())

    def collect(self) -> Iterator[Family]:
        """Scrape, and yield the families, sorted by name."""
        families: dict[str, tuple[Metric, list[Sample]]] = {}
        for sample in self._agent.scrape(None).samples:
            metric = sample.series.metric
            families.setdefault(metric.name, (metric, []))[1].append(sample)
        for name, (metric, samples) in sorted(families.items()):
            base = name.removesuffix("_total").removesuffix("_info")
            family = Family(base, metric.help, metric.kind)
            for sample in samples:
                _add(family, sample)
            yield family


def _add(family: Family, sample: Sample) -> None:
    series, value = sample
    name = series.metric.name
    labels = dict(zip(series.metric.labels, series.values, strict=True))
    if not isinstance(value, HistogramValue):
        family.add_sample(name, labels, value)
        return
    for bound, count in value.cumulated():
        family.add_sample(f"{name}_bucket", {**labels, "le": bound}, count)
    family.add_sample(f"{name}_count", labels, value.count)
    family.add_sample(f"{name}_sum", labels, value.sum)
