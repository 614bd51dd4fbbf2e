"""Counters of groups, also over a scrape at which a member could not be read."""

from collections.abc import Hashable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from exporters.host.totals import Member, Totals, Values


class Identity(NamedTuple):
    """Who a process is, for ever."""

    pid: str
    started: int
    """Ticks from boot."""


Part = tuple[Identity, str]
"""A process, and which part of it counts on its own: a thread."""


@dataclass(slots=True)
class Counters:
    """
    Totals by group, in which a process that could not be read stands still.

    Without that it would look dead, and what it counts until it can be read again be lost.
    """

    _totals: Totals = field(default_factory=Totals)
    _last: Mapping[Part, Member] = field(default_factory=dict)
    _read: AbstractSet[Identity] = frozenset()

    def look(
        self, members: Mapping[Part, Member], still: AbstractSet[Identity]
    ) -> Mapping[Hashable, Values]:
        """Return the totals of the groups that have members, or such as stand still."""
        kept = {part: one for part, one in self._last.items() if part[0] in still} if still else {}
        self._read = {process for process, _ in members}
        self._last = {**kept, **members}
        # A Mapping may not stand for one with more kinds of keys, though a look only reads it.
        return self._totals.look(cast("Mapping[Hashable, Member]", self._last))

    def knew(self, process: Identity) -> bool:
        """Whether the last look had all parts of a process, so that others began since."""
        return process in self._read
