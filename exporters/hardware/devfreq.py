"""
Frequencies of devices other than CPUs, and the load of a Jetson's GPU.

``/sys/class/devfreq/*/{cur_freq,target_freq,min_freq,max_freq,governor}``, ``device/load``.
https://www.kernel.org/doc/Documentation/ABI/testing/sysfs-class-devfreq
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
    Unit,
)
from exporters.hardware.gpu_names import is_gpu
from exporters.hardware.numbers import scaled
from exporters.hardware.nvml.load import UTILIZATION

LABELS = ("device", "gpu")

FREQUENCY = Metric(
    "devfreq_frequency",
    Kind.GAUGE,
    Unit.HERTZ,
    "Frequency that a device runs at, as its driver tells it.",
    LABELS,
)
TARGET = Metric(
    "devfreq_target_frequency",
    Kind.GAUGE,
    Unit.HERTZ,
    "Frequency that the governor last asked for.",
    LABELS,
)
LIMIT = Metric(
    "devfreq_frequency_limit",
    Kind.GAUGE,
    Unit.HERTZ,
    "Limits between which the governor chooses; power modes and heat move them.",
    (*LABELS, "limit"),
)
GOVERNOR = Metric(
    "devfreq_governor",
    Kind.INFO,
    Unit.NONE,
    "What chooses the frequency of a device.",
    (*LABELS, "governor"),
)

FOLDER = "sys/class/devfreq"
# Where the GPU's driver links its device, devfreq or not: JetPack 4 and 5, then 6.
GPU_LINKS = ("sys/devices/gpu.0", "sys/devices/platform/gpu.0")

# Kernels 4.14 to 4.19 number the devices of the class.
_NUMBERED = re.compile(r"devfreq\d+")
_GOVERNOR = re.compile(r"[A-Za-z0-9_.-]{1,40}")

hertz = scaled(1, 0, 1e11)
"""Hertz; 0 is a clock that is off."""
load = scaled(1000, 0, 1)
"""Thousandths of the time that a GPU was busy."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device that can change its frequency."""

    folder: str
    name: str
    device_folder: str

    @property
    def labels(self) -> dict[str, str]:
        """The labels of its series; ``gpu`` is empty for what is none."""
        return {"device": self.name, "gpu": self.name if is_gpu(self.name) else ""}


def parse_governor(text: str) -> str:
    """
    Return the name of a governor.

    Raises:
        ValueError: no driver calls its governor so.
    """
    if not _GOVERNOR.fullmatch(text):
        msg = f"not a governor: {text[:40]!r}"
        raise ValueError(msg)
    return text


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the devices of the class, and a GPU whose device is not in it (yet)."""
    devices = [_device(root, folder) for folder in root.glob(f"{FOLDER}/*")]
    gpu_folders = {device.device_folder: device.name for device in devices if device.labels["gpu"]}
    for link in GPU_LINKS:
        if root.exists(f"{link}/load"):
            folder = root.resolve(link)
            gpu_folders.setdefault(folder, folder.rpartition("/")[2])
    if not devices and not gpu_folders:
        msg = f"no device that changes its frequency in /{FOLDER}, and no GPU of Tegra"
        raise NoData(msg)
    for device in devices:
        try:
            files = frozenset(root.names(device.folder))
        except OSError as error:
            yield Failure(device.folder, error)
            continue
        yield from _sensors(device, files)
    for folder, name in gpu_folders.items():
        if root.exists(f"{folder}/load"):
            yield FileSensor(UTILIZATION.series(gpu=name), f"{folder}/load", load)


def _device(root: Root, folder: str) -> Device:
    place = root.resolve(folder)
    parent = place.rpartition("/devfreq/")[0] or root.resolve(f"{folder}/device")
    name = folder.rpartition("/")[2]
    if _NUMBERED.fullmatch(name):
        name = parent.rpartition("/")[2]
    return Device(folder, name, parent)


def _sensors(device: Device, files: frozenset[str]) -> Iterator[Sensor]:
    labels = device.labels
    for file, series in (
        ("cur_freq", FREQUENCY.series(**labels)),
        ("target_freq", TARGET.series(**labels)),
        ("min_freq", LIMIT.series(**labels, limit="min")),
        ("max_freq", LIMIT.series(**labels, limit="max")),
    ):
        if file in files:
            yield FileSensor(series, f"{device.folder}/{file}", hertz)
    if "governor" in files:

        def parse(text: str) -> Sequence[Sample]:
            return (GOVERNOR.sample(1, **labels, governor=parse_governor(text)),)

        path = f"{device.folder}/governor"
        yield FilesSensor(path, (path,), parse)


COLLECTOR = Collector(
    "devfreq",
    (FREQUENCY, TARGET, LIMIT, GOVERNOR, UTILIZATION),
    discover,
    source=f"/{FOLDER}/*, /sys/devices/gpu.0/load",
    advice="Embedded chips have it, with CONFIG_PM_DEVFREQ and their drivers; mount /sys.",
)
