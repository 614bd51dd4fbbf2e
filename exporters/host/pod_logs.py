"""
Names of pods and containers from the folders of their logs, which anybody may read.

``/var/log/pods/<namespace>_<pod>_<uid>/<container>/<restarts>.log`` is there for each container
that has started, those that ended too. The container's id is in
``/var/log/containers/<pod>_<namespace>_<container>-<id>.log`` (``pkg/kubelet/kuberuntime``
of kubernetes/kubernetes, legacy.go), and, where Docker is the runtime, in the link that the log
is (kubernetes#34858). A sandbox has neither. No name of a pod, namespace or container holds a
``_``.
"""

import errno
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from exporters.core import Failure
from exporters.hardware.facts import Facts
from exporters.host.cgroup_path import ID, UID
from exporters.host.pace import Pace
from exporters.host.place import Told

PODS, CONTAINERS = "var/log/pods", "var/log/containers"
_NAME = r"[a-z0-9][-a-z0-9.]{0,252}"
_FOLDER = re.compile(rf"({_NAME})_({_NAME})_({UID})")
_LINK = re.compile(rf"({_NAME})_({_NAME})_({_NAME})-({ID})\.log")
MOST = 8192
"""Pods, or containers, whose names are kept: links to logs can stay behind for ever."""
T = TypeVar("T")


class PodName(NamedTuple):
    """A pod, by the names that people know it by."""

    namespace: str
    pod: str


def parse_folder(name: str) -> tuple[str, PodName]:
    """
    Return UID and names of a pod by the folder of its logs.

    Raises:
        ValueError: it is no such folder.
    """
    found = _FOLDER.fullmatch(name)
    if not found:
        msg = f"not <namespace>_<pod>_<uid>: {name[:60]!r}"
        raise ValueError(msg)
    return found[3], PodName(found[1], found[2])


def parse_link(name: str) -> tuple[str, Told]:
    """
    Return the id and the names of a container by the link to its log.

    Raises:
        ValueError: it is no such link, or was cut off at 255 characters.
    """
    found = _LINK.fullmatch(name)
    if not found:
        msg = f"not <pod>_<namespace>_<container>-<id>.log: {name[:60]!r}"
        raise ValueError(msg)
    return found[4], Told(found[2], found[1], found[3])


@dataclass(slots=True)
class PodLogs:
    """What the folders say, as of the last look; looks again for what it has not seen."""

    _pods_pace: Pace = field(default_factory=Pace)
    _containers_pace: Pace = field(default_factory=Pace)
    _pods: dict[str, PodName] = field(default_factory=dict)
    _containers: dict[str, Told] = field(default_factory=dict)
    _linked: frozenset[PodName] = frozenset()

    def pod(self, facts: Facts, uid: str) -> PodName | None:
        """Return the names of the pod with a UID; None where there is no folder of it."""
        if uid not in self._pods and self._pods_pace.due(facts.root):
            self._pods = dict(_parsed(_listed(facts, PODS), parse_folder))
        return self._pods.get(uid)

    def container(self, facts: Facts, container_id: str) -> Told | None:
        """Return the names of the container with an id; None where there is no link of it."""
        if container_id not in self._containers and self._containers_pace.due(facts.root):
            self._containers = dict(_parsed(_listed(facts, CONTAINERS), parse_link))
            named = self._containers.values()
            self._linked = frozenset(PodName(told.namespace, told.pod) for told in named)
        return self._containers.get(container_id)

    def has_links(self, pod: PodName) -> bool:
        """Whether links of a pod's containers were there at the last look."""
        return pod in self._linked

    @staticmethod
    def candidates(facts: Facts, uid: str, pod: PodName) -> list[str]:
        """Return the names of a pod's containers: those that have ever had a log."""
        return facts.names(f"{PODS}/{pod.namespace}_{pod.pod}_{uid}")

    @staticmethod
    def linked_to_docker(facts: Facts, uid: str, pod: PodName, container_id: str) -> str:
        """Return the container whose log is a link to Docker's file of an id, or nothing."""
        folder = f"{PODS}/{pod.namespace}_{pod.pod}_{uid}"
        for container in facts.names(folder):
            for log in facts.names(f"{folder}/{container}"):
                try:
                    target = facts.root.link(f"{folder}/{container}/{log}")
                except OSError:
                    continue  # a file, not a link: the runtime is not Docker
                if container_id in target:
                    return container
        return ""


def _listed(facts: Facts, folder: str) -> list[str]:
    """Return the names in a folder; of too many not all, and a failure that says so."""
    names = facts.names(folder)
    if len(names) > MOST:
        error = OSError(errno.E2BIG, f"{len(names)} names, of which {MOST} are looked at")
        facts.failures.append(Failure(folder, error))
    return names[:MOST]


def _parsed(names: list[str], parse: Callable[[str], tuple[str, T]]) -> Iterator[tuple[str, T]]:
    """Yield what a parser makes of names, without those of something else."""
    for name in names:
        try:
            yield parse(name)
        except ValueError:
            continue
