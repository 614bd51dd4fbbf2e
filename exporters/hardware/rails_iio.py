"""
Rails of INA3221 chips as Jetson Linux 4.9 shows them: NVIDIA's driver ina3221x, below iio.

``rail_name_<N>``, ``in_voltage<N>_input`` in millivolts, ``in_current<N>_input`` in milliamperes,
``in_power<N>_input`` in milliwatts; limits with their unit, such as ``32760 ma``. Since JetPack
4.6 all of them are root's alone (mode 0600).
"""

import re
from collections.abc import Iterator

from exporters.core import Failure, Root
from exporters.hardware.facts import tidy
from exporters.hardware.rails import NOT_CONNECTED, Guard, Rail

FOLDERS = (
    "sys/bus/i2c/drivers/ina3221x/*/iio:device*",
    "sys/bus/i2c/devices/*/iio:device*",
    "sys/bus/iio/devices/iio:device*",
)
LIMITS = {"average": "warn_current_limit", "instantaneous": "crit_current_limit"}

_NAME = re.compile(r"rail_name_(\d+)")


def find_rails(root: Root) -> Iterator[Rail | Failure]:
    """Yield the rails, and a failure for each whose name could not be read."""
    seen: set[str] = set()
    for pattern in FOLDERS:
        for folder in root.glob(pattern):
            place = root.resolve(folder)
            if place not in seen:
                seen.add(place)
                yield from _rails(root, folder, place)


def _rails(root: Root, folder: str, place: str) -> Iterator[Rail | Failure]:
    try:
        files = root.names(folder)
    except OSError as error:
        yield Failure(folder, error)
        return
    for match in filter(None, map(_NAME.fullmatch, files)):
        path, channel = f"{folder}/{match[0]}", match[1]
        needed = {f"in_voltage{channel}_input", f"in_current{channel}_input"}
        if not needed <= set(files):
            continue
        try:
            name = tidy(root.read(path))
        except OSError as error:
            yield Failure(path, error)
            continue
        if name.upper() not in NOT_CONNECTED:
            yield _rail(folder, place, set(files), channel, name)


def _rail(folder: str, place: str, files: set[str], channel: str, name: str) -> Rail:
    power = f"in_power{channel}_input"
    limits = ((kind, f"{file}_{channel}") for kind, file in LIMITS.items())
    guard = Guard(
        name,
        place.removeprefix("sys/devices/").rpartition("/")[0],
        limits=tuple((kind, f"{folder}/{file}") for kind, file in limits if file in files),
    )
    return Rail(
        guard,
        f"{folder}/in_voltage{channel}_input",
        f"{folder}/in_current{channel}_input",
        power=f"{folder}/{power}" if power in files else None,
    )
