"""Paths of cgroups as kubelets, runtimes and systemd form them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.host.cgroup_path import Found, Kind, is_container, parse_cgroup_path

ID = "2f6c1b0a9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a"
INNER = "b2a102854b4969b2ce98dc329c86b4fb2b06e4ad2cc8da9d8a7578c9cd2004a2"
UID = "402b7eec-0fbd-4eb2-8ba6-b4624fd238c9"
UNDERSCORED = UID.replace("-", "_")
STATIC = "d30e4ee3f0a1b2c3d4e5f60718293a4b"
BURSTABLE = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable"
KIND = "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice"
USER = "/user.slice/user-1000.slice"
MANAGER = f"{USER}/user@1000.service"

OF_PODS = {
    "systemd driver": (f"{BURSTABLE}-pod{UNDERSCORED}.slice/cri-containerd-{ID}.scope", UID),
    "Guaranteed pods have no level of their own": (
        f"/kubepods.slice/kubepods-pod{UNDERSCORED}.slice/cri-containerd-{ID}.scope",
        UID,
    ),
    "CRI-O": (f"{BURSTABLE}-pod{UNDERSCORED}.slice/crio-{ID}.scope", UID),
    "Docker through cri-dockerd": (f"{BURSTABLE}-pod{UNDERSCORED}.slice/docker-{ID}.scope", UID),
    "cgroupfs driver": (f"/kubepods/burstable/pod{UID}/{ID}", UID),
    "cgroupfs driver, Guaranteed": (f"/kubepods/pod{UID}/{ID}", UID),
    "CRI-O with the cgroupfs driver": (f"/kubepods/burstable/pod{UID}/crio-{ID}", UID),
    "static pod": (f"/kubepods/burstable/pod{STATIC}/{ID}", STATIC),
    "static pod, systemd driver": (
        f"{BURSTABLE}-pod{STATIC}.slice/cri-containerd-{ID}.scope",
        STATIC,
    ),
    "kubelet and runtime with different drivers": (
        f"/system.slice/containerd.service/kubepods-pod{UNDERSCORED}.slice:cri-containerd:{ID}",
        UID,
    ),
    "a root of its own, as kind has it": (
        f"{KIND}/kubelet-kubepods-burstable-pod{UNDERSCORED}.slice/cri-containerd-{ID}.scope",
        UID,
    ),
    "kind in Docker on version 1": (
        f"/docker/{INNER}/kubelet/kubepods/besteffort/pod{UID}/{ID}",
        UID,
    ),
    "seen from within a cgroup namespace": (
        f"/../../kubepods-burstable-pod{UNDERSCORED}.slice/cri-containerd-{ID}.scope",
        UID,
    ),
    "a neighbour within the pod": (f"/../cri-containerd-{ID}.scope", ""),
    "removed": (f"/kubepods/pod{UID}/{ID} (deleted)", UID),
}
OTHERS = {
    "Docker, systemd driver": (f"/system.slice/docker-{ID}.scope", Kind.DOCKER),
    "Docker, cgroupfs driver": (f"/docker/{ID}", Kind.DOCKER),
    "rootless Docker": (f"{MANAGER}/user.slice/docker-{ID}.scope", Kind.DOCKER),
    "Podman": (f"/machine.slice/libpod-{ID}.scope", Kind.PODMAN),
    "Podman's pod": (
        f"/machine.slice/machine-libpod_pod_{INNER}.slice/libpod-{ID}.scope",
        Kind.PODMAN,
    ),
    "Podman, cgroupfs driver": (f"/libpod_parent/libpod-{ID}", Kind.PODMAN),
    "rootless Podman": (f"{MANAGER}/user.slice/libpod-{ID}.scope", Kind.PODMAN),
    "nerdctl": (f"/system.slice/nerdctl-{ID}.scope", Kind.CONTAINERD),
    "nerdctl, cgroupfs driver": (f"/default/{ID}", Kind.CONTAINERD),
}
UNITS = {
    "/system.slice/nginx.service": (Kind.UNIT, "nginx.service"),
    "/system.slice/system-getty.slice/getty@tty1.service": (Kind.UNIT, "getty@tty1.service"),
    "/system.slice/nginx.service/workers/3": (Kind.UNIT, "nginx.service"),
    "/init.scope": (Kind.UNIT, "init.scope"),
    "/machine.slice/systemd-nspawn@web.service/payload/system.slice/app.service": (
        Kind.UNIT,
        "systemd-nspawn@web.service",
    ),
    f"{USER}/session-3.scope": (Kind.SESSION, "session-3.scope"),
    f"{MANAGER}/init.scope": (Kind.SESSION, "user@1000.service"),
    f"{MANAGER}/app.slice/detector.service": (Kind.UNIT, "detector.service"),
    f"{MANAGER}/app.slice/app-gnome-firefox-4711.scope": (Kind.SESSION, "user@1000.service"),
    f"/machine.slice/libpod-conmon-{ID}.scope": (Kind.OTHER, ""),
    f"/system.slice/var-lib-docker-overlay2-{ID}-merged.mount": (Kind.OTHER, ""),
    "/system.slice": (Kind.OTHER, ""),
    "/": (Kind.OTHER, ""),
    "": (Kind.OTHER, ""),
    "/lxc.payload.web/init": (Kind.OTHER, ""),
    f"/docker/{ID[:63]}": (Kind.OTHER, ""),
    f"/docker/{ID.upper()}": (Kind.OTHER, ""),
    f"/kubepods/{'/x' * 3000}/pod{UID}": (Kind.OTHER, ""),
}


@pytest.mark.parametrize(("path", "uid"), OF_PODS.values(), ids=OF_PODS.keys())
def test_a_container_of_a_pod(path: str, uid: str) -> None:
    """UID, its dashes restored, and id, whatever the driver and the runtime."""
    assert Found(Kind.POD_CONTAINER, uid, ID) == parse_cgroup_path(path)
    assert is_container(path)


@pytest.mark.parametrize(("path", "kind"), OTHERS.values(), ids=OTHERS.keys())
def test_a_container_of_an_engine(path: str, kind: Kind) -> None:
    """Who made it, and its id."""
    found = parse_cgroup_path(path)
    assert (kind, ID, "") == (found.kind, found.container_id, found.pod_uid)
    assert is_container(path)


@pytest.mark.parametrize("path", UNITS)
def test_no_container(path: str) -> None:
    """A unit of systemd, or nothing at all."""
    kind, unit = UNITS[path]
    found = parse_cgroup_path(path)
    assert (kind, unit, "") == (found.kind, found.unit, found.container_id)
    assert not is_container(path)


@pytest.mark.parametrize(
    "path",
    [
        f"{BURSTABLE}-pod{UNDERSCORED}.slice",
        f"/kubepods.slice/kubepods-pod{UNDERSCORED}.slice",
        f"/kubepods/besteffort/pod{UID}",
        f"/kubepods/besteffort/pod{UID}/crio-conmon-{ID}",
    ],
)
def test_a_pod_is_no_container(path: str) -> None:
    """Its cgroup holds theirs; what watches over a container (conmon) is in it, too."""
    assert Found(Kind.POD, UID) == parse_cgroup_path(path)
    assert not is_container(path)


@pytest.mark.parametrize(
    "path",
    [
        f"/machine.slice/libpod-{ID}.scope/container",
        f"/system.slice/docker-{ID}.scope/init.scope",
        f"/docker/{ID}/system.slice/nginx.service",
        f"/docker/{ID}/docker/{INNER}",
    ],
)
def test_below_a_container(path: str) -> None:
    """What a container holds belongs to it, other containers too: this node has no name there."""
    assert ID == parse_cgroup_path(path).container_id
    assert not is_container(path)


def test_docker_in_a_pod() -> None:
    """The pod's container counts, which the kubelet can name."""
    path = f"/kubepods/pod{UID}/{ID}/docker/{INNER}"
    assert Found(Kind.POD_CONTAINER, UID, ID) == parse_cgroup_path(path)
    assert not is_container(path)


