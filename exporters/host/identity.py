"""
Names for cgroups, of whatever the node has to tell them.

A path has a container's id and a pod's UID, no more. The kubelet's links to logs have the names
of containers; so has a runtime's bundle for root, and the kubelet's own list for who has a
token. Docker and Podman keep files. Where nothing tells a name, an id stands for it.
"""

import threading
from dataclasses import dataclass
from functools import reduce

from exporters.core import Failure, Root
from exporters.hardware.facts import Facts
from exporters.host.cgroup_path import Found, Kind, parse_cgroup_path
from exporters.host.engines import Podman, from_docker
from exporters.host.kubelet import Pods, pods_for
from exporters.host.options import Kubelet
from exporters.host.place import Place
from exporters.host.pod_names import SHORT, Named, PodNames
from exporters.host.workload import of_unit

__all__ = ["Identities", "Place"]

MOST = 8192
"""Paths that are remembered."""
FORGOTTEN_SECONDS, SWEEP_SECONDS = 900.0, 60.0
"""A path that nobody has asked for so long is forgotten; how often that is seen to."""
LONGEST_WAIT_SECONDS = 300.0
"""Where a name is missing another look is taken after a second, two, four, up to so many."""
QUESTIONS = 6
"""Looks, within a minute, after which the kubelet's answer will not change: it names no sandbox."""


@dataclass(slots=True)
class _Entry:
    """What is known of a path."""

    named: Named
    used: float
    looks: int
    due: float
    """When to look again, unless it is settled."""
    version: int
    """Of the kubelet's list."""
    failures: tuple[Failure, ...]


class Identities:
    """Names cgroup paths, and remembers what it found. For any thread, and one root."""

    def __init__(self, kubelet: Kubelet | None) -> None:
        self._kubelet = kubelet
        self._asker: Pods | None = None
        self._begun = False
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}
        self._swept = float("-inf")
        self._pods = PodNames()
        self._podman = Podman()

    def of(self, root: Root, cgroup_path: str) -> Place:
        """
        Return the names of what runs in a cgroup; none where nothing is known of it.

        A pod's sandbox has no ``container``; any other container has a name or an id there. The
        files behind the names are read when a path is new, and seldom where they lack one.

        Args:
            root: the node.
            cgroup_path: as in ``/proc/<pid>/cgroup``, or from the mount of cgroups on.
        """
        now, asker = root.monotonic(), self._pods_of(root)
        version = asker.version if asker else 0
        with self._lock:
            entry = self._entries.get(cgroup_path)
            if entry:
                entry.used = now
        if entry and (entry.named.settled or (now < entry.due and version == entry.version)):
            return entry.named.place
        looks = entry.looks if entry else 0
        facts = Facts(root)
        found = parse_cgroup_path(cgroup_path)
        named = self._look(facts, found, cgroup_path, asker)
        if asker and not named.settled and (looks < QUESTIONS or asker.failure):
            asker.want()
        due = now + min(2.0**looks, LONGEST_WAIT_SECONDS)
        failures = _general(facts.failures, found) if named.lacking else ()
        self._keep(cgroup_path, _Entry(named, now, min(looks + 1, 16), due, version, failures))
        return named.place

    def failures(self) -> list[Failure]:
        """Return why names are missing: each source once, of the paths asked for of late."""
        with self._lock:
            entries = [entry for entry in self._entries.values() if entry.failures]
        newest = max((entry.used for entry in entries), default=0.0)
        late = [entry for entry in entries if entry.used >= newest - SWEEP_SECONDS]
        found = {failure.where: failure for entry in late for failure in entry.failures}
        if self._asker and self._asker.failure:
            found[self._asker.failure.where] = self._asker.failure
        return list(found.values())

    def close(self) -> None:
        """End the thread that asks the kubelet."""
        if self._asker:
            self._asker.close()

    def _pods_of(self, root: Root) -> Pods | None:
        if not self._begun:
            with self._lock:
                if not self._begun:
                    self._asker = pods_for(root, self._kubelet)
                    self._begun = True
        return self._asker

    def _look(self, facts: Facts, found: Found, path: str, asker: Pods | None) -> Named:
        match found.kind:
            case Kind.POD | Kind.POD_CONTAINER:
                return self._pods.place(facts, found, path, asker.pods if asker else None)
            case Kind.UNIT:
                return Named(Place(workload=of_unit(found.unit)), settled=True)
            case Kind.SESSION | Kind.OTHER:
                return Named(Place(), settled=True)
        return self._engine(facts, found, path, asker)

    def _engine(self, facts: Facts, found: Found, path: str, asker: Pods | None) -> Named:
        """Name a container that is in no pod's cgroup; Docker may know it to be a pod's still."""
        if found.kind is Kind.PODMAN:
            name = self._podman.name(facts, found.container_id, found.user)
        else:
            docker = from_docker(facts, found.container_id)
            if docker and docker.told:
                pod = found._replace(kind=Kind.POD_CONTAINER)
                return self._pods.place(facts, pod, path, asker.pods if asker else None)
            name = docker.name if docker else ""
        label = name or found.container_id[:SHORT]
        workload = name or of_unit(found.unit)
        return Named(Place(container=label, workload=workload), bool(name), not name)

    def _keep(self, path: str, entry: _Entry) -> None:
        with self._lock:
            self._entries[path] = entry
            if entry.used - self._swept >= SWEEP_SECONDS:
                self._swept = entry.used
                oldest = entry.used - FORGOTTEN_SECONDS
                self._entries = {
                    path: known for path, known in self._entries.items() if known.used >= oldest
                }
            while len(self._entries) > MOST:
                del self._entries[next(iter(self._entries))]


def _general(failures: list[Failure], found: Found) -> tuple[Failure, ...]:
    """Return failures by what they have in common over all containers."""

    def general(where: str) -> str:
        return reduce(lambda text, id_: text.replace(id_, "*"), ids, where)

    ids = [text for text in (found.container_id, found.pod_uid) if text]
    return tuple(Failure(general(failure.where), failure.error) for failure in failures)
