"""Reads all chosen processes once, each with the group that it counts in."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from exporters.core import Root
from exporters.hardware.facts import tidy
from exporters.host.place import Place
from exporters.host.process_counters import Identity
from exporters.host.process_faults import GONE, Faults, file_of
from exporters.host.process_files import Placement
from exporters.host.process_groups import Process
from exporters.host.process_metrics import Group
from exporters.host.process_names import Names
from exporters.host.process_reading import Allowance, Kept, Reading, read_process
from exporters.host.process_rules import Examined
from exporters.host.process_watch import Watch


class Places(Protocol):
    """Knows where processes run, by their cgroup."""

    def of(self, root: Root, cgroup_path: str, /) -> Place:
        """Return where the processes of a cgroup run."""


@dataclass(slots=True)
class Look:
    """One scrape's look at the chosen processes of a node."""

    root: Root
    places: Places
    faults: Faults
    before: int | None
    """Ticks since boot at the look before."""
    names: Names
    last: Mapping[str, Kept] = field(default_factory=dict)
    """What the look before has, by pid."""
    kept: dict[str, Kept] = field(default_factory=dict)
    """What this one leaves."""
    _allowance: Allowance = field(default_factory=Allowance)
    _groups: dict[tuple[str, str], Group] = field(default_factory=dict)

    def read(
        self, chosen: Sequence[Examined], placements: Mapping[Identity, Placement], watch: Watch
    ) -> Iterator[Process]:
        """Yield the processes that live; those that do not are news to the watch from now on."""
        for one in chosen:
            try:
                reading = self._reading(one)
            except GONE:
                watch.forget(one.pid)
                continue
            command = reading.stat.command if reading else one.command
            if command != one.command:
                watch.hurry(one.pid)
            identity = Identity(one.pid, one.started)
            yield Process(
                identity,
                self._group(one.cgroup, self.names.of(identity, command)),
                born=self.before is not None and one.started >= self.before,
                gpu=one.gpu,
                reading=reading,
                placement=placements.get(identity),
            )

    def _reading(self, one: Examined) -> Reading | None:
        """
        Return what a process is now; None where it cannot be read though it may live.

        Raises:
            ProcessLookupError, FileNotFoundError: it has ended.
        """
        try:
            known = self.last.get(one.pid)
            kept = read_process(
                self.root, one.pid, one.started, self._allowance, self.faults, known
            )
        except GONE:
            raise
        except (OSError, ValueError) as error:
            self.faults.add(one.pid, file_of(error), error)
            return None
        self.kept[one.pid] = kept
        return kept.reading

    def _group(self, cgroup: str, command: str) -> Group:
        if known := self._groups.get((cgroup, command)):
            return known
        place = self.places.of(self.root, cgroup)
        name = tidy(command)
        group = Group(place.namespace, place.pod, place.container, place.workload or name, name)
        self._groups[cgroup, command] = group
        return group
