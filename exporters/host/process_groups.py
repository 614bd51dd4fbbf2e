"""Adds up the readings of processes by group."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from exporters.core import Metric, Sample, Series
from exporters.hardware.cpulist import show_cpus
from exporters.hardware.facts import LONGEST
from exporters.host import process_metrics as metrics
from exporters.host.bounded import bounded
from exporters.host.process_counters import Counters, Identity
from exporters.host.process_files import TICKS, Placement
from exporters.host.process_metrics import OTHER, Group
from exporters.host.process_reading import Reading
from exporters.host.totals import Member, Values


@dataclass(frozen=True, slots=True)
class Process:
    """A chosen process at one scrape."""

    identity: Identity
    group: Group
    born: bool
    """It began after the scrape before."""
    gpu: bool
    reading: Reading | None
    """None where it could not be read."""
    placement: Placement | None = None


# What a group has of each is the sum, or nothing where one of its processes does not tell.
_LEVELS: tuple[tuple[Metric, Callable[[Reading], float | None]], ...] = (
    (metrics.THREADS, lambda reading: reading.stat.threads),
    (metrics.MEMORY, lambda reading: reading.memory),
    (metrics.OPEN_FILES, lambda reading: reading.files),
)
# What the counters of Counters are, in their order, and how many of them make one unit.
_TIMES = (
    (metrics.CPU, {"mode": "user"}, TICKS),
    (metrics.CPU, {"mode": "system"}, TICKS),
    (metrics.FAULTS, {"type": "minor"}, 1),
    (metrics.FAULTS, {"type": "major"}, 1),
)
_SWITCHES = (
    (metrics.SWITCHES, {"type": "voluntary"}, 1),
    (metrics.SWITCHES, {"type": "involuntary"}, 1),
)
_Counted = Sequence[tuple[Series, int]]


class _Lines:
    """The series of a group, made once."""

    def __init__(self, group: Group) -> None:
        self.labels = group._asdict()
        self.processes = metrics.PROCESSES.series(**self.labels)
        self.levels = [(metric.series(**self.labels), get) for metric, get in _LEVELS]
        self.times = self._counters(_TIMES)
        self.switches = self._counters(_SWITCHES)
        self.cpus = metrics.ALLOWED_CPUS.series(**self.labels)
        self.nodes = metrics.ALLOWED_NODES.series(**self.labels)

    def _counters(self, table: Sequence[tuple[Metric, dict[str, str], int]]) -> _Counted:
        return [(metric.series(**self.labels, **more), unit) for metric, more, unit in table]


@dataclass(slots=True)
class Groups:
    """The groups of chosen processes, at most so many, and what they have counted."""

    most: int
    _lines: dict[Group, _Lines] = field(default_factory=dict)
    _times: Counters = field(default_factory=Counters)
    _switches: Counters = field(default_factory=Counters)

    def samples(self, processes: Sequence[Process]) -> Iterator[Sample]:
        """Yield what is told of the processes of a scrape; those that began first go first."""
        own = self._admit(dict.fromkeys(process.group for process in processes))
        members: dict[Group, list[Process]] = {group: [] for group in own.values()}
        for process in processes:
            members[own[process.group]].append(process)
        times = self._times.look(*_times(members))
        switches = self._switches.look(*_switches(members, self._switches))
        for group, some in members.items():
            lines = self._lines[group]
            yield Sample(lines.processes, len(some))
            readings = [process.reading for process in some if process.reading]
            if len(readings) == len(some):
                yield from _counted(lines.times, times[group])
                yield from _levels(lines, readings)
                if all(reading.threads for reading in readings):
                    yield from _counted(lines.switches, switches[group])
                yield from _numa(lines, [process.placement for process in some])
        yield from self._gpu([process for process in processes if process.gpu])
        yield metrics.OTHERS.sample(sum(group == OTHER for group in own.values()))

    def _gpu(self, processes: Sequence[Process]) -> Iterator[Sample]:
        """Yield who uses a GPU; those above the bound are ``other``, as NVML's own are."""
        told = [(process.identity.pid, process.group) for process in processes[: self.most]]
        for pid, group in told + [("other", OTHER)] * (len(processes) > self.most):
            yield metrics.USES_GPU.sample(1, pid=pid, **group._asdict())

    def _admit(self, groups: Collection[Group]) -> Mapping[Group, Group]:
        """Return what each group is counted in: itself, or OTHER; who was admitted stays."""
        lines = self._lines
        own = bounded(groups, lines, self.most, OTHER)
        self._lines = {
            group: lines.get(group) or _Lines(group) for group in dict.fromkeys(own.values())
        }
        return own


def _times(
    members: Mapping[Group, Sequence[Process]],
) -> tuple[dict[tuple[Identity, str], Member], set[Identity]]:
    """Return what the processes have counted, and which of them could not be read."""
    found, still = {}, set()
    for group, some in members.items():
        for process in some:
            if process.reading is None:
                still.add(process.identity)
                continue
            stat = process.reading.stat
            values = (stat.user, stat.system, stat.minor, stat.major)
            found[process.identity, ""] = Member(group, values, process.born)
    return found, still


def _switches(
    members: Mapping[Group, Sequence[Process]], before: Counters
) -> tuple[dict[tuple[Identity, str], Member], set[Identity]]:
    """Return what the threads have counted, and of which processes they could not be read."""
    found, still = {}, set()
    for group, some in members.items():
        for process in some:
            threads = process.reading.threads if process.reading else None
            if threads is None:
                still.add(process.identity)
                continue
            born = process.born or before.knew(process.identity)
            for thread, values in threads.switches.items():
                found[process.identity, thread] = Member(group, values, born)
    return found, still


def _counted(lines: _Counted, totals: Values) -> Iterator[Sample]:
    for (series, unit), total in zip(lines, totals, strict=True):
        yield Sample(series, total / unit)


def _levels(lines: _Lines, readings: Sequence[Reading]) -> Iterator[Sample]:
    for series, get in lines.levels:
        told = [value for reading in readings if (value := get(reading)) is not None]
        if len(told) == len(readings):
            yield Sample(series, sum(told))
    threads = [reading.threads for reading in readings if reading.threads]
    if len(threads) == len(readings):
        cpus = {cpu for one in threads for cpu in one.cpus}
        nodes = {node for one in threads for node in one.nodes}
        yield Sample(lines.cpus, len(cpus))
        if nodes:
            yield Sample(lines.nodes, len(nodes))
        listed = {"cpus": _listed(cpus), "memory_nodes": _listed(nodes)}
        yield metrics.ALLOWED.sample(1, **lines.labels, **listed)


def _listed(numbers: Collection[int]) -> str:
    text = show_cpus(sorted(numbers))
    return text if len(text) <= LONGEST else "other"


def _numa(lines: _Lines, placements: Sequence[Placement | None]) -> Iterator[Sample]:
    """Yield where a group's memory is, once all of its processes have told."""
    told = [placement for placement in placements if placement]
    if len(told) < len(placements):
        return
    for node in sorted({node for one in told for node in one.by_node}, key=int):
        total = sum(one.by_node.get(node, 0.0) for one in told)
        yield metrics.NUMA_MEMORY.sample(total, **lines.labels, numa_node=node)
    yield metrics.NUMA_TIME.sample(min(one.at for one in told), **lines.labels)
