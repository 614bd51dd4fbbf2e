"""One scrape's look at the control groups that count."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Protocol

from exporters.core import Failure, Root
from exporters.host.cgroup_mounts import Hierarchies, Steps
from exporters.host.cgroup_parts import Reading, Row
from exporters.host.cgroup_reading import read_group
from exporters.host.cgroup_tree import Group, Identity, Role
from exporters.host.container_metrics import OTHER
from exporters.host.container_rows import Told
from exporters.host.place import Place
from exporters.host.process_faults import Faults


class Names(Protocol):
    """Knows what runs in control groups."""

    def of(self, root: Root, cgroup_path: str, /) -> Place:
        """Return where the processes of a cgroup run."""

    def failures(self) -> list[Failure]:
        """Return why names are missing."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A control group that has a row if the bound allows."""

    identity: Identity
    place: Place
    row: Row
    limits: Reading | None = None
    """None where they were not read yet."""


@dataclass(frozen=True, slots=True)
class Look:
    """What it takes to look."""

    root: Root
    names: Names
    hierarchies: Hierarchies
    faults: Faults

    def candidates(self, groups: Sequence[Group]) -> Iterator[Candidate]:
        """Yield the groups that have rows: no sandbox, and no service that nothing limits."""
        for group in groups:
            identity, path = group.identity, group.identity.path
            if group.role is Role.CONTAINER:
                place = self._place(path)
                if place.container:
                    yield Candidate(identity, place, Row.OWN)
                continue
            limits = self._read(path, self.hierarchies.limits)
            if limits or group.role is Role.POD:
                row = Row.HOLDER if group.holds else Row.OWN
                yield Candidate(identity, self._place(path), row, limits)

    def read(
        self,
        candidates: Sequence[Candidate],
        places: Mapping[Place, Place],
        before: AbstractSet[Identity] | None,
    ) -> Iterator[Told]:
        """
        Yield what the groups tell, but for those that have gone meanwhile.

        Args:
            candidates: what to read.
            places: what each place counts in; who only holds others and has none is left out.
            before: the groups that there were at the scrape before.
        """
        for one in candidates:
            place, row = places[one.place], one.row
            if place == OTHER:
                if row is Row.HOLDER:
                    continue
                row = Row.OTHER
            reading = self._reading(one, row)
            if reading:
                born = before is not None and one.identity not in before
                yield Told(one.identity, place, reading, born, row is Row.HOLDER)

    def _reading(self, one: Candidate, row: Row) -> Reading:
        path, steps = one.identity.path, self.hierarchies
        limits = one.limits
        if limits is None:
            limits = self._read(path, steps.limits) if row is Row.OWN else {}
        rest = [step for step in steps.rest[row] if not step[1].needs or step[1].needs in limits]
        return {**limits, **self._read(path, rest)}

    def _read(self, path: str, steps: Steps) -> Reading:
        return read_group(self.root, path, steps, self.faults)

    def _place(self, path: str) -> Place:
        return self.names.of(self.root, f"/{path}")
