"""Collectors of one file that every kernel has, or else lacks for a reason that can be told."""

from collections.abc import Callable, Iterable, Iterator

from exporters.core import FilesSensor, NoData, Root, Sample, Sensor

UNMOUNTED = "/proc is not mounted there, or with subset=pid"
MOUNT = "every Linux has it: mount /proc, without subset=pid"
"""What to do about it."""


def sensor_of(sensor: Sensor, why: str = UNMOUNTED) -> Callable[[Root], Iterator[Sensor]]:
    """
    Return a ``discover`` that looks for the file of a sensor.

    Args:
        sensor: its ``where`` is the path of the file.
        why: what it means that there is none, for people.
    """

    def discover(root: Root) -> Iterator[Sensor]:
        if not root.exists(sensor.where):
            msg = f"no /{sensor.where}: {why}"
            raise NoData(msg)
        yield sensor

    return discover


def file(path: str, parse: Callable[[str], Iterable[Sample]]) -> Sensor:
    """Return the sensor of one file that holds several numbers."""
    return FilesSensor(path, (path,), parse)
