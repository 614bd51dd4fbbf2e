"""
Reads control groups: what moves at every look, what stands still seldom.

Of the files of a group half are settings, counters of a limit that it does not have, or not
there at all. They are read at every look while the group is new, then ever more seldom, in the
end every half minute, those of one group at another time than those of others.
"""

import errno
from collections.abc import Mapping
from dataclasses import dataclass, field

from exporters.core import Root
from exporters.hardware.numbers import integer
from exporters.host.cgroup_mounts import Hierarchies, Steps
from exporters.host.cgroup_parts import Part, Reading, Row
from exporters.host.cgroup_tree import Identity
from exporters.host.pace import Times
from exporters.host.process_faults import Faults

# The group has gone or has no such controller; its pressure is not measured (psi=0).
SILENT = frozenset({errno.ENOENT, errno.ENODEV, errno.EOPNOTSUPP})


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of a group from one look to the next."""

    times: Times
    """When it was first seen, and when all of it is to be read again."""
    limits: Reading
    row: Row | None = None
    """As what it was read."""
    still: Reading = field(default_factory=dict)
    """What stands still, the limits among it."""
    moving: Steps = ()
    """What is to be read at every look."""


@dataclass(slots=True)
class Reader:
    """Reads the groups of one look."""

    root: Root
    hierarchies: Hierarchies
    faults: Faults
    before: Mapping[Identity, Kept]
    """What the look before has left."""
    counts_kills: bool = False
    """Whether ``before`` is empty where a process was killed for want of memory since then."""
    kept: dict[Identity, Kept] = field(default_factory=dict)
    """What this one leaves."""

    def limits(self, group: Identity) -> Reading:
        """Return the limits of a group."""
        kept, now = self.before.get(group), self.root.monotonic()
        if kept is None or now >= kept.times.due:
            times = Times.of(group.inode, kept.times if kept else None, now)
            found, _, failed = self._read(group.path, self.hierarchies.limits)
            kept = Kept(times._replace(due=now) if failed else times, found)
        self.kept[group] = kept
        return kept.limits

    def read(self, group: Identity, row: Row) -> Reading:
        """
        Return what there is to tell of a group.

        Nothing where it has gone meanwhile; nothing of what its kernel or its controllers lack.
        """
        if group not in self.kept:
            self.limits(group)
        kept = self.kept[group]
        if kept.row is not row:
            return self._read_all(group, row, kept)
        found, lacking, _ = self._read(group.path, kept.moving)
        return {**kept.still, **found} if len(lacking) < len(kept.moving) else {}

    def _read_all(self, group: Identity, row: Row, kept: Kept) -> Reading:
        """Read what stands still, too; what is not there is not asked for until that is due."""
        standing, moving = self._wanted(row, kept.limits)
        still, _, failed = self._read(group.path, standing)
        found, lacking, _ = self._read(group.path, moving)
        if len(lacking) == len(moving):
            return {}
        moving = [step for step in moving if step not in lacking]
        times = kept.times._replace(due=kept.times.since) if failed else kept.times
        still = {**kept.limits, **still}
        self.kept[group] = Kept(times, kept.limits, row, still, moving)
        return {**still, **found}

    def _wanted(self, row: Row, limits: Reading) -> tuple[Steps, Steps]:
        """Return what stands still of what a row tells, and what moves."""
        standing, moving = list[tuple[str, Part]](), list[tuple[str, Part]]()
        for step in self.hierarchies.rest[row]:
            _, part = step
            if part.needs and part.needs not in limits:
                continue
            stands = part.seldom or (part.kills and self.counts_kills)
            stands = stands or bool(part.still_without and part.still_without not in limits)
            (standing if stands else moving).append(step)
        return standing, moving

    def _read(self, path: str, steps: Steps) -> tuple[Reading, Steps, bool]:
        """Return what was read, what is not there, and whether anything failed."""
        found: dict[str, int | float] = {}
        lacking, failed = list[tuple[str, Part]](), False
        read, name = self.root.read, ""
        for step in steps:
            mount, part = step
            texts = []
            try:
                for name in part.files:
                    texts.append(read(f"{mount}/{path}/{name}"))
                found.update(part.parse(*texts))
            except (OSError, ValueError) as error:
                if isinstance(error, OSError) and error.errno in SILENT:
                    lacking.append(step)
                    continue
                failed = True
                self.faults.add(path, f"{mount}/[group]/{name}", error)
        return found, lacking, failed


def kills_of(root: Root) -> int | None:
    """
    Return how many processes of the node were killed for want of memory, as groups count them.

    None where the kernel does not tell: both were new in Linux 4.13.
    """
    try:
        _, _, rest = root.read("proc/vmstat").partition("\noom_kill ")
        return integer(rest.partition("\n")[0])
    except (OSError, ValueError):  # told elsewhere; the groups are then read every time
        return None
