"""
What the CPUs did with their time, and what the kernel counts beside it, from ``/proc/stat``.

A CPU that is offline has no line there, so no series either.
"""

from collections.abc import Hashable, Iterator, Sequence

from exporters.core import Collector, Kind, Metric, Root, Sample, Series, Unit
from exporters.hardware.counters import Unwrapped
from exporters.host.files import MOUNT, sensor_of
from exporters.host.stat import (
    GUEST_MODES,
    MODES,
    TICKS_PER_SECOND,
    Stat,
    Steady,
    parse_stat,
)
from exporters.host.totals import Member, Totals

STAT = "proc/stat"

SECONDS = Metric(
    "cpu",
    Kind.COUNTER,
    Unit.SECONDS,
    "Time that a CPU has spent in each mode; those beyond the first 128 together are cpu other.",
    ("cpu", "mode"),
)
GUEST_SECONDS = Metric(
    "cpu_guest",
    Kind.COUNTER,
    Unit.SECONDS,
    "Time that a CPU has run virtual CPUs; modes user and nice of the CPU contain it.",
    ("cpu", "mode"),
)
COUNTS = {
    "ctxt": Metric("context_switches", Kind.COUNTER, Unit.NONE, "Context switches since boot."),
    "processes": Metric("forks", Kind.COUNTER, Unit.NONE, "Tasks created since boot."),
    "procs_running": Metric(
        "procs_running", Kind.GAUGE, Unit.NONE, "Tasks that run or wait for a CPU."
    ),
    "procs_blocked": Metric(
        "procs_blocked", Kind.GAUGE, Unit.NONE, "Tasks that wait for I/O to complete."
    ),
    "btime": Metric(
        "boot_time", Kind.GAUGE, Unit.SECONDS, "When the node was booted, in Unix time."
    ),
    "intr": Metric("intr", Kind.COUNTER, Unit.NONE, "Interrupts of all kinds since boot."),
}
METRICS = (SECONDS, GUEST_SECONDS, *COUNTS.values())

MOST_CPUS = 128
"""CPUs below this number have series of their own."""
OTHER = "other"
# Parts of ``intr`` are sums of 32-bit counters of each CPU, each of which wraps.
_WRAPPING = {"intr": 2.0**32}
_FASTEST = 1e8
"""More interrupts than a node can take in a second."""

_COUNT_SERIES = {key: metric.series() for key, metric in COUNTS.items()}


class Cpus:
    """The file, its series, and what keeps its counters from going back."""

    where = STAT

    def __init__(self) -> None:
        self._steady = Steady()
        self._unwrapped = Unwrapped(_FASTEST)
        self._others = Totals()
        self._series: dict[str, Sequence[Series]] = {}

    def read(self, root: Root) -> Sequence[Sample]:
        """Read the file."""
        stat = parse_stat(root.read(STAT))
        return [*self._times(stat), *self._counts(stat, root.monotonic())]

    def _times(self, stat: Stat) -> Iterator[Sample]:
        rest: dict[Hashable, Member] = {}
        for cpu, now in stat.cpus.items():
            ticks = self._steady(cpu, now)
            if cpu < MOST_CPUS:
                yield from self._samples(str(cpu), ticks)
            else:
                rest[cpu] = Member(OTHER, ticks, born=False)
        if rest:
            yield from self._samples(OTHER, self._others.look(rest)[OTHER])

    def _samples(self, cpu: str, ticks: Sequence[float]) -> Iterator[Sample]:
        if cpu not in self._series:
            self._series[cpu] = (
                *(SECONDS.series(cpu=cpu, mode=mode) for mode in MODES),
                *(GUEST_SECONDS.series(cpu=cpu, mode=mode) for mode in GUEST_MODES),
            )
        for series, value in zip(self._series[cpu], ticks, strict=True):
            yield Sample(series, value / TICKS_PER_SECOND)

    def _counts(self, stat: Stat, seconds: float) -> Iterator[Sample]:
        for key, raw in stat.counts.items():
            limit = _WRAPPING.get(key)
            value = raw if limit is None else self._unwrapped(key, raw, limit, seconds)
            yield Sample(_COUNT_SERIES[key], value)


def collector() -> Collector:
    """Return the collector; it remembers how far each counter has come."""
    return Collector(
        "cpu",
        METRICS,
        sensor_of(Cpus()),
        source=f"/{STAT}",
        advice=MOUNT,
    )
