"""
What the kernel does against heat.

``/sys/class/thermal/cooling_device*/{type,cur_state,max_state}``.

A state above 0 of a device that slows something down is throttling (docs/throttling.md).
https://docs.kernel.org/driver-api/thermal/sysfs-api.html
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

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
from exporters.hardware import throttle
from exporters.hardware.facts import tidy
from exporters.hardware.gpu_names import GPUS
from exporters.hardware.known import limit, read_limits
from exporters.hardware.numbers import whole

STATE = Metric(
    "cooling_state",
    Kind.GAUGE,
    Unit.NONE,
    "How hard a cooling device works, 0 is not at all.",
    ("device", "type"),
)
MAX_STATE = Metric(
    "cooling_state_max",
    Kind.GAUGE,
    Unit.NONE,
    "The highest state of a cooling device.",
    ("device", "type"),
)

# Which types slow what down; the first pattern that fits counts. Types that fit none, such as
# pwm-fan, hot-surface-alert, Processor and Fan, cool or warn and throttle nothing.
THROTTLES = (
    ("cpu-throttle-alert", "cpu"),
    ("gpu-throttle-alert", "gpu"),
    ("cv[0-9]-throttle-alert", "cv"),
    ("*-throttle-alert", "soc"),
    ("cpufreq-*", "cpu"),
    ("thermal-cpufreq-*", "cpu"),  # older kernels number them
    *((f"devfreq-{gpu}", "gpu") for gpu in GPUS),
    *((gpu, "gpu") for gpu in GPUS),  # Thor: gpu-gpc-0; Jetson Linux 5.10: 17000000.ga10b
    ("devfreq-*", "soc"),
    ("thermal-devfreq-*", "soc"),  # which do not say whose they are
    ("cpu-balanced", "cpu"),  # Jetson Linux 4.9, as the three below
    ("gpu-balanced", "gpu"),
    ("emergency-balanced", "soc"),
    ("tegra-heavy", "soc"),
)
# What a driver answers while it is switched off, so that there is no state to tell
# (docs.kernel.org/admin-guide/thermal/intel_powerclamp.html).
OFF = {"intel_powerclamp": "-1"}

state = whole(0, 2**31 - 1)
"""A cooling state; drivers give up to 2**31 - 1."""


@dataclass(frozen=True, slots=True)
class Device:
    """A cooling device."""

    folder: str
    type: str
    twin: bool
    """Whether another device has the same type."""

    @property
    def number(self) -> str:
        """The kernel's name for it, such as cooling_device3."""
        return self.folder.rpartition("/")[2]

    @property
    def domain(self) -> str | None:
        """What it slows down; None where it slows nothing."""
        fitting = (domain for pattern, domain in THROTTLES if fnmatchcase(self.type, pattern))
        return next(fitting, None)

    def throttling(self) -> dict[str, str]:
        """Return the labels of the throttling that it does, of which a GPU's join with others."""
        name = self.type.removeprefix("devfreq-") if self.domain == "gpu" else self.type
        return {
            "domain": self.domain or "",
            "cause": "thermal",
            "source": "cooling_device",
            "device": f"{name}#{self.number}" if self.twin else name,
        }


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the cooling devices."""
    folders = root.glob("sys/class/thermal/cooling_device*")
    if not folders:
        msg = "no cooling device: /sys/class/thermal has none"
        raise NoData(msg)
    types: dict[str, str] = {}
    for folder in folders:
        try:
            types[folder] = tidy(root.read(f"{folder}/type"))
        except OSError as error:
            yield Failure(f"{folder}/type", error)
    count = Counter(types.values())
    for folder, kind in types.items():
        yield _sensor(Device(folder, kind, count[kind] > 1))
    maxima = (
        (
            MAX_STATE.series(device=folder.rpartition("/")[2], type=kind),
            f"{folder}/max_state",
            limit(1, 0, 2**31 - 1),
        )
        for folder, kind in types.items()
    )
    yield from read_limits(root, "sys/class/thermal/cooling_device*/max_state", maxima)


def _sensor(device: Device) -> Sensor:
    series = STATE.series(device=device.number, type=device.type)
    path = f"{device.folder}/cur_state"
    off = OFF.get(device.type)
    if device.domain is None and off is None:
        return FileSensor(series, path, state)
    active = throttle.ACTIVE.series(**device.throttling()) if device.domain else None

    def parse(text: str) -> Sequence[Sample]:
        if text == off:
            return ()
        value = state(text)
        first = Sample(series, value)
        return (first, Sample(active, int(value > 0))) if active else (first,)

    return FilesSensor(path, (path,), parse)


COLLECTOR = Collector(
    "cooling",
    (STATE, MAX_STATE, throttle.ACTIVE),
    discover,
    source="/sys/class/thermal/cooling_device*",
    advice=(
        "needs CONFIG_THERMAL and what can be slowed down (CONFIG_ACPI_PROCESSOR, with a device "
        "tree CONFIG_CPU_THERMAL, CONFIG_DEVFREQ_THERMAL or CONFIG_SENSORS_PWM_FAN); virtual "
        "machines have none"
    ),
)
