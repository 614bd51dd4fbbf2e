"""
Writes samples as Prometheus text or OpenMetrics, in an order that never changes.

By hand, since this is the hot path: each series carries the text before its value ready made.
Parsers of prometheus-client and promtool are its tests' oracles (docs/adr/0004).

https://prometheus.io/docs/instrumenting/exposition_formats/
https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
"""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from exporters.core.histogram import HistogramValue
from exporters.core.metric import Kind, Metric, Sample, Series, Unit

CHUNK = 1000
"""Lines that are written at once, which bounds what a scrape holds in memory."""

_by_prefix = attrgetter("series.prefix")


def render(samples: Iterable[Sample], *, openmetrics: bool = False) -> Iterator[bytes]:
    """Yield the exposition of the samples, sorted by family and labels, in chunks."""
    families: dict[str, list[Sample]] = {}
    for sample in samples:
        families.setdefault(sample.series.metric.name, []).append(sample)
    lines: list[str] = []
    for name in sorted(families):
        family = families[name]
        lines.append(_head(family[0].series.metric, openmetrics=openmetrics))
        family.sort(key=_by_prefix)
        for start in range(0, len(family), CHUNK):
            lines.extend(_lines(family[start : start + CHUNK]))
            if len(lines) >= CHUNK:
                yield _utf8(lines)
                lines.clear()
    if openmetrics:
        lines.append("# EOF\n")
    yield _utf8(lines)


def _utf8(lines: Sequence[str]) -> bytes:
    """Return the lines as UTF-8; a file's name, which became a label, may be none."""
    return "".join(lines).encode(errors="replace")


def _lines(samples: Sequence[Sample]) -> Iterator[str]:
    for series, value in samples:
        if isinstance(value, HistogramValue):
            yield from _histogram(series, value)
        else:
            yield f"{series.prefix}{value!r}\n"


def _histogram(series: Series, value: HistogramValue) -> Iterator[str]:
    name = series.metric.name
    before = f"{series.pairs}," if series.pairs else ""
    for bound, count in value.cumulated():
        yield f'{name}_bucket{{{before}le="{bound}"}} {count}\n'
    pairs = f"{{{series.pairs}}}" if series.pairs else ""
    yield f"{name}_sum{pairs} {value.sum!r}\n"
    yield f"{name}_count{pairs} {value.count}\n"


def _head(metric: Metric, *, openmetrics: bool) -> str:
    text = metric.help.replace("\\", r"\\")
    if not openmetrics:
        kind = Kind.GAUGE if metric.kind is Kind.INFO else metric.kind
        return f"# HELP {metric.name} {text}\n# TYPE {metric.name} {kind}\n"
    family = metric.name.removesuffix("_total").removesuffix("_info")
    unit = f"# UNIT {family} {metric.unit}\n" if metric.unit is not Unit.NONE else ""
    return f"# TYPE {family} {metric.kind}\n{unit}# HELP {family} {text}\n"
