"""
Power limits of CPU packages and their parts: ``/sys/class/powercap/*:*/constraint_*``.

Each interface to a package has limits of its own, and the hardware keeps to the lowest of those
that are in force: that is the ``effective`` one. It is not told where one of them is not known.

https://docs.kernel.org/power/powercap/powercap.html
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from exporters.core import (
    Failure,
    FileSensor,
    FilesSensor,
    Kind,
    Metric,
    Root,
    Sample,
    Sensor,
    Series,
    Unit,
)
from exporters.hardware.facts import tidy
from exporters.hardware.known import Limit, limit, read_limits
from exporters.hardware.numbers import scaled, whole
from exporters.hardware.powercap import FOLDER, LABELS, Zone

POWER_LIMIT = Metric(
    "rapl_power_limit",
    Kind.GAUGE,
    Unit.WATTS,
    "Power that a zone may use on average over the window of the constraint.",
    (*LABELS, "constraint"),
)
WINDOW = Metric(
    "rapl_power_limit_window",
    Kind.GAUGE,
    Unit.SECONDS,
    "Time over which a power limit holds on average.",
    (*LABELS, "constraint"),
)
EFFECTIVE_LIMIT = Metric(
    "rapl_power_limit_effective",
    Kind.GAUGE,
    Unit.WATTS,
    "The lowest limit in force for a part of the machine, of all interfaces that set one.",
    (*LABELS, "constraint"),
)
ENABLED = Metric(
    "rapl_enabled", Kind.GAUGE, Unit.NONE, "Whether the limits of a zone are in force.", LABELS
)
METRICS = (POWER_LIMIT, WINDOW, EFFECTIVE_LIMIT, ENABLED)

_MICRO = 1_000_000
_HIGHEST = 2**64 / _MICRO
_CONSTRAINT = re.compile(r"constraint_(\d+)_power_limit_uw")

_watts = scaled(_MICRO, 0, _HIGHEST)
_seconds = limit(_MICRO, 0, _HIGHEST)
_flag = whole(0, 1)


@dataclass(frozen=True, slots=True)
class Constraint:
    """One of a zone's power limits."""

    zone: Zone
    number: str
    name: str
    """Such as long_term or short_term."""

    @property
    def labels(self) -> dict[str, str]:
        """The labels of its series."""
        return {**self.zone.labels, "constraint": self.name}

    def path(self, file: str) -> str:
        """Return the path of one of its files."""
        return self.zone.path(f"constraint_{self.number}_{file}")


def discover(root: Root, twins: Sequence[Zone]) -> Iterator[Sensor | Failure]:
    """Find the limits of one part of the machine, by all interfaces to it."""
    same: dict[str, list[Constraint]] = {}
    for zone in twins:
        if "enabled" in zone.files:
            yield FileSensor(ENABLED.series(**zone.labels), zone.path("enabled"), _flag)
        for one in _constraints(root, zone):
            if isinstance(one, Failure):
                yield one
                continue
            same.setdefault(one.name, []).append(one)
            yield FileSensor(POWER_LIMIT.series(**one.labels), one.path("power_limit_uw"), _watts)
    constraints = [one for group in same.values() for one in group]
    yield from read_limits(root, FOLDER, _windows(constraints))
    for name, group in same.items():
        yield _effective(name, group)


def _constraints(root: Root, zone: Zone) -> Iterator[Constraint | Failure]:
    for match in filter(None, map(_CONSTRAINT.fullmatch, sorted(zone.files))):
        file = f"constraint_{match[1]}_name"
        try:
            name = tidy(root.read(zone.path(file))) if file in zone.files else match[1]
        except OSError as error:
            yield Failure(zone.path(file), error)
            continue
        yield Constraint(zone, match[1], name)


def _windows(constraints: Iterable[Constraint]) -> Iterator[Limit]:
    for one in constraints:
        path = one.path("time_window_us")
        if path.rpartition("/")[2] in one.zone.files:
            yield WINDOW.series(**one.labels), path, _seconds


def _effective(name: str, group: Sequence[Constraint]) -> Sensor:
    series = EFFECTIVE_LIMIT.series(**group[0].zone.labels, constraint=name)
    limits = tuple(one.path("power_limit_uw") for one in group)
    switches = tuple(one.zone.path("enabled") for one in group if "enabled" in one.zone.files)
    # A kernel that has switches has one for each zone.
    return FilesSensor(" and ".join(limits), limits + switches, lowest(series, len(limits)))


def lowest(series: Series, count: int) -> Callable[..., Sequence[Sample]]:
    """Return a parser of ``count`` limits, then their switches: the lowest that is on, if any."""

    def parse(*texts: str) -> Sequence[Sample]:
        switches = texts[count:] or ("1",) * count
        watts = [_watts(text) for text in texts[:count]]
        on = [value for value, switch in zip(watts, switches, strict=True) if _flag(switch)]
        return (Sample(series, min(on)),) if on else ()

    return parse
