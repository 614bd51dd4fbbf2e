"""One scrape's look at the control groups that count."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from exporters.core import Failure, Root
from exporters.host.cgroup_parts import Row
from exporters.host.cgroup_reading import Reader
from exporters.host.cgroup_tree import Group, Identity, Role
from exporters.host.container_metrics import OTHER
from exporters.host.container_rows import Told
from exporters.host.place import Place

MOST_AT_ONCE = 64
"""Of more than so many that are OTHER each is read at every second look."""


class Names(Protocol):
    """Knows what runs in control groups."""

    def of(self, root: Root, cgroup_path: str, /) -> Place:
        """Return where the processes of a cgroup run."""

    def failures(self) -> list[Failure]:
        """Return why names are missing."""


class Candidate(NamedTuple):
    """A control group that has a row if the bound allows."""

    identity: Identity
    place: Place
    row: Row


@dataclass(frozen=True, slots=True)
class Look:
    """What it takes to look."""

    root: Root
    names: Names
    reader: Reader

    def candidates(self, groups: Sequence[Group]) -> Iterator[Candidate]:
        """Yield the groups that have rows: no sandbox, and no service that nothing limits."""
        for group in groups:
            identity = group.identity
            if group.role is Role.CONTAINER:
                place = self._place(identity.path)
                if place.container:
                    yield Candidate(identity, place, Row.OWN)
            elif group.role is not Role.SERVICE or self.reader.limits(identity):
                row = Row.HOLDER if group.holds else Row.OWN
                yield Candidate(identity, self._place(identity.path), row)

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
        others = sum(places[one.place] == OTHER for one in candidates if one.row is Row.OWN)
        many = others > MOST_AT_ONCE
        for identity, wanted, row in candidates:
            place = places[wanted]
            if place == OTHER and row is Row.HOLDER:
                continue
            if place == OTHER:
                reading = self.reader.read(identity, Row.OTHER, takes_turns=many)
            else:
                reading = self.reader.read(identity, row)
            if reading:
                born = before is not None and identity not in before
                yield Told(identity, place, reading, born, row is Row.HOLDER)

    def _place(self, path: str) -> Place:
        return self.names.of(self.root, f"/{path}")
