"""
What sensor chips measure: ``/sys/class/hwmon/hwmon*/{temp,in,curr,power,...}<N>_*``.

Fans are in ``fan.py``. https://docs.kernel.org/hwmon/sysfs-interface.html
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from exporters.core import Collector, Failure, FileSensor, Kind, Metric, Root, Sensor, Unit
from exporters.hardware.chips import ADVICE, LABELS, PATTERN, Chip, find_chips, sensor_labels
from exporters.hardware.known import Limit, limit, read_limits
from exporters.hardware.numbers import scaled, whole


def _gauge(subject: str, unit: Unit, text: str, *more: str) -> Metric:
    return Metric(subject, Kind.GAUGE, unit, text, (*LABELS, *more))


TEMPERATURE = _gauge("hwmon_temperature", Unit.CELSIUS, "Temperature that a chip measures.")
TEMPERATURE_LIMIT = _gauge(
    "hwmon_temperature_limit", Unit.CELSIUS, "Limit of a temperature, where one is set.", "limit"
)
VOLTAGE = _gauge("hwmon_voltage", Unit.VOLTS, "Voltage that a chip measures.")
VOLTAGE_LIMIT = _gauge("hwmon_voltage_limit", Unit.VOLTS, "Limit of a voltage.", "limit")
CURRENT = _gauge("hwmon_current", Unit.AMPERES, "Current that a chip measures.")
CURRENT_LIMIT = _gauge("hwmon_current_limit", Unit.AMPERES, "Limit of a current.", "limit")
POWER = _gauge("hwmon_power", Unit.WATTS, "Power that a chip measures.")
POWER_AVERAGE = _gauge("hwmon_power_average", Unit.WATTS, "Power, averaged by the chip.")
POWER_LIMIT = _gauge("hwmon_power_limit", Unit.WATTS, "Limit of a power.", "limit")
ENERGY = Metric(
    "hwmon_energy",
    Kind.COUNTER,
    Unit.JOULES,
    "Energy used, as counted by a chip or its driver.",
    LABELS,
)
HUMIDITY = _gauge("hwmon_humidity", Unit.RATIO, "Relative humidity.")
HUMIDITY_LIMIT = _gauge("hwmon_humidity_limit", Unit.RATIO, "Limit of a humidity.", "limit")
FREQUENCY = _gauge("hwmon_frequency", Unit.HERTZ, "Clock frequency that a chip reports.")
ALARM = _gauge(
    "hwmon_alarm",
    Unit.NONE,
    "Whether a chip raises an alarm; channel names no limit, fault says not to trust the sensor.",
    "alarm",
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """How the files of one kind of sensor are read; bounds reject what is no reading."""

    readings: Mapping[str, Metric]
    per_unit: int
    lowest: float
    highest: float


# Bounds in base units: beyond what an edge node sees, within what garbage looks like.
QUANTITIES: Mapping[str, Quantity] = {
    "temp": Quantity({"input": TEMPERATURE}, 1000, -100, 250),
    "in": Quantity({"input": VOLTAGE}, 1000, -1000, 1000),
    "curr": Quantity({"input": CURRENT}, 1000, -1000, 1000),
    "power": Quantity({"input": POWER, "average": POWER_AVERAGE}, 1_000_000, -100_000, 100_000),
    "energy": Quantity({"input": ENERGY}, 1_000_000, 0, 1e14),
    "humidity": Quantity({"input": HUMIDITY}, 100_000, 0, 1),
    "freq": Quantity({"input": FREQUENCY}, 1, 0, 1e12),
}
LIMITS: Mapping[str, Metric] = {
    "temp": TEMPERATURE_LIMIT,
    "in": VOLTAGE_LIMIT,
    "curr": CURRENT_LIMIT,
    "power": POWER_LIMIT,
    "humidity": HUMIDITY_LIMIT,
}
# Shunt voltages are in microvolts there (docs.kernel.org/hwmon/ina3221.html); in millivolts, as
# all others, a shunt would seem to drop volts.
MICROVOLTS = {"ina3221": frozenset({"in4", "in5", "in6", "in7"})}
# The chip clears its alert flags when they are read (INA3221 data sheet, Mask/Enable): one
# reader only, which is power_rails.
ALARMS_READ_ELSEWHERE = frozenset({"ina3221"})

_VALUE = re.compile(rf"(({'|'.join(QUANTITIES)})\d+)_(input|average)")
_LIMIT = re.compile(
    rf"(({'|'.join(LIMITS)})\d+)_"
    r"((?:lcrit|min|max|crit|emergency)(?:_hyst)?|rated_min|rated_max|cap|cap_min|cap_max)"
)
_ALARM = re.compile(
    r"((?:temp|in|curr|power|fan|humidity|intrusion)\d+)_(?:([a-z_]+)_)?(alarm|fault)"
)


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the sensors of all chips."""
    for chip in find_chips(root):
        if isinstance(chip, Failure):
            yield chip
            continue
        labels, failures = sensor_labels(root, chip)
        yield from failures
        yield from _values(root, chip, labels)
        yield from _alarms(chip, labels)
        yield from read_limits(root, chip.folder, _limits(chip, labels))


def _values(root: Root, chip: Chip, labels: Mapping[str, str]) -> Iterator[Sensor]:
    for match in chip.matches(_VALUE):
        sensor, kind, reading = match.groups()
        quantity = QUANTITIES[kind]
        metric = quantity.readings.get(reading)
        if metric is None or not chip.enabled(root, sensor):
            continue
        per_unit = _per_unit(chip, sensor, quantity)
        parse = scaled(per_unit, quantity.lowest, quantity.highest)
        series = metric.series(**chip.labels(sensor, labels.get(sensor, "")))
        yield chip.sensor(series, match[0], parse)


def _limits(chip: Chip, labels: Mapping[str, str]) -> Iterator[Limit]:
    for match in chip.matches(_LIMIT):
        sensor, kind, which = match.groups()
        series = LIMITS[kind].series(**chip.labels(sensor, labels.get(sensor, "")), limit=which)
        yield series, chip.path(match[0]), _limit_parser(chip, sensor, QUANTITIES[kind])


def _limit_parser(chip: Chip, sensor: str, quantity: Quantity) -> Callable[[str], float | None]:
    return limit(_per_unit(chip, sensor, quantity), quantity.lowest, quantity.highest)


def _alarms(chip: Chip, labels: Mapping[str, str]) -> Iterator[Sensor]:
    if chip.name in ALARMS_READ_ELSEWHERE:
        return
    for match in chip.matches(_ALARM):
        sensor, which, kind = match.groups()
        alarm = which or ("channel" if kind == "alarm" else kind)
        series = ALARM.series(**chip.labels(sensor, labels.get(sensor, "")), alarm=alarm)
        yield FileSensor(series, chip.path(match[0]), whole(0, 1))


def _per_unit(chip: Chip, sensor: str, quantity: Quantity) -> int:
    microvolts = sensor in MICROVOLTS.get(chip.name, ())
    return 1_000_000 if microvolts else quantity.per_unit


COLLECTOR = Collector(
    "hwmon",
    (
        TEMPERATURE, TEMPERATURE_LIMIT, VOLTAGE, VOLTAGE_LIMIT, CURRENT, CURRENT_LIMIT, POWER,
        POWER_AVERAGE, POWER_LIMIT, ENERGY, HUMIDITY, HUMIDITY_LIMIT, FREQUENCY, ALARM,
    ),
    discover,
    source=f"/{PATTERN}",
    advice=ADVICE,
)  # fmt: skip
