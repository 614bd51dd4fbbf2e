"""
Devices with a clock of their own, GPUs among them: ``/sys/class/devfreq/*``.

On a Jetson the GPU's ``load`` lies beside, in the folder of its device.
https://docs.kernel.org/driver-api/devfreq.html
"""

import re
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
    Series,
    Unit,
)
from exporters.hardware.governor import parse_governor
from exporters.hardware.gpu_names import is_gpu
from exporters.hardware.numbers import scaled
from exporters.hardware.nvml.load import UTILIZATION

FOLDER = "sys/class/devfreq"
LABELS = ("device", "gpu")

FREQUENCY = Metric(
    "devfreq_frequency",
    Kind.GAUGE,
    Unit.HERTZ,
    "Frequency of a device; gpu is its name where it is a GPU.",
    LABELS,
)
TARGET = Metric(
    "devfreq_target_frequency",
    Kind.GAUGE,
    Unit.HERTZ,
    "Frequency that a device's governor last asked for.",
    LABELS,
)
LIMIT = Metric(
    "devfreq_frequency_limit",
    Kind.GAUGE,
    Unit.HERTZ,
    "Limit in force of a device's frequency.",
    (*LABELS, "limit"),
)
GOVERNOR = Metric(
    "devfreq", Kind.INFO, Unit.NONE, "Governor of a device's frequency.", (*LABELS, "governor")
)

LIMITS = {"min": "min_freq", "max": "max_freq"}
# What Jetson Linux calls the GPU, whatever its device is called: until JetPack 5, and since.
TEGRA_GPUS = ("sys/devices/gpu.0", "sys/devices/platform/gpu.0")

# Kernels 4.14 to 4.19 number the devices of the class, in the order of probing.
_NUMBERED = re.compile(r"devfreq\d+")

hertz = scaled(1, 0, 1e11)
per_mille = scaled(1000, 0, 1)
"""How busy the GPU was, in thousandths (nvgpu, drivers/gpu/nvgpu/os/linux/sysfs.c)."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device with a frequency."""

    folder: str
    """Where its files lie."""
    name: str

    @property
    def labels(self) -> dict[str, str]:
        """Return its labels."""
        return {"device": self.name, "gpu": self.name if is_gpu(self.name) else ""}


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the devices, and the load of the GPUs among them."""
    devices = [find_device(root, name) for name in root.names(FOLDER)]
    loads = list(_loads(root, [device for device in devices if is_gpu(device.name)]))
    if not devices and not loads:
        msg = f"no device at /{FOLDER}"
        raise NoData(msg)
    for device in devices:
        try:
            files = frozenset(root.names(device.folder))
        except OSError as error:
            yield Failure(device.folder, error)
        else:
            yield from _sensors(device, files)
    yield from loads


def find_device(root: Root, name: str) -> Device:
    """Return the device behind a name in the class."""
    folder = f"{FOLDER}/{name}"
    if _NUMBERED.fullmatch(name) and root.exists(f"{folder}/device"):
        name = root.resolve(f"{folder}/device").rpartition("/")[2]
    return Device(folder, name)


def _sensors(device: Device, files: frozenset[str]) -> Iterator[Sensor]:
    folder, labels = device.folder, device.labels
    for metric, file in ((FREQUENCY, "cur_freq"), (TARGET, "target_freq")):
        if file in files:
            yield FileSensor(metric.series(**labels), f"{folder}/{file}", hertz)
    for which, file in LIMITS.items():
        if file in files:
            yield _limit(LIMIT.series(**labels, limit=which), f"{folder}/{file}")
    if "governor" in files:
        yield _governor(f"{folder}/governor", labels)


def _limit(series: Series, path: str) -> Sensor:
    def parse(text: str) -> Sequence[Sample]:
        # Before kernel 4.20, 0 stood for "no limit".
        value = hertz(text)
        return (Sample(series, value),) if value else ()

    return FilesSensor(path, (path,), parse)


def _governor(path: str, labels: dict[str, str]) -> Sensor:
    def parse(text: str) -> Sequence[Sample]:
        return (GOVERNOR.sample(1, **labels, governor=parse_governor(text)),)

    return FilesSensor(path, (path,), parse)


def _loads(root: Root, gpus: list[Device]) -> Iterator[Sensor]:
    """Yield the load of each GPU once, though two devices may share a GPU."""
    folders = [(gpu.name, f"{gpu.folder}/device") for gpu in gpus]
    # Early after boot the GPU is there before its devfreq device is.
    folders += [(root.resolve(link).rpartition("/")[2], link) for link in TEGRA_GPUS]
    seen: set[str] = set()
    for gpu, folder in folders:
        path = f"{folder}/load"
        place = root.resolve(path)
        if root.exists(path) and place not in seen:
            seen.add(place)
            yield FileSensor(UTILIZATION.series(gpu=gpu), path, per_mille)


COLLECTOR = Collector(
    "devfreq",
    (FREQUENCY, TARGET, LIMIT, GOVERNOR, UTILIZATION),
    discover,
    source=f"/{FOLDER}/*, /{TEGRA_GPUS[0]}/load",
    advice=(
        "systems on a chip have it, such as those of Jetson boards, with CONFIG_PM_DEVFREQ; PCs "
        "have none"
    ),
)
