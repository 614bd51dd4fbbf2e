"""
The kubelet's list of the pods on its node.

https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from exporters.hardware.facts import tidy
from exporters.host.documents import at, list_at, text_at
from exporters.host.place import Told
from exporters.host.workload import of_owner

_STATUSES = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_STATIC = "kubernetes.io/config.hash"
"""The UID of a static pod as its cgroup has it, where metadata has that of its mirror."""
_TEMPLATE = "pod-template-hash"
# A list is a megabyte and more, of which this is all that is kept while it is parsed.
_KEPT = frozenset(
    {
        "items", "metadata", "name", "namespace", "uid", "annotations", _STATIC, "labels",
        _TEMPLATE, "ownerReferences", "kind", "controller", "spec", "nodeName", "status",
        *_STATUSES, "containerID", "state", "lastState", "terminated",
    }
)  # fmt: skip


class Pod(NamedTuple):
    """A pod, and whose it is."""

    namespace: str
    pod: str
    workload: str
    started: bool = False
    """Whether the ids of its containers, or of some, are known."""


@dataclass(frozen=True, slots=True)
class PodList:
    """What the kubelet knows of its pods and their containers."""

    pods: Mapping[str, Pod] = field(default_factory=dict)
    """By UID."""
    containers: Mapping[str, Told] = field(default_factory=dict)
    """By id; sandboxes are not among them."""


def parse_pods(body: bytes | bytearray) -> PodList:
    """
    Parse the answer to ``GET /pods``.

    Raises:
        ValueError: it is no list of pods.
    """
    # Latin-1 has a byte for every character, which keeps a long text short in memory whatever
    # the annotations hold; names are ASCII.
    text = body.decode("latin-1")
    try:
        return pods_of(json.loads(text, object_pairs_hook=_keep))
    except (RecursionError, ValueError) as error:
        msg = f"it is no list of pods: {text[:60]!r}"
        raise ValueError(msg) from error


def pods_of(document: Any) -> PodList:
    """
    Return what a parsed list says.

    Raises:
        ValueError: it is no list of pods.
    """
    items = list_at(document, "items")
    if items is None:
        msg = "it has no items"
        raise ValueError(msg)
    pods: dict[str, Pod] = {}
    containers: dict[str, Told] = {}
    for item in items:
        ids = dict(_containers(item))
        pod = _pod(item, started=bool(ids))
        for uid in (
            text_at(item, "metadata", "uid"),
            text_at(item, "metadata", "annotations", _STATIC),
        ):
            if uid:
                pods[uid] = pod
        containers |= {id_: Told(pod.namespace, pod.pod, name) for id_, name in ids.items()}
    pods.pop("", None)
    return PodList(pods, containers)


def _keep(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key: value for key, value in pairs if key in _KEPT}


def _pod(item: Any, *, started: bool) -> Pod:
    name = tidy(text_at(item, "metadata", "name"))
    namespace = tidy(text_at(item, "metadata", "namespace"))
    return Pod(namespace, name, tidy(_workload(item, name)), started)


def _workload(item: Any, name: str) -> str:
    """Return the name of a pod's owner; of a static pod, which has none, its manifest's."""
    for owner in list_at(item, "metadata", "ownerReferences") or ():
        if at(owner, "controller") is True and at(owner, "kind") != "Node":
            template = text_at(item, "metadata", "labels", _TEMPLATE)
            return of_owner(text_at(owner, "kind"), text_at(owner, "name"), template)
    if at(item, "metadata", "annotations", _STATIC):
        return name.removesuffix(f"-{text_at(item, 'spec', 'nodeName')}")
    return name


def _containers(item: Any) -> Iterator[tuple[str, str]]:
    """Yield id and name of a pod's containers, that of a run which has ended too."""
    for key in _STATUSES:
        for status in list_at(item, "status", key) or ():
            name = tidy(text_at(status, "name"))
            for place in ((), ("state", "terminated"), ("lastState", "terminated")):
                _, _, container_id = text_at(status, *place, "containerID").rpartition("/")
                if container_id and name:
                    yield container_id, name
