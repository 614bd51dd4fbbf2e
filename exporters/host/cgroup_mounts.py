"""
Which hierarchy of control groups has what: version 2, version 1, or on a hybrid node some of each.

A controller is in one hierarchy at most. Where it is mounted for version 1 it is read there;
what is mounted for none is read in version 2, which tells of no controller that it lacks.
https://systemd.io/CGROUP_DELEGATION/#three-different-tree-setups-
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from exporters.core import NoData, Root
from exporters.host import cgroup_v1, cgroup_v2
from exporters.host.cgroup_parts import Part, Row

TOP = "sys/fs/cgroup"
UNIFIED = f"{TOP}/unified"
"""Where a hybrid node has version 2."""
# The first that is there has the tree that is walked: runtimes make the same in each.
V1_CONTROLLERS = ("memory", "cpu", "cpuacct", "pids")
_TOGETHER = "cpu,cpuacct"
"""What ``cpu`` and ``cpuacct`` link to as a rule, and a copy of a node may lack the links."""
MOUNT = "mount the node's read-only: a hostPath volume, -v /sys/fs/cgroup:/sys/fs/cgroup:ro"
"""What to do in a container."""

Steps = Sequence[tuple[str, Part]]
"""What there is to read, each with the mount of its hierarchy."""


@dataclass(frozen=True, slots=True)
class Hierarchies:
    """What there is to read on a node."""

    tree: str
    """The mount whose folders are the groups."""
    limits: Steps
    rest: Mapping[Row, Steps]


def find_hierarchies(root: Root) -> Hierarchies:
    """
    Return what there is to read.

    Raises:
        NoData: there are no control groups.
    """
    if root.exists(f"{TOP}/cgroup.controllers"):
        return _planned(TOP, [(TOP, part) for part in cgroup_v2.PARTS])
    mounts = {name: mount for name in V1_CONTROLLERS if (mount := _v1_mount(root, name))}
    steps = [
        (mounts[part.controller], part) for part in cgroup_v1.PARTS if part.controller in mounts
    ]
    unified = root.exists(f"{UNIFIED}/cgroup.controllers")
    if unified:
        steps += [(UNIFIED, part) for part in cgroup_v2.PARTS if part.controller not in mounts]
    if not steps:
        msg = f"no control groups at /{TOP}: {MOUNT}"
        raise NoData(msg)
    return _planned(next(iter(mounts.values()), UNIFIED), steps)


def _v1_mount(root: Root, controller: str) -> str | None:
    names = (controller, _TOGETHER) if controller in _TOGETHER.split(",") else (controller,)
    mounts = (f"{TOP}/{name}" for name in names)
    return next((mount for mount in mounts if root.exists(f"{mount}/cgroup.procs")), None)


def _planned(tree: str, steps: Steps) -> Hierarchies:
    limits = [step for step in steps if step[1].limit]
    rest = {
        row: [step for step in steps if row in step[1].rows and not step[1].limit] for row in Row
    }
    return Hierarchies(tree, limits, rest)


def is_own_only(root: Root, tree: str) -> bool:
    """
    Whether what is mounted is a container's own group instead of the node's.

    The top of a hierarchy has no ``cgroup.type`` in version 2, and is alone in having a
    ``release_agent`` in version 1. https://docs.kernel.org/admin-guide/cgroup-v1/cgroups.html
    """
    if root.exists(f"{tree}/cgroup.controllers"):
        return root.exists(f"{tree}/cgroup.type")
    return not root.exists(f"{tree}/release_agent")
