"""
What each disk did and how long it took, from ``/proc/diskstats``.

Time over requests is what a request took on average (await): docs/host.md has the query.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence

from exporters.core import Collector, Failure, NoData, Root, Sample, Sensor, Series
from exporters.hardware.facts import Facts, tidy
from exporters.hardware.known import Known
from exporters.host.disk_kind import INFO, describe, folder, is_disk, is_hardware
from exporters.host.disk_stats import FIELDS, IO_NOW, Counters, Device, parse_lines
from exporters.host.files import MOUNT, UNMOUNTED
from exporters.host.totals import Member, Totals

DISKSTATS = "proc/diskstats"
MOST = 64
"""Disks that have series of their own, hardware before what is made of it."""
OTHER = "other"


def series_of(device: str) -> tuple[Series, ...]:
    """Return the series of a disk, in the order of FIELDS."""
    return tuple(field.series(device=device) for field in FIELDS)


class Disks:
    """
    The file, its disks and what they have counted so far.

    A disk that shows up has series at once: most kernels announce no card that is put in.
    """

    where = DISKSTATS

    def __init__(self) -> None:
        self._known: dict[Device, Counters | None] = {}
        self._series: dict[Device, Sequence[Series]] = {}
        self._rest = series_of(OTHER)
        self._others = Totals()

    def discover(self, root: Root) -> Iterator[Sensor | Failure]:
        """Find the disks, and say what they are."""
        if not root.exists(DISKSTATS):
            msg = f"no /{DISKSTATS}: {UNMOUNTED}"
            raise NoData(msg)
        try:
            self._admit(root, parse_lines(root.read(DISKSTATS)))
        except (OSError, ValueError) as error:
            yield Failure(DISKSTATS, error)
            return
        if not any(self._known.values()):
            msg = f"/{DISKSTATS} has no disk, only parts of disks, files or memory"
            raise NoData(msg)
        for device in self._series:
            facts = Facts(root)
            labels = describe(facts, device.name)
            yield from facts.failures
            yield Known(folder(device.name), (INFO.sample(1, **labels),))
        yield self

    def read(self, root: Root) -> Sequence[Sample]:
        """Read the file."""
        lines = parse_lines(root.read(DISKSTATS))
        if lines.keys() != self._known.keys():
            self._admit(root, lines)
        samples: list[Sample] = []
        rest: dict[Hashable, Sequence[float]] = {}
        for device, text in lines.items():
            counters = self._known[device]
            if counters is None:
                continue
            values = counters.look(text)
            if device in self._series:
                samples += map(Sample, self._series[device], values)
            else:
                rest[device] = values
        return [*samples, *self._sum(rest)] if rest else samples

    def _admit(self, root: Root, lines: Mapping[Device, str]) -> None:
        """Take note of who came and went; the sum of the rest would fall by one that left it."""
        fresh = [device for device in lines if device not in self._known]
        disks = [device for device in fresh if is_disk(root, device.name)]
        kept = {device: one for device, one in self._known.items() if device in lines}
        self._known = kept | dict.fromkeys(fresh) | {device: Counters() for device in disks}
        self._series = {device: known for device, known in self._series.items() if device in lines}
        disks.sort(key=lambda device: not is_hardware(root, device.name))
        for device in disks[: MOST - len(self._series)]:
            self._series[device] = series_of(tidy(device.name))

    def _sum(self, rest: Mapping[Hashable, Sequence[float]]) -> Iterator[Sample]:
        """Sum up the disks without series of their own."""
        common = min(map(len, rest.values()))
        padded = {
            device: Member(OTHER, [*values, *[0.0] * (len(FIELDS) - len(values))])
            for device, values in rest.items()
        }
        totals = list(self._others.look(padded)[OTHER])
        totals[IO_NOW] = sum(values[IO_NOW] for values in rest.values())
        return map(Sample, self._rest[:common], totals)


def collector() -> Collector:
    """Return the collector; it remembers how far each disk has come."""
    return Collector(
        "disk",
        (INFO, *FIELDS),
        Disks().discover,
        source=f"/{DISKSTATS}, /sys/class/block",
        advice=MOUNT,
    )
