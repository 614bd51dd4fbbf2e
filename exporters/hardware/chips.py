"""
The chips of ``/sys/class/hwmon``, by what stays the same when the kernel numbers them anew.

A chip is its name and the path of its device: hwmonN changes with the order of probing.
https://docs.kernel.org/hwmon/sysfs-interface.html
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from exporters.core import Failure, FileSensor, FilesSensor, NoData, Root, Sample, Sensor, Series
from exporters.hardware.facts import tidy

LABELS = ("chip", "device", "sensor", "label")
PATTERN = "sys/class/hwmon/hwmon*"
ADVICE = (
    "needs CONFIG_HWMON and the driver of each chip (CONFIG_SENSORS_CORETEMP, "
    "CONFIG_SENSORS_K10TEMP, CONFIG_SENSORS_NCT6775, ...): sensors-detect of lm-sensors says which "
    "to load; virtual machines have none"
)

_OWN_PLACE = re.compile(r"(/hwmon)?/hwmon\d+$")
_ATTRIBUTE = re.compile(r"[a-z]+\d+(_[a-z0-9_]+)?|rpm")


@dataclass(frozen=True, slots=True)
class Chip:
    """One sensor chip."""

    name: str
    """The driver's word for it; the device's name where it has none."""
    device: str
    """Its device's path below ``/sys/devices``; ``#2`` after it for its second such chip."""
    folder: str
    """Where its files lie."""
    files: Mapping[str, None]
    """Their names, fan2 before fan10; a mapping, since much is looked up in it."""

    def matches(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Yield the files whose whole name matches."""
        return filter(None, map(pattern.fullmatch, self.files))

    def path(self, file: str) -> str:
        """Return the path of a file."""
        return f"{self.folder}/{file}"

    def labels(self, sensor: str, label: str) -> dict[str, str]:
        """Return the labels of one of its sensors."""
        return {"chip": self.name, "device": self.device, "sensor": sensor, "label": label}

    def enabled(self, root: Root, sensor: str) -> bool:
        """Whether a sensor is switched on: reads of one that is not answer ENODATA."""
        file = f"{sensor}_enable"
        try:
            return file not in self.files or root.read(self.path(file)) != "0"
        except OSError:
            return True  # its own read will tell

    def sensor(self, series: Series, file: str, parse: Callable[[str], float]) -> Sensor:
        """
        Return what reads a file, unless the chip says that nothing good is to be read.

        A fault file of 1 tells of an open diode or a fan that is not there: the value beside
        it is not to be believed (hwmon/sysfs-interface, "Alarms").
        """
        path, fault = self.path(file), f"{file.partition('_')[0]}_fault"
        if fault not in self.files:
            return FileSensor(series, path, parse)

        def parse_both(faulty: str, text: str) -> Sequence[Sample]:
            return () if faulty == "1" else (Sample(series, parse(text)),)

        return FilesSensor(path, (self.path(fault), path), parse_both)


def find_chips(root: Root) -> Iterator[Chip | Failure]:
    """
    Yield the chips, and a failure for each that could not be looked into.

    Raises:
        NoData: there is no chip at all.
    """
    found = root.glob(PATTERN)
    if not found:
        msg = "no hwmon chip: /sys/class/hwmon is empty or missing"
        raise NoData(msg)
    same: Counter[tuple[str, str]] = Counter()
    for folder in found:
        try:
            chip = _look_into(root, folder)
        except OSError as error:
            yield Failure(folder, error)
            continue
        key = chip.name, chip.device
        same[key] += 1
        # One driver registers its chips in the same order at every boot.
        again = f"#{same[key]}" if same[key] > 1 else ""
        yield replace(chip, device=f"{chip.device}{again}")


def sensor_labels(
    root: Root, chip: Chip, kinds: tuple[str, ...] = ("",)
) -> tuple[dict[str, str], list[Failure]]:
    """Return the labels that the driver gives its sensors, and those that cannot be read."""
    labels: dict[str, str] = {}
    failures: list[Failure] = []
    for file in chip.files:
        if file.endswith("_label") and file.startswith(kinds):
            try:
                labels[file.removesuffix("_label")] = tidy(root.read(chip.path(file)))
            except OSError as error:
                failures.append(Failure(chip.path(file), error))
    return labels, failures


def _look_into(root: Root, folder: str) -> Chip:
    device = _device(root.resolve(folder))
    files = _attributes(root, folder)
    # Old drivers, such as applesmc, leave name and sensors in the folder of the device.
    place = folder if files else f"{folder}/device"
    files = files or _attributes(root, place)
    name = _name(root, folder) or device.rpartition("/")[2]
    return Chip(name, device, place, dict.fromkeys(files))


def _attributes(root: Root, folder: str) -> list[str]:
    return [name for name in root.names(folder) if _ATTRIBUTE.fullmatch(name)]


def _device(path: str) -> str:
    """Return the path below ``/sys/devices`` without the chip's own folder."""
    if not path.startswith("sys/devices/"):
        return path.rpartition("/")[2]
    return _OWN_PLACE.sub("", path.removeprefix("sys/devices/"))


def _name(root: Root, folder: str) -> str:
    for path in (f"{folder}/name", f"{folder}/device/name"):
        if root.exists(path):
            return tidy(root.read(path))
    return ""
