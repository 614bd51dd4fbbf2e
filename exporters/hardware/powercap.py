"""
The zones of ``/sys/class/powercap``, and which of them are the same piece of hardware.

https://docs.kernel.org/power/powercap/powercap.html
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from exporters.core import Failure, NoData, Root
from exporters.hardware.facts import tidy

FOLDER = "sys/class/powercap"
LABELS = ("zone", "name", "parent")

# Interfaces to the same registers, the best first. intel-rapl asks the CPU itself; with
# intel-rapl-mmio, which the graphics' PCI device offers on laptops and NUCs, a package is there a
# second time under the same name (node_exporter#2147), and counts the same energy.
TWINS = ("intel-rapl", "intel-rapl-tpmi", "intel-rapl-mmio")


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of the machine whose power is measured or limited."""

    zone: str
    """Its folder, such as intel-rapl:0:1; unlike the names of parts, it is there once."""
    name: str
    """The part: package-0, core, uncore, dram, psys."""
    parent: str
    """The part that it is a part of; empty at the top."""
    nth: int
    """Which of those that its interface calls the same; 1 unless a package has several dies."""
    files: frozenset[str]

    @property
    def interface(self) -> str:
        """What offers it, such as intel-rapl-mmio."""
        return self.zone.partition(":")[0]

    @property
    def labels(self) -> dict[str, str]:
        """The labels that tell it from all others."""
        return {"zone": self.zone, "name": self.name, "parent": self.parent}

    @property
    def part(self) -> tuple[str, str, str, int]:
        """What is the same for its twins, and for nothing else."""
        family = TWINS[0] if self.interface in TWINS else self.zone
        return family, self.parent, self.name, self.nth

    def path(self, file: str) -> str:
        """Return the path of one of its files."""
        return f"{FOLDER}/{self.zone}/{file}"


def find_zones(root: Root) -> Iterator[Zone | Failure]:
    """
    Yield the zones, and a failure for each that cannot be told.

    Raises:
        NoData: there are none.
    """
    # What has no colon is an interface, not a zone.
    found = [name for name in root.names(FOLDER) if ":" in name]
    if not found:
        msg = f"no power zone at /{FOLDER}"
        raise NoData(msg)
    names: dict[str, str] = {}
    same: Counter[tuple[str, str, str]] = Counter()
    for zone in found:
        try:
            names[zone] = tidy(root.read(f"{FOLDER}/{zone}/name"))
            files = frozenset(root.names(f"{FOLDER}/{zone}"))
        except OSError as error:
            yield Failure(f"{FOLDER}/{zone}/name", error)
            continue
        parent = names.get(zone.rpartition(":")[0], "")
        same[key := (zone.partition(":")[0], parent, names[zone])] += 1
        yield Zone(zone, names[zone], parent, same[key], files)


def rank(zone: Zone) -> tuple[int, str]:
    """Return a sort key by which the best of twins comes first."""
    interface = zone.interface
    return (TWINS.index(interface) if interface in TWINS else len(TWINS)), zone.zone
