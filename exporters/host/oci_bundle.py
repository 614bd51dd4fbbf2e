"""
Names of a pod's container from the configuration its runtime was given, which root may read.

Annotations: ``internal/cri/annotations`` of containerd/containerd, ``pkg/annotations`` of
cri-o/cri-o, ``pkg/kubelet/types/labels.go`` of kubernetes/kubernetes.
"""

from exporters.core import Failure
from exporters.hardware.facts import Facts, tidy
from exporters.host.documents import at, parse_document, text_at
from exporters.host.place import Told

_TASK = "io.containerd.runtime.v2.task/k8s.io/{}/config.json"
BUNDLES = (
    f"run/containerd/{_TASK}",
    f"run/k3s/containerd/{_TASK}",  # and RKE2
    f"run/k0s/containerd/{_TASK}",
    f"var/snap/microk8s/common/run/containerd/{_TASK}",
    "run/containers/storage/overlay-containers/{}/userdata/config.json",  # CRI-O
)
"""Where a container's bundle may be, by its id."""

_CONTAINERD, _CRIO, _LABEL = "io.kubernetes.cri", "io.kubernetes.cri-o", "io.kubernetes"
_TYPE = (f"{_CONTAINERD}.container-type", f"{_CRIO}.ContainerType")
_NAMESPACE = (f"{_CONTAINERD}.sandbox-namespace", f"{_LABEL}.pod.namespace", f"{_CRIO}.Namespace")
_POD = (f"{_CONTAINERD}.sandbox-name", f"{_LABEL}.pod.name", f"{_CRIO}.KubeName")
_CONTAINER = (f"{_CONTAINERD}.container-name", f"{_LABEL}.container.name")


def parse_bundle(text: str) -> Told:
    """
    Return what a bundle's ``config.json`` says.

    Raises:
        ValueError: it is not the configuration of a pod's container.
    """
    annotations = at(parse_document(text), "annotations")

    def first(keys: tuple[str, ...]) -> str:
        return next((found for key in keys if (found := tidy(text_at(annotations, key)))), "")

    sandbox = first(_TYPE) == "sandbox"
    told = Told(first(_NAMESPACE), first(_POD), "" if sandbox else first(_CONTAINER), sandbox)
    if not told.namespace or not told.pod or not (sandbox or told.container):
        msg = "it has no annotations that name a pod's container"
        raise ValueError(msg)
    return told


def from_bundle(facts: Facts, container_id: str) -> Told | None:
    """Return what a container's bundle says; None where there is none that says it."""
    for pattern in BUNDLES:
        path = pattern.format(container_id)
        text = facts.raw(path)
        if text:
            try:
                return parse_bundle(text)
            except ValueError as error:
                facts.failures.append(Failure(path, error))
    return None
