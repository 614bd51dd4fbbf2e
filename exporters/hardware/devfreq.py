"""
Devices with a clock of their own, GPUs among them: ``/sys/class/devfreq/*``.

On a Jetson the GPU's ``load`` lies beside, in the folder of its device.
https://docs.kernel.org/driver-api/devfreq.html
"""

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
    Series,
    Unit,
)
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

# Names of devices that are GPUs.
GPUS = (
    "*.gpu",  # all Jetsons but those below; many other arm64 boards
    "*.g[abmpv][0-9]*b",  # Jetson Linux 4.9 and 5.10: 17000000.gv11b, .ga10b
    "gpu-gpc-*",  # Jetson Thor: graphics, and beside it video
    "gpu-nvd-*",
    "*.mali",
)
LIMITS = {"min": "min_freq", "max": "max_freq"}
# What user space of Jetson Linux calls the GPU, whatever its device is called.
TEGRA_GPU = "sys/devices/gpu.0"

hertz = scaled(1, 0, 1e11)
per_mille = scaled(1000, 0, 1)
"""How busy the GPU was, in thousandths (nvgpu, drivers/gpu/nvgpu/os/linux/sysfs.c)."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device with a frequency."""

    name: str

    @property
    def folder(self) -> str:
        """Where its files lie."""
        return f"{FOLDER}/{self.name}"

    @property
    def is_gpu(self) -> bool:
        """Whether its name is that of a GPU."""
        return any(fnmatchcase(self.name, pattern) for pattern in GPUS)

    @property
    def labels(self) -> dict[str, str]:
        """Return its labels."""
        return {"device": self.name, "gpu": self.name if self.is_gpu else ""}


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the devices, and the load of the GPUs among them."""
    devices = [Device(name) for name in root.names(FOLDER)]
    loads = list(_loads(root, [device for device in devices if device.is_gpu]))
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
    def parse(governor: str) -> Sequence[Sample]:
        return (GOVERNOR.sample(1, **labels, governor=governor),)

    return FilesSensor(path, (path,), parse)


def _loads(root: Root, gpus: list[Device]) -> Iterator[Sensor]:
    """Yield the load of each GPU once, though two devices may share a GPU."""
    folders = [(gpu.name, f"{gpu.folder}/device") for gpu in gpus]
    # Early after boot the GPU is there before its devfreq device is.
    folders.append((root.resolve(TEGRA_GPU).rpartition("/")[2], TEGRA_GPU))
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
    source=f"/{FOLDER}/*, /{TEGRA_GPU}/load",
    advice="Systems on a chip have it, with CONFIG_PM_DEVFREQ; mount /sys.",
)
