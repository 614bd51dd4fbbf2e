"""How fast samples become text, against prometheus-client, and what gzip costs."""

import gzip
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from prometheus_client import CollectorRegistry, Gauge, generate_latest

from exporters.core.exposition import render
from exporters.core.metric import Kind, Metric, Sample, Unit

METRIC = Metric(
    "bench_temperature", Kind.GAUGE, Unit.CELSIUS, "A value.", ("chip", "device", "sensor")
)
LEVELS = (1, 6, 9)
ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Exposition:
    """One way to write so many series."""

    series: int
    how: str
    milliseconds: float
    """The median of five runs."""
    peak_mib: float
    """The most memory that a run allocated, by tracemalloc."""
    size_kib: float


def labels(number: int) -> dict[str, str]:
    """Return the labels of one series."""
    return {
        "chip": "coretemp",
        "device": f"platform/coretemp.{number // 8}",
        "sensor": f"t{number}",
    }


def measure(series: int) -> Iterator[Exposition]:
    """Write so many series in both ways, and compress the text."""
    samples = [METRIC.sample(40 + number / 8, **labels(number)) for number in range(series)]
    registry = CollectorRegistry()
    gauge = Gauge(METRIC.name, METRIC.help, METRIC.labels, registry=registry)
    for number in range(series):
        gauge.labels(**labels(number)).set(40 + number / 8)
    text = b"".join(render(samples))
    yield _measure(series, "tailsight, in chunks", lambda: _drain(samples), len(text))
    yield _measure(series, "prometheus-client", lambda: generate_latest(registry), len(text))
    for level in LEVELS:
        packed = len(gzip.compress(text, level))
        yield _measure(series, f"gzip level {level}", partial(gzip.compress, text, level), packed)


def _drain(samples: list[Sample]) -> None:
    """Write as the server does: no chunk outlives the next."""
    for _ in render(samples):
        pass


def _measure(series: int, how: str, run: Callable[[], object], size: int) -> Exposition:
    seconds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - started)
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    median = statistics.median(seconds) * 1000
    return Exposition(series, how, median, peak / 2**20, size / 1024)
