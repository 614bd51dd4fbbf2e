"""
Thermal throttling of x86 CPUs, from ``cpuN/thermal_throttle/{core,package}_throttle_*``.

Every thread of a core tells of the same core, and every core of the same package: each is read
once, from the lowest CPU that is online. The counts are kept for each CPU by itself, so when that
one goes offline the next may be a little behind: the totals here then wait for it to catch up.
https://docs.kernel.org/admin-guide/abi-testing.html (sysfs-devices-system-cpu, thermal_throttle)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from exporters.core import (
    Collector,
    Failure,
    FileSensor,
    Kind,
    Metric,
    NoData,
    Root,
    Sample,
    Sensor,
    Series,
    Unit,
)
from exporters.hardware import throttle
from exporters.hardware.counters import Highest
from exporters.hardware.numbers import scaled, whole

PATTERN = "sys/devices/system/cpu/cpu[0-9]*/thermal_throttle"

LONGEST = Metric(
    "throttle_longest",
    Kind.GAUGE,
    Unit.SECONDS,
    "The longest time that throttling has lasted since boot.",
    ("domain", "cause", "source", "device"),
)

_identifier = whole(0, 2**31 - 1)
_milliseconds = scaled(1000, 0, 2**64)
_count = whole()


@dataclass(frozen=True, slots=True)
class NeverBack:
    """A file with a counter that does not fall."""

    series: Series
    where: str
    parse: Callable[[str], float]
    highest: Highest

    def read(self, root: Root) -> Sequence[Sample]:
        """Read the counter."""
        value = self.parse(root.read(self.where))
        return (Sample(self.series, self.highest(self.series.prefix, value)),)


@dataclass(frozen=True, slots=True)
class ThermalThrottle:
    """The collector's memory: how far each counter has come."""

    highest: Highest

    def discover(self, root: Root) -> Iterator[Sensor | Failure]:
        """Find one CPU for each core and each package."""
        folders = root.glob(PATTERN)
        if not folders:
            msg = f"no /{PATTERN}: the CPU or its driver does not count throttling"
            raise NoData(msg)
        seen: set[str] = set()
        for folder in folders:
            try:
                places = _places(root, folder.removesuffix("/thermal_throttle"))
                files = frozenset(root.names(folder))
            except (OSError, ValueError) as error:
                yield Failure(folder, error)
                continue
            for level, device in places.items():
                if device not in seen:
                    seen.add(device)
                    yield from self._sensors(folder, files, level, device)

    def _sensors(
        self, folder: str, files: frozenset[str], level: str, device: str
    ) -> Iterator[Sensor]:
        labels = {
            "domain": "cpu",
            "cause": "thermal",
            "source": "thermal_throttle",
            "device": device,
        }
        # Kernels before 5.4 have the counts only.
        for metric, what, parse in (
            (throttle.EVENTS, "count", _count),
            (throttle.SECONDS, "total_time_ms", _milliseconds),
        ):
            if (name := f"{level}_throttle_{what}") in files:
                series = metric.series(**labels)
                yield NeverBack(series, f"{folder}/{name}", parse, self.highest)
        if (name := f"{level}_throttle_max_time_ms") in files:
            yield FileSensor(LONGEST.series(**labels), f"{folder}/{name}", _milliseconds)


def _places(root: Root, cpu: str) -> dict[str, str]:
    """
    Return what a CPU is part of, by the level of the files that tell of it.

    Raises:
        OSError: the CPU has no topology: it is going offline, or the kernel knows none.
        ValueError: the topology is not to be understood.
    """
    package = int(_identifier(root.read(f"{cpu}/topology/physical_package_id")))
    core = int(_identifier(root.read(f"{cpu}/topology/core_id")))
    return {"core": f"package{package}/core{core}", "package": f"package{package}"}


def collector() -> Collector:
    """Return the collector with a memory of its own."""
    return Collector(
        "cpu_throttle",
        (throttle.EVENTS, throttle.SECONDS, LONGEST),
        ThermalThrottle(Highest()).discover,
        source=f"/{PATTERN}",
        advice=(
            "Intel CPUs have it, with CONFIG_X86_THERMAL_VECTOR; those of AMD, Arm and virtual "
            "machines do not"
        ),
    )
