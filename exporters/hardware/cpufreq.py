"""
CPU frequencies from ``/sys/devices/system/cpu/cpufreq/policy*``.

CPUs that share a clock share a policy, so each policy is read once, not each of its CPUs. Even
that wakes a CPU and can raise what it measures (node_exporter#2312): on an idle machine
``scaling_cur_freq`` is at the high side. Kernels without policy folders have ``cpuN/cpufreq``.

``cpuinfo_cur_freq``, which asks the hardware, is root's alone (mode 0400). Where it is denied and
``scaling_cur_freq`` is there, it is left out without a word: nothing is broken.
https://docs.kernel.org/admin-guide/pm/cpufreq.html
"""

import errno
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exporters.core import (
    Collector,
    Failure,
    FileSensor,
    FilesSensor,
    Kind,
    Metric,
    NoData,
    Root,
    Sample,
    Sensor,
    Unit,
)
from exporters.hardware.cpulist import parse_cpus, show_cpus
from exporters.hardware.facts import tidy
from exporters.hardware.governor import parse_governor
from exporters.hardware.known import limit, read_limits
from exporters.hardware.numbers import scaled, whole

CPU = "sys/devices/system/cpu"
LABELS = ("policy", "cpus")

FREQUENCY = Metric(
    "cpu_frequency",
    Kind.GAUGE,
    Unit.HERTZ,
    "Frequency of the CPUs of a policy, as the kernel last requested or estimated it.",
    LABELS,
)
HARDWARE_FREQUENCY = Metric(
    "cpu_hardware_frequency",
    Kind.GAUGE,
    Unit.HERTZ,
    "Frequency of the CPUs of a policy, as obtained from the hardware; readable by root only.",
    LABELS,
)
FREQUENCY_LIMIT = Metric(
    "cpu_frequency_limit",
    Kind.GAUGE,
    Unit.HERTZ,
    "Limit of a policy: scaling ones are in force, cpuinfo ones are what the CPU can do.",
    (*LABELS, "limit"),
)
POLICY = Metric(
    "cpu_frequency_policy",
    Kind.INFO,
    Unit.NONE,
    "Driver, governor and energy preference of a policy.",
    (*LABELS, "driver", "governor", "preference"),
)
BOOST = Metric(
    "cpu_boost",
    Kind.GAUGE,
    Unit.NONE,
    "Whether CPUs may run above their nominal frequency.",
    ("source",),
)

# What may change at any time, by an administrator or to cool down, is read at every scrape.
LIVE_LIMITS = {"scaling_min": "scaling_min_freq", "scaling_max": "scaling_max_freq"}
FIXED_LIMITS = {
    "cpuinfo_min": "cpuinfo_min_freq",
    "cpuinfo_max": "cpuinfo_max_freq",
    "base": "base_frequency",
}
_KILO, _LOWEST, _HIGHEST = 1000, 1e3, 1e11

_kilohertz = scaled(1, _LOWEST / _KILO, _HIGHEST / _KILO)


def hertz(text: str) -> float:
    """
    Turn kilohertz into hertz.

    Raises:
        ValueError: no number, such as ``<unknown>``, or none that a running CPU has, such as 0.
    """
    return _kilohertz(text) * _KILO


