"""
What intel_pstate lets the CPUs do, from ``/sys/devices/system/cpu/intel_pstate``.

https://docs.kernel.org/admin-guide/pm/intel_pstate.html
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from exporters.core import Collector, Kind, Metric, NoData, Root, Sample, Sensor, Unit
from exporters.hardware.cpufreq import BOOST
from exporters.hardware.numbers import scaled, whole

FOLDER = "sys/devices/system/cpu/intel_pstate"
STATUS = Metric(
    "intel_pstate", Kind.INFO, Unit.NONE, "Mode of the intel_pstate driver.", ("status",)
)
PERFORMANCE_LIMIT = Metric(
    "cpu_performance_limit",
    Kind.GAUGE,
    Unit.RATIO,
    "Limit of the performance that intel_pstate may choose, of the highest that there is.",
    ("limit",),
)
STATUSES = frozenset({"active", "passive", "off"})

_flag = whole(0, 1)
_percent = scaled(100, 0, 1)


def parse_status(text: str) -> Sequence[Sample]:
    """
    Turn the driver's mode into a sample.

    Raises:
        ValueError: it is none of the modes that the kernel documents.
    """
    if text not in STATUSES:
        msg = f"not a mode of intel_pstate: {text[:40]!r}"
        raise ValueError(msg)
    return (STATUS.sample(1, status=text),)


def parse_no_turbo(text: str) -> Sequence[Sample]:
    """Turn "no turbo" into whether there is boost; raises ValueError for what is not 0 or 1."""
    return (BOOST.sample(1 - int(_flag(text)), source="intel_pstate"),)


@dataclass(frozen=True, slots=True)
class UnlessOff:
    """A file of the driver; all but its status answer EAGAIN while it is off."""

    where: str
    parse: Callable[[str], Sequence[Sample]]

    def read(self, root: Root) -> Sequence[Sample]:
        """Read it; nothing while the driver is off."""
        try:
            text = root.read(self.where)
        except BlockingIOError:
            return ()
        return self.parse(text)


PARSERS: Mapping[str, Callable[[str], Sequence[Sample]]] = {
    "status": parse_status,
    "no_turbo": parse_no_turbo,
    "min_perf_pct": lambda text: (PERFORMANCE_LIMIT.sample(_percent(text), limit="min"),),
    "max_perf_pct": lambda text: (PERFORMANCE_LIMIT.sample(_percent(text), limit="max"),),
}


def discover(root: Root) -> Iterator[Sensor]:
    """Find the driver's files."""
    files = set(root.names(FOLDER))
    if not files:
        msg = f"no /{FOLDER}: the CPUs have another frequency driver"
        raise NoData(msg)
    for name, parse in PARSERS.items():
        if name in files:
            yield UnlessOff(f"{FOLDER}/{name}", parse)


COLLECTOR = Collector(
    "intel_pstate",
    (STATUS, PERFORMANCE_LIMIT, BOOST),
    discover,
    source=f"/{FOLDER}",
    advice=(
        "Intel CPUs have it, with CONFIG_X86_INTEL_PSTATE and without intel_pstate=disable on the "
        "kernel's command line; virtual machines do not"
    ),
)
