"""
What containers use of memory and CPU, and where their limits stop them.

That is what their control groups (``/sys/fs/cgroup``) say: those of containers, and of services
that systemd limits. What only holds containers, such as a pod, has a row for its limits, what
these did, and its events of memory, which outlive the containers; the rest would be told twice.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from exporters.core import Collector, Failure, NoData, Root, Sample, Sensor
from exporters.hardware.known import Known
from exporters.host import container_metrics as metrics
from exporters.host.cgroup_mounts import MOUNT, TOP, Hierarchies, find_hierarchies, is_own_only
from exporters.host.cgroup_parts import Row
from exporters.host.cgroup_reading import Kept, Reader, kills_of
from exporters.host.cgroup_tree import Identity, Tree
from exporters.host.container_look import Look, Names
from exporters.host.container_rows import Rows, Told
from exporters.host.options import HostOptions
from exporters.host.process_faults import Faults

ADVICE = (
    f"containers of the node: {MOUNT}; memory needs its controller (on a Raspberry Pi"
    " cgroup_enable=memory), pressure needs cgroup version 2 and a kernel with psi=1; names of pods"
    " and their containers: mount /var/log/pods and /var/log/containers read-only, or --kubelet.url"
    " with the token of a service account that may get nodes/pods"
)


@dataclass(slots=True)
class Containers:
    """Looks at a node's control groups at every scrape, and remembers what it saw."""

    names: Names
    rows: Rows
    tree: Tree = field(default_factory=Tree)
    _looks: int = 0
    _before: AbstractSet[Identity] | None = None
    _kept: Mapping[Identity, Kept] = field(default_factory=dict)
    _world: tuple[Hierarchies, int | None] | None = None
    _latest: Sequence[Sensor | Failure] = ()
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def discover(self, root: Root) -> Iterable[Sensor | Failure]:
        """
        Read the groups that count.

        A look that hung in a read, and goes on when a later one has been made, changes nothing.

        Raises:
            NoData: none does.
        """
        self._looks += 1
        this = self._looks
        faults = Faults("", "control group", "control groups")
        hierarchies = find_hierarchies(root)
        tree = self.tree.look(root, hierarchies.tree, faults)
        world = hierarchies, kills_of(root)
        # What was learnt before a process was killed, or something was mounted, may have changed.
        kept = self._kept if world == self._world else {}
        reader = Reader(root, hierarchies, faults, kept, this, world[1] is not None)
        look = Look(root, self.names, reader)
        candidates = list(look.candidates(tree.groups))
        places = self.rows.admit(
            (one.place for one in candidates if one.row is Row.OWN),
            (one.place for one in candidates if one.row is Row.HOLDER),
        )
        told = list(look.read(candidates, places, self._before))
        with self._lock:
            if this == self._looks:
                self._latest, self._before, self._kept = (), tree.seen, reader.kept
                self._world = world
                known = Known(f"{hierarchies.tree}/*", tuple(self._samples(told)))
                failures = (*faults.failures(), *self.names.failures())
                self._latest = (*failures, known) if told else failures
            if told or faults:
                return self._latest
        raise NoData(_why(root, hierarchies.tree, len(tree.seen)))

    def _samples(self, told: Sequence[Told]) -> Iterator[Sample]:
        yield from self.rows.samples(told)
        places = [one.place for one in told if not one.holder]
        yield metrics.CONTAINERS.sample(len(places))
        yield metrics.OTHERS.sample(places.count(metrics.OTHER))


def _why(root: Root, tree: str, groups: int) -> str:
    if is_own_only(root, tree):
        return f"/{tree} shows the agent's own control group, not the node's: {MOUNT}"
    return f"none of the {groups} control groups at /{tree} is a container or a limited service"


def collector(options: HostOptions, names: Names) -> Collector:
    """Return a collector of the containers of a node, which has seen none yet."""
    return Collector(
        "containers",
        metrics.METRICS,
        Containers(names, Rows(options.containers)).discover,
        source=f"/{TOP}",
        advice=ADVICE,
        volatile=True,
    )
