"""Totals over members that come and go: no death is a step back, no newcomer a step up."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

MOST_LOST = 64
"""Groups without members that are remembered: those that lost theirs last."""

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
class Totals:
    """
    The totals by group, from the counters of its members.

    The first look at a group takes its members as they stand, so that a group of one shows what
    the kernel shows. Later a member adds what it has counted since the look before, or since its
    begin where that was later. A counter that fell began anew.

    A group that lost all its members and gets some again goes on where it was: a process that
    changes its name to and fro would otherwise bring all that it has counted at each return.
    """

    _known: Mapping[Hashable, Member] = field(default_factory=dict)
    _totals: dict[Hashable, list[float]] = field(default_factory=dict)
    _lost: dict[Hashable, list[float]] = field(default_factory=dict)

    def look(self, members: Mapping[Hashable, Member]) -> Mapping[Hashable, Values]:
        """
        Return the totals of the groups that have members now.

        Args:
            members: by an identity that is never given twice, such as pid and start time. It is
                kept until the next look, and must not be changed.
        """
        before, known = self._lost | self._totals, self._known
        totals: dict[Hashable, list[float]] = {}
        for identity, member in members.items():
            group, values = member.group, member.values
            total = totals.get(group)
            if total is None:
                total = totals[group] = before.get(group) or [0.0] * len(values)
            was = known.get(identity)
            if was is not None and was.values == values and group in before:
                continue  # as most are: a process that sleeps
            for index, grown in enumerate(_grown(member, was, fresh=group not in before)):
                total[index] += grown
        lost = [group for group in before if group not in totals][-MOST_LOST:]
        self._lost = {group: before[group] for group in lost}
        self._known, self._totals = members, totals
        return totals


def _grown(member: Member, was: Member | None, *, fresh: bool) -> Values:
    """Return what a member adds to its group, which had no members before where it is fresh."""
    if fresh or (was is None and member.born):
        return member.values
    if was is None:
        return [0.0] * len(member.values)
    return [
        now - then if now >= then else now
        for now, then in zip(member.values, was.values, strict=True)
    ]
