"""
Temperatures of the kernel's thermal zones and the trip points at which it acts.

``/sys/class/thermal/thermal_zone*/{type,temp,trip_point_*}``.
https://docs.kernel.org/driver-api/thermal/sysfs-api.html
"""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from exporters.core import (
    Collector,
    Failure,
    FileSensor,
    Kind,
    Metric,
    NoData,
    Root,
    Sensor,
    Unit,
)
from exporters.hardware.facts import tidy
from exporters.hardware.known import Known, Limit, limit, read_limits
from exporters.hardware.numbers import celsius

_ZONE = ("zone", "type", "sensor")
_TRIP = (*_ZONE, "trip", "kind")

TEMPERATURE = Metric(
    "thermal_zone_temperature",
    Kind.GAUGE,
    Unit.CELSIUS,
    "Temperature of a kernel thermal zone.",
    _ZONE,
)
NO_READING = Metric(
    "thermal_zone_no_reading",
    Kind.INFO,
    Unit.NONE,
    "A thermal zone whose number is no measurement, and why; it has no temperature here.",
    (*_ZONE, "reason"),
)
TRIP = Metric(
    "thermal_trip_temperature",
    Kind.GAUGE,
    Unit.CELSIUS,
    "Temperature at which the kernel acts on a zone; what is bound to it says how.",
    _TRIP,
)
HYSTERESIS = Metric(
    "thermal_trip_hysteresis",
    Kind.GAUGE,
    Unit.CELSIUS,
    "How far below its trip point a zone must cool before the kernel relents.",
    _TRIP,
)

# Zones that answer with a number that nobody measured, by type.
NO_READINGS = (
    # 50 or 100 degrees for ever (balena-os/balena-jetson#142).
    ("PMIC-Die", "constant of the device tree"),
    # 20 degrees for ever: the zone is there for its policies (int3400_thermal.c).
    ("INT3400*", "constant of the driver"),
)
_SUFFIX = re.compile(r"-thermal$|-therm$|_thermal$")
_TRIP_FILE = re.compile(r"trip_point_(\d+)_temp")

_trip_limit = limit(1000, -100, 250)
_hysteresis = limit(1000, 0, 250)


def normalise(raw: str) -> str:
    """Return one name for a sensor whatever the release calls it: CPU-therm, cpu-thermal: cpu."""
    return _SUFFIX.sub("", raw.lower())


def parse_trip(text: str) -> float | None:
    """
    Return a trip point in degrees Celsius, or None where none is set.

    Not set reads as -274000 (THERMAL_TEMP_INVALID), as 0, or as what nothing survives.

    Raises:
        ValueError: the text is no number.
    """
    return _trip_limit(text) or None


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the zones and read their trip points."""
    zones = root.glob("sys/class/thermal/thermal_zone*")
    if not zones:
        msg = "no thermal zone: /sys/class/thermal has none"
        raise NoData(msg)
    for zone in zones:
        try:
            raw = tidy(root.read(f"{zone}/type"))
            names = root.names(zone)
        except OSError as error:
            yield Failure(zone, error)
            continue
        yield _temperature(zone, raw)
        yield from read_limits(root, f"{zone}/trip_point_*", _trips(root, zone, raw, names))


def _temperature(zone: str, raw: str) -> Sensor:
    labels = _labels(zone, raw)
    for pattern, reason in NO_READINGS:
        if fnmatchcase(raw, pattern):
            return Known(f"{zone}/temp", (NO_READING.sample(1, **labels, reason=reason),))
    return FileSensor(TEMPERATURE.series(**labels), f"{zone}/temp", celsius)


def _trips(root: Root, zone: str, raw: str, names: Sequence[str]) -> Iterator[Limit | Failure]:
    """Yield the trip points of a zone, each with its hysteresis where it has one."""
    for match in filter(None, map(_TRIP_FILE.fullmatch, names)):
        point = f"{zone}/trip_point_{match[1]}"
        try:
            kind = tidy(root.read(f"{point}_type"))
        except OSError as error:
            yield Failure(f"{point}_type", error)
            continue
        labels = {**_labels(zone, raw), "trip": match[1], "kind": kind}
        yield TRIP.series(**labels), f"{point}_temp", parse_trip
        if f"trip_point_{match[1]}_hyst" in names:
            yield HYSTERESIS.series(**labels), f"{point}_hyst", _hysteresis


def _labels(zone: str, raw: str) -> dict[str, str]:
    return {"zone": zone.rpartition("/")[2], "type": raw, "sensor": normalise(raw)}


COLLECTOR = Collector(
    "thermal",
    (TEMPERATURE, NO_READING, TRIP, HYSTERESIS),
    discover,
    source="/sys/class/thermal/thermal_zone*",
    advice=(
        "needs CONFIG_THERMAL and a driver with zones (CONFIG_ACPI_THERMAL, "
        "CONFIG_X86_PKG_TEMP_THERMAL, with a device tree CONFIG_THERMAL_OF); virtual machines "
        "have none"
    ),
)
