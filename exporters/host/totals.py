"""Totals over members that come and go: no death is a step back, no newcomer a step up."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

Values = Sequence[float]
"""The counters of one member, always in the same order and of the same number."""


@dataclass(frozen=True, slots=True)
class Member:
    """What is counted of one process or container at one look."""

    group: Hashable
    """What it is counted in now."""
    values: Values
    born: bool = True
    """Whether it began after the look before: then all that it has counted is new."""


@dataclass(slots=True)
class _Known:
    group: Hashable
    values: Values


@dataclass(slots=True)
class Totals:
    """
    The totals by group, from the counters of its members.

    The first look at a group takes its members as they stand, so that a group of one shows what
    the kernel shows. Later a member adds what it has counted since the look before, or since its
    begin where that was later. A counter that fell began anew.
    """

    _known: dict[Hashable, _Known] = field(default_factory=dict)
    _totals: dict[Hashable, list[float]] = field(default_factory=dict)

    def look(self, members: Mapping[Hashable, Member]) -> Mapping[Hashable, Values]:
        """
        Return the totals of the groups that have members now; forget those that have none.

        Args:
            members: by an identity that is never given twice, such as pid and start time.
        """
        fresh = {member.group for member in members.values()} - self._totals.keys()
        for identity, member in members.items():
            total = self._totals.setdefault(member.group, [0.0] * len(member.values))
            for index, grown in enumerate(self._grown(identity, member, fresh)):
                total[index] += grown
        self._known = {
            identity: _Known(member.group, member.values) for identity, member in members.items()
        }
        alive = {member.group for member in members.values()}
        self._totals = {group: total for group, total in self._totals.items() if group in alive}
        return self._totals

    def _grown(self, identity: Hashable, member: Member, fresh: set[Hashable]) -> Sequence[float]:
        known = self._known.get(identity)
        if member.group in fresh or (known is None and member.born):
            return member.values
        if known is None:
            return [0.0] * len(member.values)
        return [
            now - before if now >= before else now
            for now, before in zip(member.values, known.values, strict=True)
        ]
