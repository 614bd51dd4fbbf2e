"""
Power rails of NVIDIA Jetson boards, and the power of the whole board.

Where a chip measures the input, that is the power of the board, and the other rails are parts of
it. Where none does (AGX Orin), it is the sum of all rails. docs.nvidia.com/jetson: "Power Monitor".
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from exporters.core import Collector, Failure, FileSensor, NoData, Root, Sensor
from exporters.hardware import rails_hwmon, rails_iio
from exporters.hardware.known import Limit, read_limits
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
    Powers,
    Rail,
    RailSensor,
    TotalSensor,
    parse_limit,
)

Finder = Callable[[Root], Iterator[Rail | Failure]]
FINDERS: tuple[tuple[str, Finder], ...] = (
    ("sys/class/hwmon", rails_hwmon.find_rails),
    ("sys/bus/iio/devices", rails_iio.find_rails),
)


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the rails."""
    found = [one for where, find in FINDERS for one in _looked_for(root, where, find)]
    if not found:
        msg = "no power rail: no INA3221 chip with named channels, as Jetson boards have"
        raise NoData(msg)
    failures = [one for one in found if isinstance(one, Failure)]
    rails = tuple(_told_apart([one for one in found if isinstance(one, Rail)]))
    yield from failures
    yield from read_limits(root, "current limits of the power rails", _limits(rails))
    powers = Powers()
    for rail in rails:
        series = tuple(metric.series(**rail.labels) for metric in (VOLTAGE, CURRENT, POWER))
        yield RailSensor(rail, (series[0], series[1], series[2]), powers)
    # The total stands right behind the rails, so that what it adds up is of one moment.
    yield _total(rails, failures, powers)
    for rail in rails:
        for kind, path in rail.alarms:
            yield FileSensor(ALARM.series(**rail.labels, limit=kind), path, whole(0, 1))


def _looked_for(root: Root, where: str, find: Finder) -> Iterator[Rail | Failure]:
    try:
        yield from find(root)
    except OSError as error:
        yield Failure(where, error)


def _told_apart(rails: list[Rail]) -> Iterator[Rail]:
    """Number the rails of one chip that share a name."""
    same: Counter[tuple[str, str]] = Counter()
    for rail in rails:
        same[rail.name, rail.device] += 1
        again = same[rail.name, rail.device]
        yield replace(rail, name=f"{rail.name}#{again}") if again > 1 else rail


def _limits(rails: tuple[Rail, ...]) -> Iterator[Limit]:
    for rail in rails:
        parse = partial(parse_limit, shunts_microohms=rail.shunts_microohms)
        for kind, path in rail.limits:
            yield LIMIT.series(**rail.labels, limit=kind), path, parse


def _total(rails: tuple[Rail, ...], failures: list[Failure], powers: Powers) -> Sensor | Failure:
    """Return the board's power; a failure where a rail that may belong to it is not known."""
    inputs = tuple(rail for rail in rails if rail.name in INPUTS)
    if inputs:
        return TotalSensor(inputs, BOARD.series(method="measured"), powers)
    if failures:
        return Failure(f"{BOARD.name} (not all rails are known)", failures[0].error)
    return TotalSensor(rails, BOARD.series(method="summed"), powers)


COLLECTOR = Collector(
    "power_rails",
    METRICS,
    discover,
    source="/sys/class/hwmon/hwmon*/{in,curr}*, /sys/bus/iio/devices/iio:device*/rail_name_*",
    advice="Jetson boards have it; on JetPack 4 run as root or with CAP_DAC_READ_SEARCH.",
)
