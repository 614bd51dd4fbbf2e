"""Names of pods and their containers, each from the first source that has it."""

from dataclasses import dataclass, field
from typing import NamedTuple

from exporters.hardware.facts import Facts
from exporters.host.cgroup_path import Found, Kind
from exporters.host.engines import from_docker
from exporters.host.oci_bundle import from_bundle
from exporters.host.pause import runs_pause
from exporters.host.place import Place, Told
from exporters.host.pod_list import PodList
from exporters.host.pod_logs import PodLogs, PodName
from exporters.host.workload import derived_from_pod

SHORT = 12
"""Digits of an id that stand for a name, as Docker shows them."""


class Named(NamedTuple):
    """A place, and what is to be said of it."""

    place: Place
    settled: bool
    """A later look would not find more."""
    lacking: bool = False
    """An id stands for a name."""


class _Container(NamedTuple):
    """What is known of a container."""

    told: Told | None
    sure: bool = True
    """False where it is only likely."""


@dataclass(slots=True)
class PodNames:
    """Knows what the kubelet's folders said last."""

    _logs: PodLogs = field(default_factory=PodLogs)

    def place(self, facts: Facts, found: Found, path: str, pods: PodList | None) -> Named:
        """
        Return where a pod's cgroup, or that of one of its containers, belongs.

        Args:
            facts: takes note of what could not be read.
            found: what the path says.
            path: where it is below the mount of cgroups.
            pods: the kubelet's list; None where nobody asks for it.
        """
        listed = pods or PodList()
        container = self._container(facts, found, path, listed)
        told = container.told or Told()
        pod = self._pod(facts, found.pod_uid, told, listed)
        owner = listed.pods.get(found.pod_uid)
        name = told.container
        lacking = pod is None
        if found.kind is Kind.POD_CONTAINER and not told.sandbox and not name:
            name, lacking = found.container_id[:SHORT], True
        place = Place(
            pod.namespace if pod else "",
            pod.pod if pod else found.pod_uid,
            name,
            (owner and owner.workload) or (derived_from_pod(pod.pod, found.pod_uid) if pod else ""),
        )
        awaited = pods is not None and owner is None and bool(found.pod_uid)
        return Named(place, container.sure and not lacking and not awaited, lacking)

    def _pod(self, facts: Facts, uid: str, told: Told, listed: PodList) -> PodName | None:
        """Return the names of a pod, which one of its containers may have told."""
        if told.pod:
            return PodName(told.namespace, told.pod)
        owner = listed.pods.get(uid)
        if owner:
            return PodName(owner.namespace, owner.pod)
        return self._logs.pod(facts, uid) if uid else None

    def _container(self, facts: Facts, found: Found, path: str, listed: PodList) -> _Container:
        if found.kind is not Kind.POD_CONTAINER:
            return _Container(None)
        told = self._by_id(facts, found.container_id, listed)
        return _Container(told) if told else self._by_pod(facts, found, path, listed)

    def _by_id(self, facts: Facts, container_id: str, listed: PodList) -> Told | None:
        told = (
            self._logs.container(facts, container_id)
            or listed.containers.get(container_id)
            or from_bundle(facts, container_id)
        )
        if told:
            return told
        docker = from_docker(facts, container_id)
        return docker.told if docker else None

    def _by_pod(self, facts: Facts, found: Found, path: str, listed: PodList) -> _Container:
        """Tell a sandbox from a container whose pod has only one, where no source has its id."""
        pod = self._pod(facts, found.pod_uid, Told(), listed)
        told = Told(pod.namespace, pod.pod) if pod else Told()
        pause = runs_pause(facts.root, path)
        if pause:
            return _Container(told._replace(sandbox=True))
        name = self._only_name(facts, found, pod, alone=pause is False) if pod else ""
        if name:
            return _Container(told._replace(container=name))
        # Whoever knows a pod's containers by their ids, and not this one, knows no sandboxes.
        owner = listed.pods.get(found.pod_uid)
        others = (pod and self._logs.has_links(pod)) or (owner and owner.started)
        sandbox = pause is None and bool(others)
        return _Container(told._replace(sandbox=sandbox), sure=False)

    def _only_name(self, facts: Facts, found: Found, pod: PodName, *, alone: bool) -> str:
        """Return the name of a container by its pod's logs; empty where they do not tell it."""
        uid = found.pod_uid
        name = self._logs.linked_to_docker(facts, uid, pod, found.container_id)
        if name or not alone:
            return name
        candidates = self._logs.candidates(facts, uid, pod)
        return candidates[0] if len(candidates) == 1 else ""