@dataclass(frozen=True, slots=True)
class WhileOnline:
    """
    A sensor of CPUs that may be switched off, which is an answer and not a failure.

    All files of a policy without a CPU that is online answer EBUSY (node_exporter#2577).
    """

    sensor: Sensor

    @property
    def where(self) -> str:
        """What is read."""
        return self.sensor.where

    def read(self, root: Root) -> Sequence[Sample]:
        """Read it; nothing while its CPUs are offline."""
        try:
            return self.sensor.read(root)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            return ()


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the policies."""
    folders = root.glob(f"{CPU}/cpufreq/policy*") or _folders_of_cpus(root)
    if not folders:
        msg = f"no CPU frequency policy at /{CPU}/cpufreq"
        raise NoData(msg)
    boost = f"{CPU}/cpufreq/boost"
    if root.exists(boost):
        yield FileSensor(BOOST.series(source="cpufreq"), boost, whole(0, 1))
    for folder in folders:
        try:
            yield from _policy(root, folder)
        except OSError as error:
            if error.errno != errno.EBUSY:
                yield Failure(folder, error)
        except ValueError as error:
            yield Failure(folder, error)


def _folders_of_cpus(root: Root) -> list[str]:
    """Return the folders that older kernels have; CPUs that share one have links to it."""
    found = root.glob(f"{CPU}/cpu[0-9]*/cpufreq")
    by_place = {root.resolve(folder): folder for folder in reversed(found)}
    return [folder for folder in found if folder in by_place.values()]


def _policy(root: Root, folder: str) -> Iterator[Sensor | Failure]:
    files = set(root.names(folder))
    name = folder.removesuffix("/cpufreq").rpartition("/")[2]
    # Not affected_cpus, which changes when a CPU goes offline and would rename the series.
    listed = root.read(f"{folder}/related_cpus") if "related_cpus" in files else ""
    cpus = show_cpus(parse_cpus(listed))
    labels = {"policy": name, "cpus": cpus}
    for metric, file in _frequencies(root, folder, files):
        yield WhileOnline(FileSensor(metric.series(**labels), f"{folder}/{file}", hertz))
    for which, file in LIVE_LIMITS.items():
        if file in files:
            series = FREQUENCY_LIMIT.series(**labels, limit=which)
            yield WhileOnline(FileSensor(series, f"{folder}/{file}", hertz))
    if "scaling_governor" in files:
        yield WhileOnline(_info(root, folder, files, labels))
    fixed = (
        (
            FREQUENCY_LIMIT.series(**labels, limit=which),
            f"{folder}/{file}",
            lambda text: None if (khz := _limit(text)) is None else khz * _KILO,
        )
        for which, file in FIXED_LIMITS.items()
        if file in files
    )
    yield from read_limits(root, folder, fixed)


_limit = limit(1, _LOWEST / _KILO, _HIGHEST / _KILO)


def _frequencies(root: Root, folder: str, files: set[str]) -> Iterator[tuple[Metric, str]]:
    if "scaling_cur_freq" in files:
        yield FREQUENCY, "scaling_cur_freq"
    if "cpuinfo_cur_freq" in files:
        try:
            root.read(f"{folder}/cpuinfo_cur_freq")
        except PermissionError:
            if "scaling_cur_freq" in files:
                return
        except OSError:
            pass  # its own read will tell
        yield HARDWARE_FREQUENCY, "cpuinfo_cur_freq"


def _info(root: Root, folder: str, files: set[str], labels: dict[str, str]) -> Sensor:
    driver = tidy(root.read(f"{folder}/scaling_driver")) if "scaling_driver" in files else ""
    optional = "energy_performance_preference"
    names = ("scaling_governor", *([optional] if optional in files else ()))

    def parse(governor: str, preference: str = "") -> Sequence[Sample]:
        more = {
            "driver": driver,
            "governor": parse_governor(governor),
            "preference": tidy(preference),
        }
        return (POLICY.sample(1, **labels, **more),)

    return FilesSensor(
        f"{folder}/scaling_governor", tuple(f"{folder}/{name}" for name in names), parse
    )


COLLECTOR = Collector(
    "cpufreq",
    (FREQUENCY, HARDWARE_FREQUENCY, FREQUENCY_LIMIT, POLICY, BOOST),
    discover,
    source=f"/{CPU}/cpufreq/policy*",
    advice=(
        "needs CONFIG_CPU_FREQ and the driver of the CPU (CONFIG_X86_INTEL_PSTATE, "
        "CONFIG_X86_AMD_PSTATE, CONFIG_X86_ACPI_CPUFREQ, with a device tree CONFIG_CPUFREQ_DT or "
        "one of its chip); virtual machines have none"
    ),
)
