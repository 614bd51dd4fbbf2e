"""
Reads control groups: what moves at every look, what stands still seldom.

Of the files of a group half are settings, counters of a limit that it does not have, or not
there at all. They are read at every look while the group is new, then ever more seldom, in the
end every half minute, those of one group at another time than those of others.
"""

import errno
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from exporters.core import Root
from exporters.hardware.numbers import integer
from exporters.host.cgroup_mounts import Hierarchies, Steps
from exporters.host.cgroup_parts import Part, Reading, Row
from exporters.host.cgroup_tree import Identity
from exporters.host.pace import Times
from exporters.host.process_faults import Faults

# The group has gone or has no such controller; its pressure is not measured (psi=0).
SILENT = frozenset({errno.ENOENT, errno.ENODEV, errno.EOPNOTSUPP})


class Kept(NamedTuple):
    """What is known of a group from one look to the next."""

    times: Times
    """When it was first seen, and when all of it is to be read again."""
    limits: Reading
    still: Reading
    """What stands still, the limits among it."""
    row: Row | None = None
    """As what it was read; None where nothing but its limits was."""
    moving: Steps = ()
    """What is to be read at every look."""
    told: Reading | None = None
    """What one that takes turns said; None where it is to be read at the next look."""


@dataclass(slots=True)
class Reader:
    """Reads the groups of one look."""

    root: Root
    hierarchies: Hierarchies
    faults: Faults
    before: Mapping[Identity, Kept]
    """What the look before has left."""
    turn: int = 0
    """Of two that follow each other one is odd."""
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
            kept = Kept(times._replace(due=now) if failed else times, found, found)
        self.kept[group] = kept
        return kept.limits

    def read(self, group: Identity, row: Row, *, takes_turns: bool = False) -> Reading:
        """
        Return what there is to tell of a group.

        Nothing where it has gone meanwhile; nothing of what its kernel or its controllers lack.

        Args:
            group: the group.
            row: as what it is told.
            takes_turns: it is read at every second look, and said at the other what it says now.
        """
        if group not in self.kept:
            self.limits(group)
        kept = self.kept[group]
        if kept.row is not row:
            kept, told = self._read_all(group, row, kept)
            self.kept[group] = kept._replace(told=kept.told if takes_turns else None)
            return told
        if takes_turns and kept.told and (hash(group.path) + self.turn) % 2:
            return kept.told
        found, lacking, failed = self._read(group.path, kept.moving)
        told = {**kept.still, **found} if len(lacking) < len(kept.moving) else {}
        if takes_turns:
            self.kept[group] = kept._replace(told=None if failed else told)
        return told

    def _read_all(self, group: Identity, row: Row, kept: Kept) -> tuple[Kept, Reading]:
        """Read what stands still, too; what is not there is not asked for until that is due."""
        standing, moving = self._wanted(row, kept.limits)
        still, _, unsure = self._read(group.path, standing)
        found, lacking, failed = self._read(group.path, moving)
        if len(lacking) == len(moving):
            return kept, {}
        moving = [step for step in moving if step not in lacking]
        times = kept.times._replace(due=kept.times.since) if unsure else kept.times
        still = {**kept.limits, **still} if still else kept.limits
        told = {**still, **found}
        return Kept(times, kept.limits, still, row, moving, None if failed else told), told

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
