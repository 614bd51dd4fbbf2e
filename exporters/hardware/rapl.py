"""
Energy of CPU packages, their parts and the platform: ``/sys/class/powercap/*:*/energy_uj``.

The counters wrap (after 40 minutes at 110 W); the totals here do not, as long as somebody scrapes
more often than that. A package that two interfaces offer is counted once: by the better interface
whose counter can be read, or else by the better one, whose failure then shows.

https://docs.kernel.org/power/powercap/powercap.html
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from exporters.core import Collector, Failure, Kind, Metric, Root, Sensor, Unit
from exporters.hardware import rapl_limits
from exporters.hardware.counters import Unwrapped, UnwrappedSensor
from exporters.hardware.numbers import scaled
from exporters.hardware.powercap import FOLDER, LABELS, Zone, find_zones, rank

ENERGY = Metric(
    "rapl_energy",
    Kind.COUNTER,
    Unit.JOULES,
    "Energy that a part of the machine has used; a part within another is counted in it, too.",
    LABELS,
)

FASTEST_WATTS = 2000.0
"""More than any part of an edge node draws; a wrap that would need more is a reset."""

_MICRO = 1_000_000
_joules = scaled(_MICRO, 0, 2**64 / _MICRO)


@dataclass(frozen=True, slots=True)
class Rapl:
    """The collector's memory: the total of each zone."""

    total: Unwrapped

    def discover(self, root: Root) -> Iterator[Sensor | Failure]:
        """Find the zones; of twins, only one counts energy."""
        zones: list[Zone] = []
        for found in find_zones(root):
            if isinstance(found, Zone):
                zones.append(found)
            else:
                yield found
        zones.sort(key=lambda zone: (zone.part, rank(zone)))
        for _, group in groupby(zones, key=lambda zone: zone.part):
            twins = list(group)
            counting = [zone for zone in twins if "energy_uj" in zone.files]
            if counting:
                readable = (zone for zone in counting if _readable(root, zone))
                yield from self._energy(root, next(readable, counting[0]))
            yield from rapl_limits.discover(root, twins)

    def _energy(self, root: Root, zone: Zone) -> Iterator[Sensor | Failure]:
        wraps_at = None
        try:
            if "max_energy_range_uj" in zone.files:
                wraps_at = _joules(root.read(zone.path("max_energy_range_uj")))
        except (OSError, ValueError) as error:
            yield Failure(zone.path("max_energy_range_uj"), error)
        series = ENERGY.series(**zone.labels)
        yield UnwrappedSensor(series, zone.path("energy_uj"), _joules, wraps_at, self.total)


def _readable(root: Root, zone: Zone) -> bool:
    try:
        root.read(zone.path("energy_uj"))
    except OSError:
        return False
    return True


def collector() -> Collector:
    """Return the collector with a memory of its own."""
    return Collector(
        "rapl",
        (ENERGY, *rapl_limits.METRICS),
        Rapl(Unwrapped(FASTEST_WATTS)).discover,
        source=f"/{FOLDER}",
        advice=(
            "energy_uj is root's alone (CVE-2020-8694): run as root, or with CAP_DAC_READ_SEARCH "
            "(systemd: AmbientCapabilities=CAP_DAC_READ_SEARCH), or let a udev rule give it to the "
            "agent's group (docs/check.md has it); without any zone it needs CONFIG_POWERCAP and "
            "CONFIG_INTEL_RAPL (modprobe intel_rapl_msr), and virtual machines have none"
        ),
    )
