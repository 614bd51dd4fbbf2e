"""Adds up the readings of containers by their names, and bounds how many names there are."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from exporters.core import Sample
from exporters.host.bounded import bounded
from exporters.host.cgroup_parts import Reading
from exporters.host.cgroup_tree import Identity
from exporters.host.container_metrics import COUNTERS, LEVELS, LIMITS, OTHER
from exporters.host.place import Place
from exporters.host.totals import Member, Totals

_KEYS = tuple(counter.key for counter in COUNTERS)
_NOTHING = (0,) * len(_KEYS)


@dataclass(frozen=True, slots=True)
class Told:
    """What a control group said at one scrape."""

    identity: Identity
    place: Place
    """What it counts in."""
    reading: Reading
    born: bool
    """It began after the scrape before."""
    holder: bool = False
    """It only holds those that count."""


class _Lines:
    """The series of one place, made once."""

    def __init__(self, place: Place) -> None:
        labels = place._asdict()
        self.levels = [(key, metric.series(**labels)) for key, metric in LEVELS.items()]
        self.limits = [(key, metric.series(**labels)) for key, metric in LIMITS.items()]
        self.counters = [
            (one.key, one.metric.series(**labels, **one.labels), one.per_unit) for one in COUNTERS
        ]


@dataclass(slots=True)
class Rows:
    """The places that have series of their own, at most so many, and what they have counted."""

    most: int
    _lines: dict[Place, _Lines] = field(default_factory=dict)
    _totals: Totals = field(default_factory=Totals)
    _last: Mapping[Identity, Sequence[float]] = field(default_factory=dict)

    def admit(self, places: Iterable[Place], holders: Iterable[Place]) -> Mapping[Place, Place]:
        """
        Return what each place counts in: itself, or OTHER; who was admitted stays.

        Args:
            places: of what has all there is to tell.
            holders: of what only holds them; they have as much room again.
        """
        room = (bounded(asked, self._lines, self.most, OTHER) for asked in (holders, places))
        return {place: counts for half in room for place, counts in half.items()}

    def samples(self, told: Sequence[Told]) -> Iterator[Sample]:
        """Yield what is told of the containers of a scrape."""
        members: dict[Place, list[Told]] = {}
        for one in told:
            members.setdefault(one.place, []).append(one)
        self._lines = {place: self._lines.get(place) or _Lines(place) for place in members}
        totals = self._totals.look(self._counted(told))
        for place, some in members.items():
            lines = self._lines[place]
            readings = [one.reading for one in some]
            there = set[str]().union(*readings)
            for key, series in lines.levels:
                if key in there:
                    yield Sample(series, sum(reading.get(key, 0) for reading in readings))
            for key, series in lines.limits:
                # Of two of the same name one without a limit makes that both have none.
                if all(key in reading for reading in readings) and place != OTHER:
                    yield Sample(series, sum(reading[key] for reading in readings))
            for (key, series, per_unit), total in zip(lines.counters, totals[place], strict=True):
                if key in there:
                    yield Sample(series, total / per_unit)

    def _counted(self, told: Sequence[Told]) -> Mapping[Hashable, Member]:
        """Return the counters of all; one that is not told this time stands still."""
        last = self._last
        self._last = now = {
            one.identity: tuple(map(one.reading.get, _KEYS, last.get(one.identity, _NOTHING)))
            for one in told
        }
        return {one.identity: Member(one.place, now[one.identity], one.born) for one in told}
