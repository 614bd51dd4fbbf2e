"""The kubelet's list of pods."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.host.place import Told
from exporters.host.pod_list import Pod, PodList, parse_pods, pods_of

ID, OTHER, THIRD = "2" * 64, "3" * 64, "4" * 64
UID = "402b7eec-0fbd-4eb2-8ba6-b4624fd238c9"
K3S = Path(__file__).parents[2] / "fixtures/roots/containers-k3s"


def pod(**more: Any) -> dict[str, Any]:
    """Return a pod of a Deployment, with changes to its metadata."""
    owner = {"kind": "ReplicaSet", "name": "web-6799fbcd5", "controller": True}
    labels = {"pod-template-hash": "6799fbcd5"}
    metadata = {"name": "web-6799fbcd5-9hqzv", "namespace": "shop", "uid": UID, "labels": labels}
    status = {"containerStatuses": [{"name": "web", "containerID": f"containerd://{ID}"}]}
    return {"metadata": {**metadata, "ownerReferences": [owner], **more}, "status": status}


def parse(*items: object) -> PodList:
    """Return what a list of these items says."""
    return parse_pods(json.dumps({"kind": "PodList", "items": items}).encode())


def test_a_pod() -> None:
    """Names by UID, the Deployment behind its ReplicaSet, and a container by its id."""
    listed = parse(pod())
    assert {UID: Pod("shop", "web-6799fbcd5-9hqzv", "web", started=True)} == listed.pods
    assert {ID: Told("shop", "web-6799fbcd5-9hqzv", "web")} == listed.containers


def test_containers_of_all_kinds() -> None:
    """Init and ephemeral ones too, and the run before the one that is on."""
    item = pod()
    item["status"] = {
        "initContainerStatuses": [
            {"name": "setup", "state": {"terminated": {"containerID": f"docker://{ID}"}}}
        ],
        "containerStatuses": [
            {
                "name": "web",
                "containerID": f"cri-o://{OTHER}",
                "lastState": {"terminated": {"containerID": f"cri-o://{'5' * 64}"}},
            },
            {"name": "waits", "state": {"waiting": {"reason": "ImagePullBackOff"}}},
        ],
        "ephemeralContainerStatuses": [{"name": "debug", "containerID": f"containerd://{THIRD}"}],
    }
    names = {key: told.container for key, told in parse(item).containers.items()}
    assert {ID: "setup", OTHER: "web", "5" * 64: "web", THIRD: "debug"} == names


def test_a_pod_that_has_not_begun() -> None:
    """It has a name and no containers yet."""
    item = pod()
    item["status"] = {"phase": "Pending"}
    listed = parse(item)
    assert not listed.pods[UID].started
    assert {} == listed.containers


def test_a_static_pod() -> None:
    """Its cgroup has the hash of its manifest; its name has the node's behind it."""
    static = "d30e4ee3f0a1b2c3d4e5f60718293a4b"
    hashed = {"kubernetes.io/config.hash": static}
    mirror = {"kind": "Node", "name": "edge-7", "controller": True}
    item = pod(name="etcd-edge-7", annotations=hashed, ownerReferences=[mirror])
    item["spec"] = {"nodeName": "edge-7"}
    listed = parse(item)
    assert "etcd" == listed.pods[static].workload
    assert listed.pods[static] == listed.pods[UID]


def test_a_pod_of_nobody() -> None:
    """Its own name is all there is; an owner that does not control it is none."""
    listed = parse(pod(name="debug", ownerReferences=[{"kind": "ReplicaSet", "name": "x-1"}]))
    assert "debug" == listed.pods[UID].workload


def test_the_recorded_list() -> None:
    """The owners of k3s's own pods, a CronJob's behind its Job."""
    listed = parse_pods((K3S / "replay/kubelet.json").read_bytes())
    workloads = {pod.pod: pod.workload for pod in listed.pods.values()}
    assert {
        "coredns-6799fbcd5-9hqzv": "coredns",
        "svclb-traefik-3fa6f1c2-d7vbn": "svclb-traefik-3fa6f1c2",
        "helm-install-traefik-lp2xw": "helm-install-traefik",
        "detector-5d4f9c7b68-m6r2j": "detector",
        "backup-29458560-4kqnz": "backup",
    } == workloads
    assert 6 == len(listed.containers)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{}", b"[]", b"7", b'{"items": {}}', b"<html>", b"\xff\xfe", b"[" * 99999,
        b'{"items": [{',
    ],
)  # fmt: skip
def test_no_list(body: bytes) -> None:
    """Anything else is refused in one line."""
    with pytest.raises(ValueError, match="it is no list of pods") as refused:
        parse_pods(body)
    assert "\n" not in str(refused.value)


KEYS = st.sampled_from(
    ["items", "metadata", "uid", "name", "namespace", "ownerReferences", "kind", "controller",
     "status", "containerStatuses", "containerID", "state", "terminated", "annotations"]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner),
)


@given(st.lists(JSON))
def test_any_items(items: list[object]) -> None:
    """Whatever the items are, what is found are texts that a label may have."""
    listed = pods_of(json.loads(json.dumps({"items": items})))
    texts = [text for known in listed.pods.values() for text in known[:3]]
    texts += [text for told in listed.containers.values() for text in told[:3]]
    assert all(text.isprintable() for text in texts)


def test_memory() -> None:
    """What a list takes to be parsed is its text, not the tree that it is."""
    item = pod(managedFields=[{f"f:{number}": {"f:a": {}} for number in range(200)}])
    item["spec"] = {"containers": [{"env": [{"name": "A", "value": "b" * 30}] * 150}]}
    body = json.dumps({"items": [item] * 150}).encode()
    tracemalloc.start()
    try:
        parse_pods(body)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < len(body) * 1.5
