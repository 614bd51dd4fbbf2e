"""
What the power rails of a Jetson carry, and the whole board, from its INA3221 monitors.

Over-current limits act without software: what they did is counted in ``throttle_events``. The
alarms here are the chip's flags, all of which it clears when any of them is read (data sheet
SBOS576, Mask/Enable register): alarms that can rise are read first, and a short one can be missed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from exporters.core import (
    Collector,
    Failure,
    FileSensor,
    Kind,
    Metric,
    NoData,
    Root,
    Sample,
    Sensor,
    Series,
    Unit,
)
from exporters.hardware import known
from exporters.hardware.ina3221 import Channel, find_channels, is_iio
from exporters.hardware.numbers import scaled, whole

LABELS = ("rail", "device")

VOLTAGE = Metric("rail_voltage", Kind.GAUGE, Unit.VOLTS, "Voltage of a power rail.", LABELS)
CURRENT = Metric("rail_current", Kind.GAUGE, Unit.AMPERES, "Current of a power rail.", LABELS)
POWER = Metric(
    "rail_power",
    Kind.GAUGE,
    Unit.WATTS,
    "Power of a rail; one may be part of another, so do not sum them: see board_power.",
    LABELS,
)
LIMIT = Metric(
    "rail_current_limit",
    Kind.GAUGE,
    Unit.AMPERES,
    "Current above which an alarm rises, held against the average or each reading.",
    (*LABELS, "limit"),
)
ALARM = Metric(
    "rail_current_alarm",
    Kind.GAUGE,
    Unit.NONE,
    "Whether a current was above its limit: 1 is sure, but any read of the chip's flags resets them.",
    (*LABELS, "limit"),
)
BOARD_POWER = Metric(
    "board_power",
    Kind.GAUGE,
    Unit.WATTS,
    "Power of the whole module: measured at its input, or summed over its rails.",
    ("method",),
)

# The rails through which all power comes in, the best first; the others are parts of it.
# forums.developer.nvidia.com/t/200883 (VDD_IN), /t/73608 (POM_5V_IN)
INPUT_RAILS = ("VDD_IN", "POM_5V_IN")

# What the chip's registers hold: 26 V and, through the smallest usual shunt of 0.1 mOhm, 1638 A.
volts = scaled(1000, 0, 33)
"""Millivolts of a rail."""
amperes = scaled(1000, -1700, 1700)
"""Milliamperes of a rail; small negative ones are the chip's offset."""
watts = scaled(1000, -10_000, 10_000)
"""Milliwatts of a rail."""


Reading = tuple[float, float, float]
"""Volts, amperes, watts."""


def parse_rail(millivolts: str, milliamperes: str, milliwatts: str | None = None) -> Reading:
    """
    Return volts, amperes and watts; the last by multiplying where the driver does not tell them.

    Raises:
        ValueError: one of them is no number or no reading.
    """
    voltage, current = volts(millivolts), amperes(milliamperes)
    power = voltage * current if milliwatts is None else watts(milliwatts)
    return voltage, current, power


@dataclass(slots=True)
class Rail:
    """A rail, which keeps its power of this scrape for the board's: nothing is read twice."""

    where: str
    readings: tuple[str, ...]
    series: tuple[Series, Series, Series]
    power: float | None = None
    """None where the last read failed."""

    def read(self, root: Root) -> Sequence[Sample]:
        """Read volts and amperes, one after the other."""
        self.power = None
        found = parse_rail(*[root.read(path) for path in self.readings])
        self.power = found[2]
        return tuple(map(Sample, self.series, found))


@dataclass(frozen=True, slots=True)
class Board:
    """The power of the board, from rails that were read before it."""

    where: str
    rails: tuple[Rail, ...]
    series: Series

    def read(self, root: Root) -> Sequence[Sample]:
        """
        Return the sum.

        Raises:
            ValueError: a rail of it could not be read: a part is not the sum.
        """
        del root
        total = 0.0
        for rail in self.rails:
            if rail.power is None:
                msg = f"no total without {rail.where}"
                raise ValueError(msg)
            total += rail.power
        return (Sample(self.series, total),)


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the rails, then what the board needs."""
    found = list(find_channels(root))
    channels = [one for one in found if isinstance(one, Channel)]
    failures = [one for one in found if isinstance(one, Failure)]
    if not channels and not any(is_iio(one.where) for one in failures):
        msg = f"no INA3221 chip, neither of hwmon nor of iio ({len(failures)} chips are unreadable)"
        raise NoData(msg)
    yield from failures
    rails = [(channel.rail, _rail(channel)) for channel in channels if channel.readings]
    yield from (rail for _, rail in rails)
    yield from _board(rails, complete=len(channels) == len(found))
    yield from _limits_and_alarms(root, channels)


def _rail(channel: Channel) -> Rail:
    labels = {"rail": channel.rail, "device": channel.device}
    series = (VOLTAGE.series(**labels), CURRENT.series(**labels), POWER.series(**labels))
    return Rail(channel.readings[0], channel.readings, series)


def _board(rails: Sequence[tuple[str, Rail]], *, complete: bool) -> Iterator[Sensor]:
    """Yield the board's power: its input's, else the sum if all that belongs to it is there."""
    for name in INPUT_RAILS:
        inputs = tuple(rail for rail_name, rail in rails if rail_name == name)
        if inputs:
            yield Board(name, inputs, BOARD_POWER.series(method="measured"))
            return
    if rails and complete:
        where = " + ".join(name for name, _ in rails)
        yield Board(where, tuple(rail for _, rail in rails), BOARD_POWER.series(method="summed"))


def _limits_and_alarms(root: Root, channels: Iterable[Channel]) -> Iterator[Sensor | Failure]:
    limits = [
        (LIMIT.series(rail=channel.rail, device=channel.device, limit=one.which), one)
        for channel in channels
        for one in channel.limits
    ]
    read = list(
        known.read_limits(root, "INA3221 limits", ((s, one.path, one.parse) for s, one in limits))
    )
    yield from read
    armed = {
        sample.series.values
        for one in read
        if isinstance(one, known.Known)
        for sample in one.samples
    }
    alarms = [
        FileSensor(
            ALARM.series(rail=channel.rail, device=channel.device, limit=one.which),
            one.path,
            whole(0, 1),
        )
        for channel in channels
        for one in channel.alarms
    ]
    yield from sorted(alarms, key=lambda alarm: alarm.series.values not in armed)


COLLECTOR = Collector(
    "power_rails",
    (VOLTAGE, CURRENT, POWER, LIMIT, ALARM, BOARD_POWER),
    discover,
    source="/sys/class/hwmon/hwmon*/{in,curr}*, /sys/bus/i2c/devices/*/iio:device*",
    advice="Jetson modules have them. JetPack 4: readable by root only, or chmod by a udev rule.",
)
