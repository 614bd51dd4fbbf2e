"""
What a cgroup's path says of what runs in it: who made it, and the ids of container and pod.

systemd's units: systemd.slice(5). Scopes of containers are ``<prefix>-<id>.scope``:
https://github.com/opencontainers/runc/blob/main/docs/systemd.md. Pods of the kubelet:
``pkg/kubelet/cm`` of kubernetes/kubernetes. Forms that differ from release to release: crun#305
and #1768 (a ``container`` below the scope), kind#3947 (``kubelet-`` before ``kubepods``).
"""

import re
from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    """What made a cgroup."""

    POD = "pod"
    """The kubelet, for a pod: it holds the cgroups of the pod's containers."""
    POD_CONTAINER = "pod container"
    """A runtime, for a container of a pod or for the sandbox: the path does not tell which."""
    DOCKER = "docker"
    PODMAN = "podman"
    CONTAINERD = "containerd"
    """Any other that names containers by ids of this form, as nerdctl does."""
    UNIT = "unit"
    """systemd, for a service or scope, be it one of a user's, or for a slice of one's own."""
    SESSION = "user session"
    OTHER = "other"


class Found(NamedTuple):
    """What a path says; empty what it does not."""

    kind: Kind
    pod_uid: str = ""
    """With dashes, as the kubelet has it; that of a static pod has none."""
    container_id: str = ""
    """64 hexadecimal digits."""
    unit: str = ""
    """systemd's unit, with its suffix; for a container the service that it is all of (Quadlet)."""
    user: str = ""
    """The number of the user whose slice it is in."""


UID = r"[0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}|[0-9a-f]{32}"
"""A pod's UID; a static pod's is a hash without dashes (kubernetes#67537)."""
ID = r"[0-9a-f]{64}"
_POD = re.compile(rf"(?:.*-)?pod({UID})(?:\.slice)?", re.DOTALL)
_CONTAINER = re.compile(rf"(?:([a-z][a-z0-9_-]*)-)?({ID})(?:\.scope)?")
# The systemd driver of a kubelet with the cgroupfs driver of its runtime: one name of three parts.
_JOINED = re.compile(rf"([^:]+\.slice):([a-z-]+):({ID})")
_HAS_ID = re.compile(ID)
_USER = re.compile(r"user-(\d{1,10})\.slice", re.ASCII)
_PREFIXES = {
    "docker": Kind.DOCKER,
    "libpod": Kind.PODMAN,
    "libpod-payload": Kind.PODMAN,
    "cri-containerd": Kind.POD_CONTAINER,
    "crio": Kind.POD_CONTAINER,
}
# Slices that systemd or a kubelet makes: systemd.special(7), systemd.slice(5).
_COMMON_SLICE = re.compile(r"(?:-|system|user|machine|background|app|session|kube.*)\.slice")
_LONGEST = 4096
_DELETED = " (deleted)"
"""What the kernel puts behind the path of a cgroup that a process is the last to know."""


def parse_cgroup_path(path: str) -> Found:
    """
    Return what a path says, as in ``/proc/<pid>/cgroup`` or below the mount; OTHER: nothing.

    Containers within containers: the one that this node can name counts. That is the first, or
    the first below the last pod (a cluster in Docker, as kind has it).
    """
    return _parse(path)[0]


def is_container(path: str) -> bool:
    """Whether a cgroup is a container's own, not one that it holds or that holds it."""
    return _parse(path)[1]


def _parse(path: str) -> tuple[Found, bool]:
    """Return what a path says, and whether it ends with the container."""
    parts = _parts(path)
    user = next((match[1] for part in parts if (match := _USER.fullmatch(part))), "")
    begin, uid = _last_pod(parts)
    for at in range(begin, len(parts)):
        container = _container(parts, at)
        if container:
            kind, container_id, unit = container
            found = Found(Kind.POD_CONTAINER if uid else kind, uid, container_id, unit, user)
            return found, at == len(parts) - 1
    if uid:
        return Found(Kind.POD, uid, user=user), False
    return _unit(parts, user), False


def _parts(path: str) -> list[str]:
    """Return the names in a path; a cgroup namespace shows what is above it as ``..``."""
    if len(path) > _LONGEST:
        return []
    parts: list[str] = []
    for part in path.removesuffix(_DELETED).split("/"):
        joined = _JOINED.fullmatch(part)
        if joined:
            parts += [joined[1], f"{joined[2]}-{joined[3]}.scope"]
        elif part not in {"", ".", ".."}:
            parts.append(part)
    return parts


def _last_pod(parts: list[str]) -> tuple[int, str]:
    """Return where the last pod's containers begin, and its UID; 0 and nothing without one."""
    for at in reversed(range(len(parts))):
        pod = _POD.fullmatch(parts[at])
        if pod:
            return at + 1, pod[1].replace("_", "-")
    return 0, ""


def _container(parts: list[str], at: int) -> tuple[Kind, str, str] | None:
    """Return kind, id and perhaps the service of the container whose name is there."""
    found = _CONTAINER.fullmatch(parts[at])
    prefix = found[1] or "" if found else ""
    if not found or prefix.endswith("conmon"):
        return None
    above = parts[at - 1] if at else ""
    if not prefix and above == "docker":
        return Kind.DOCKER, found[2], ""
    unit = above if prefix == "libpod-payload" and above.endswith(".service") else ""
    return _PREFIXES.get(prefix, Kind.CONTAINERD), found[2], unit


def _unit(parts: list[str], user: str) -> Found:
    """Return the outermost unit, or the one that a user's own systemd runs."""
    units = [part for part in parts if part.endswith((".service", ".scope"))]
    unit = units[0] if units else _own_slice(parts)
    if not unit or _HAS_ID.search(unit):
        return Found(Kind.OTHER, user=user)
    if unit.startswith("user@"):
        own = next((part for part in units[1:] if part.endswith(".service")), "")
        return Found(Kind.UNIT if own else Kind.SESSION, unit=own or unit, user=user)
    session = unit.startswith("session-") and unit.endswith(".scope")
    return Found(Kind.SESSION if session else Kind.UNIT, unit=unit, user=user)


def _own_slice(parts: list[str]) -> str:
    """Return the slice at the top that somebody made for a purpose, such as inference.slice."""
    top = parts[0] if parts else ""
    return top if top.endswith(".slice") and not _COMMON_SLICE.fullmatch(top) else ""
