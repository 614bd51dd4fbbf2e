"""
A power rail, as some chip measures it, and the power of the board that follows from its rails.

Voltage and current of a rail are read once for a scrape; its power and the total come from them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from exporters.core import Failure, Kind, Metric, Root, Sample, Series, Unit
from exporters.hardware.numbers import integer, scaled

LABELS = ("rail", "device")
VOLTAGE = Metric("rail_voltage", Kind.GAUGE, Unit.VOLTS, "Voltage of a power rail.", LABELS)
CURRENT = Metric("rail_current", Kind.GAUGE, Unit.AMPERES, "Current on a power rail.", LABELS)
POWER = Metric("rail_power", Kind.GAUGE, Unit.WATTS, "Power that a rail delivers.", LABELS)
LIMIT = Metric(
    "rail_current_limit",
    Kind.GAUGE,
    Unit.AMPERES,
    "Current above which the chip raises an alarm, where one is set: on average, or at once.",
    (*LABELS, "limit"),
)
# The chip clears the alerts of all its channels when one is read (data sheet, Mask/Enable); a limit
# that is still exceeded raises its own again with the next conversion. So 0 is no proof of peace:
# the counters of ``overcurrent`` miss nothing.
ALARM = Metric(
    "rail_alarm",
    Kind.GAUGE,
    Unit.NONE,
    "Whether a limit was exceeded when it was read, which clears it: shorter alarms go unseen.",
    (*LABELS, "limit"),
)
BOARD = Metric(
    "board_power",
    Kind.GAUGE,
    Unit.WATTS,
    "Power of the whole board: measured at its input, or else summed over its rails.",
    ("method",),
)
METRICS = (VOLTAGE, CURRENT, POWER, LIMIT, ALARM, BOARD)

# Rails that feed all others, which are parts of them: a sum would count power twice
# (jetson_stats#51; VIN of Thor: jetson_stats#900).
INPUTS = frozenset({"VDD_IN", "POM_5V_IN", "VIN"})
# Channels that are not connected; with or without a name.
NOT_CONNECTED = frozenset({"", "NC"})

# Beyond what the chips can measure: 26 V and 85 V on the bus, 163.8 mV on a shunt of a milliohm
# or more. A current may be below 0 by the offset of its amplifier.
volts = scaled(1000, 0, 100)
amperes = scaled(1000, -200, 200)
watts = scaled(1000, -20_000, 20_000)

# An INA3221 starts with its limits at full scale, 163.8 mV (data sheet, power-on 7FF8h): over
# the 5 milliohms of a Jetson 32760 mA. It is what "no limit" looks like.
FULL_SCALE_NANOVOLTS = 163_800_000
USUAL_SHUNTS_MICROOHMS = (1_000, 2_000, 5_000, 10_000, 20_000)


def parse_rail(
    millivolts: str, milliamperes: str, milliwatts: str | None = None
) -> tuple[float, float, float]:
    """
    Return volts, amperes and watts; the last by multiplying where the driver does not tell them.

    Raises:
        ValueError: one of them is no number, or none that a rail has.
    """
    voltage, current = volts(millivolts), amperes(milliamperes)
    if milliwatts is not None:
        return voltage, current, watts(milliwatts)
    # of integers, so that it is rounded once
    return voltage, current, integer(millivolts) * integer(milliamperes) / 1e6


def parse_limit(
    text: str, shunts_microohms: Sequence[int] = USUAL_SHUNTS_MICROOHMS
) -> float | None:
    """
    Turn milliamperes, such as ``4050`` or ``32760 ma``, into amperes; None where none is set.

    Args:
        text: what the file holds.
        shunts_microohms: the shunt that the chip measures over, or those it may be.

    Raises:
        ValueError: it is no number.
    """
    milliamperes = integer(text.removesuffix(" ma"))
    unset = {round(FULL_SCALE_NANOVOLTS / shunt) for shunt in shunts_microohms}
    plausible = 0 < milliamperes <= FULL_SCALE_NANOVOLTS / min(USUAL_SHUNTS_MICROOHMS)
    return milliamperes / 1000 if plausible and milliamperes not in unset else None


@dataclass(frozen=True, slots=True)
class Guard:
    """What a chip watches over: the current of a rail, or of all its rails together."""

    name: str
    """The board's name of the rail, or ``sum``."""
    device: str
    """The path of the chip's device below ``/sys/devices``."""
    limits: tuple[tuple[str, str], ...] = ()
    """Kind of limit and path."""
    alarms: tuple[tuple[str, str], ...] = ()
    """Kind of limit and path."""
    shunts_microohms: tuple[int, ...] = USUAL_SHUNTS_MICROOHMS

    @property
    def labels(self) -> dict[str, str]:
        """Return its labels."""
        return {"rail": self.name, "device": self.device}


@dataclass(frozen=True, slots=True)
class Rail:
    """Where the files of a rail lie."""

    guard: Guard
    voltage: str
    """In millivolts."""
    current: str
    """In milliamperes."""
    power: str | None = None
    """In milliwatts, where the driver knows better than voltage times current."""

    @property
    def name(self) -> str:
        """The board's name of it."""
        return self.guard.name


@dataclass(frozen=True, slots=True)
class SwitchedOff:
    """A rail whose channel is switched off: nothing is wrong, but a sum would lack it."""

    name: str


Found = Rail | Guard | SwitchedOff | Failure
"""What is found where rails are looked for."""


@dataclass(frozen=True, slots=True)
class Powers:
    """The power of each rail in this scrape, or why it could not be read."""

    watts: dict[str, float | OSError | ValueError] = field(default_factory=dict)
    """By the path that is read first."""

    def total(self, rails: Sequence[Rail]) -> float:
        """
        Return the power of some rails together, never that of a part of them.

        Raises:
            OSError: one could not be read.
            ValueError: one was not read, or what was read is no reading.
        """
        powers = []
        for rail in rails:
            power = self.watts.pop(rail.voltage, None)
            if power is None:
                msg = f"{rail.name} was not read"
                raise ValueError(msg)
            if isinstance(power, Exception):
                raise power
            powers.append(power)
        return math.fsum(powers)


@dataclass(frozen=True, slots=True)
class RailSensor:
    """Reads a rail, and leaves its power for the total."""

    rail: Rail
    series: tuple[Series, Series, Series]
    powers: Powers

    @property
    def where(self) -> str:
        """What is read first."""
        return self.rail.voltage

    def read(self, root: Root) -> Sequence[Sample]:
        """Read voltage, current and, where there is a file for it, power."""
        try:
            measured = self._measure(root)
        except (OSError, ValueError) as error:
            self.powers.watts[self.where] = error
            raise
        self.powers.watts[self.where] = measured[2]
        return tuple(map(Sample, self.series, measured))

    def _measure(self, root: Root) -> tuple[float, float, float]:
        rail = self.rail
        power = None if rail.power is None else root.read(rail.power)
        return parse_rail(root.read(rail.voltage), root.read(rail.current), power)


@dataclass(frozen=True, slots=True)
class TotalSensor:
    """The power of the board, from what its rails left."""

    rails: tuple[Rail, ...]
    series: Series
    powers: Powers

    @property
    def where(self) -> str:
        """Of what the total cannot be told when it fails."""
        return f"{BOARD.name} ({', '.join(rail.name for rail in self.rails)})"

    def read(self, root: Root) -> Sequence[Sample]:
        """Add the powers up; the rails stand before it in each scrape."""
        del root
        return (Sample(self.series, self.powers.total(self.rails)),)
