"""Names that stay the same when pods and runs change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.host.workload import derived_from_pod, of_owner, of_unit

UID = "402b7eec-0fbd-4eb2-8ba6-b4624fd238c9"


@pytest.mark.parametrize(
    ("pod", "workload"),
    [
        # Names that public reports show.
        ("nginx-deployment-66b6c48dd5-7xb2r", "nginx-deployment"),
        ("coredns-6799fbcd5-9hqzv", "coredns"),
        ("kube-proxy-z5h8m", "kube-proxy"),
        ("calico-node-kp6rv", "calico-node"),
        ("broker-0", "broker"),
        ("postgres-replica-12", "postgres-replica"),
        ("backup-29458560-4kqnz", "backup"),
        # No hash: it has an "a" and a "1", which no sum's digits become.
        ("svclb-traefik-3fa6f1c2-d7vbn", "svclb-traefik-3fa6f1c2"),
        ("debug", "debug"),
        ("my-tool", "my-tool"),
        ("web-cache", "web-cache"),
        ("7xb2r", "7xb2r"),
        # Known to be wrong: a person gave these names (see the module).
        ("web-https", "web"),
        ("relay-2", "relay"),
    ],
)
def test_derived(pod: str, workload: str) -> None:
    """What a controller puts behind its own name is taken off."""
    assert workload == derived_from_pod(pod, UID)


def test_a_static_pod_keeps_its_name() -> None:
    """The end of its name is the node's, such as edge-7; nobody here knows where that begins."""
    static = derived_from_pod("kube-scheduler-edge-7", "d30e4ee3f0a1b2c3d4e5f60718293a4b")
    assert "kube-scheduler-edge-7" == static


@given(st.text(max_size=300))
def test_derived_from_anything(pod: str) -> None:
    """A workload's name begins its pod's, and is empty for none only."""
    workload = derived_from_pod(pod, UID)
    assert pod.startswith(workload)
    assert bool(pod) == bool(workload)


@pytest.mark.parametrize(
    ("kind", "name", "template", "workload"),
    [
        ("ReplicaSet", "coredns-6799fbcd5", "6799fbcd5", "coredns"),
        ("ReplicaSet", "by-hand", "", "by-hand"),
        ("ReplicaSet", "by-hand-5d4f9c7b68", "", "by-hand-5d4f9c7b68"),
        ("Job", "backup-29458560", "", "backup"),
        ("Job", "helm-install-traefik", "", "helm-install-traefik"),
        ("DaemonSet", "svclb-traefik-3fa6f1c2", "", "svclb-traefik-3fa6f1c2"),
        ("StatefulSet", "broker", "", "broker"),
        ("RayCluster", "llm-29458560", "", "llm-29458560"),
    ],
)
def test_of_owner(kind: str, name: str, template: str, workload: str) -> None:
    """The Deployment behind a ReplicaSet and the CronJob behind a Job, else the owner itself."""
    assert workload == of_owner(kind, name, template)


@pytest.mark.parametrize(
    ("unit", "workload"),
    [
        ("nginx.service", "nginx"),
        ("getty@tty1.service", "getty@tty1"),
        ("init.scope", "init"),
        (r"my\x2dapp.service", "my-app"),
        ("snap.microk8s.daemon-kubelite.service", "snap.microk8s.daemon-kubelite"),
        ("run-u123.service", ""),
        ("run-r0f1e2d3c4b5a69788796a5b4c3d2e1f0.scope", ""),
        ("run-p4711-i4712.scope", ""),
        ("run-4711.scope", ""),
        ("runner.service", "runner"),
    ],
)
def test_of_unit(unit: str, workload: str) -> None:
    """Without suffix and escapes; a name that systemd-run made up is none."""
    assert workload == of_unit(unit)
