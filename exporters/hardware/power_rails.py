"""
Power rails of NVIDIA Jetson boards, and the power of the whole board.

Where a chip measures the input, that is the power of the board, and the other rails are parts of
it. Where none does (AGX Orin), it is the sum of all rails. docs.nvidia.com/jetson: "Power Monitor".
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from exporters.core import Collector, Failure, FileSensor, NoData, Root, Sensor
from exporters.hardware import rails_hwmon, rails_iio
from exporters.hardware.known import Known, Limit, read_limits
from exporters.hardware.numbers import whole
from exporters.hardware.rails import (
    ALARM,
    BOARD,
    CURRENT,
    INPUTS,
    LIMIT,
    METRICS,
    POWER,
    VOLTAGE,
    Found,
    Guard,
    Powers,
    Rail,
    RailSensor,
    SwitchedOff,
    TotalSensor,
    parse_limit,
)

Finder = Callable[[Root], Iterator[Found]]
FINDERS: tuple[tuple[str, Finder], ...] = (
    ("sys/class/hwmon", rails_hwmon.find_rails),
    ("sys/bus/iio/devices", rails_iio.find_rails),
)


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the rails, then what the whole board draws, then limits and alarms."""
    looked_for = [one for where, find in FINDERS for one in _looked_for(root, where, find)]
    found = list(_told_apart(looked_for))
    if not found:
        msg = "no power rail: no INA3221 chip with named channels, as Jetson boards have"
        raise NoData(msg)
    yield from (one for one in found if isinstance(one, Failure))
    rails = tuple(one for one in found if isinstance(one, Rail))
    powers = Powers()
    for rail in rails:
        labels = rail.guard.labels
        series = VOLTAGE.series(**labels), CURRENT.series(**labels), POWER.series(**labels)
        yield RailSensor(rail, series, powers)
    # The total stands right behind the rails, so that what it adds up is of one moment.
    yield from _total(rails, found, powers)
    guards = [rail.guard for rail in rails] + [one for one in found if isinstance(one, Guard)]
    yield from _limits_and_alarms(root, guards)


def _looked_for(root: Root, where: str, find: Finder) -> Iterator[Found]:
    try:
        yield from find(root)
    except OSError as error:
        yield Failure(where, error)


def _told_apart(found: Sequence[Found]) -> Iterator[Found]:
    """Number the rails of one chip that share a name."""
    same: Counter[tuple[str, str]] = Counter()
    for one in found:
        if not isinstance(one, Rail):
            yield one
            continue
        key = one.name, one.guard.device
        same[key] += 1
        name = f"{one.name}#{same[key]}" if same[key] > 1 else one.name
        yield replace(one, guard=replace(one.guard, name=name))


def _total(
    rails: tuple[Rail, ...], found: Sequence[Found], powers: Powers
) -> Iterator[Sensor | Failure]:
    """Yield the board's power: nothing, or a failure, where what may be part of it is missing."""
    inputs = tuple(rail for rail in rails if rail.name in INPUTS)
    failure = next((one for one in found if isinstance(one, Failure)), None)
    if inputs:
        yield TotalSensor(inputs, BOARD.series(method="measured"), powers)
    elif failure:
        yield Failure(f"{BOARD.name} (not all rails are known)", failure.error)
    elif rails and not any(isinstance(one, SwitchedOff) for one in found):
        yield TotalSensor(rails, BOARD.series(method="summed"), powers)


def _limits_and_alarms(root: Root, guards: Sequence[Guard]) -> Iterator[Sensor | Failure]:
    """
    Yield limits, then alarms: first those that can rise, since any read resets all of a chip's.

    An alarm without a limit that is set never rises, and is not worth a lost one.
    """
    armed = set()
    for one in read_limits(root, "current limits of the power rails", _limits(guards)):
        yield one
        if isinstance(one, Known):
            armed |= {sample.series.values for sample in one.samples}
    alarms = [
        FileSensor(ALARM.series(**guard.labels, limit=kind), path, whole(0, 1))
        for guard in guards
        for kind, path in guard.alarms
    ]
    yield from sorted(alarms, key=lambda alarm: alarm.series.values not in armed)


def _limits(guards: Sequence[Guard]) -> Iterator[Limit]:
    for guard in guards:
        parse = partial(parse_limit, shunts_microohms=guard.shunts_microohms)
        for kind, path in guard.limits:
            yield LIMIT.series(**guard.labels, limit=kind), path, parse


COLLECTOR = Collector(
    "power_rails",
    METRICS,
    discover,
    source="/sys/class/hwmon/hwmon*/{in,curr}*, /sys/bus/iio/devices/iio:device*/rail_name_*",
    advice=(
        "on JetPack 4 the files are root's alone: run as root or with CAP_DAC_READ_SEARCH; later "
        "ones need CONFIG_SENSORS_INA3221; only Jetson boards have such rails"
    ),
)