def test_a_cluster_in_a_pod() -> None:
    """Whoever sees a pod within a pod looks from within: the inner one counts."""
    path = f"/kubepods/pod{STATIC}/{INNER}/kubelet/kubepods/pod{UID}/{ID}"
    assert Found(Kind.POD_CONTAINER, UID, ID) == parse_cgroup_path(path)
    assert is_container(path)


def test_a_service_that_is_one_container() -> None:
    """Quadlet has Podman split the service's own cgroup; the other half is the runtime's."""
    payload = f"/system.slice/redis.service/libpod-payload-{ID}"
    assert Found(Kind.PODMAN, "", ID, "redis.service") == parse_cgroup_path(payload)
    assert is_container(payload)
    runtime = parse_cgroup_path("/system.slice/redis.service/runtime")
    assert Found(Kind.UNIT, unit="redis.service") == runtime


def test_whose_container() -> None:
    """A rootless container is named in a file of its user."""
    assert "1000" == parse_cgroup_path(f"{MANAGER}/user.slice/libpod-{ID}.scope").user


PIECES = st.one_of(
    st.sampled_from(
        [
            "..", "", "kubepods", f"pod{UID}", f"x-pod{UNDERSCORED}.slice", ID, "docker",
            f"docker-{ID}.scope", f"crio-conmon-{ID}.scope", "a.service", "user@1.service",
            "user-1.slice", f"a-pod{STATIC}.slice:b:{ID}", "session-1.scope",
        ]
    ),
    st.text(max_size=80),
)  # fmt: skip


@given(st.lists(PIECES).map("/".join))
def test_any_path(path: str) -> None:
    """Whatever comes, what is found has the form that labels and file names rely on."""
    found = parse_cgroup_path(path)
    assert re.fullmatch(r"([0-9a-f]{64})?", found.container_id)
    assert re.fullmatch(r"([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?", found.pod_uid)
    assert "/" not in found.unit
    assert found.user == "" or found.user.isdecimal()
    holds = found.kind not in {Kind.POD, Kind.UNIT, Kind.SESSION, Kind.OTHER}
    assert holds == bool(found.container_id)
    assert found.container_id or not is_container(path)
