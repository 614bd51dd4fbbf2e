"""Which control groups there are, and which of them are containers, services or pods."""

import errno
from collections import deque
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from exporters.core import Root
from exporters.host.cgroup_path import Kind, is_container, parse_cgroup_path
from exporters.host.pace import Times
from exporters.host.process_faults import Faults

MOST_GROUPS = 8192
"""Groups that one scrape looks at: some 50 milliseconds of one CPU."""


class Role(Enum):
    """What counts of a control group."""

    CONTAINER = "container"
    SERVICE = "service"
    SLICE = "slice"
    """One that somebody made for a purpose, at the top."""
    POD = "pod"


class Identity(NamedTuple):
    """Who a control group is: one that is made anew under its name has another number."""

    path: str
    """Below the mount, without a slash before it."""
    inode: int


@dataclass(frozen=True, slots=True)
class Group:
    """A control group that counts."""

    identity: Identity
    role: Role
    holds: bool = False
    """There are containers in it."""


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at a tree gave."""

    groups: list[Group]
    """Those that count, from the top down and by name."""
    seen: frozenset[Identity]
    """Those that count, and those that do not."""


@dataclass(slots=True)
class Tree:
    """
    Walks the tree at every scrape, and remembers what the paths mean.

    A container that holds no groups is seldom asked again whether it does.
    """

    _roles: dict[str, Role | None] = field(default_factory=dict)
    _leaves: dict[Identity, Times] = field(default_factory=dict)

    def look(self, root: Root, mount: str, faults: Faults) -> Look:
        """
        Return what is there now.

        Args:
            root: the node.
            mount: where the hierarchy is.
            faults: takes folders that cannot be listed, and that there are too many.
        """
        known, roles = self._roles, dict[str, Role | None]()
        found, seen = list[tuple[Identity, Role]](), set[Identity]()
        now, before = root.monotonic(), self._leaves
        leaves = {one for one, times in before.items() if now < times.due}
        for one in _walk(root, mount, faults, leaves):
            path = one.path
            role = roles[path] = known[path] if path in known else role_of(path)
            seen.add(one)
            if role:
                found.append((one, role))
        containers = [one for one, role in found if role is Role.CONTAINER]
        above = {over for one in containers for over in _above(one.path)}
        holding = {one.path.rpartition("/")[0] for one in seen}
        empty = [] if faults else [one for one in containers if one.path not in holding]
        self._roles = roles
        self._leaves = {
            one: before[one] if one in leaves else Times.of(one.inode, before.get(one), now)
            for one in empty
        }
        groups = [Group(one, role, role is Role.POD or one.path in above) for one, role in found]
        return Look(groups, frozenset(seen))


def role_of(path: str) -> Role | None:
    """Return what counts of the group of a path; None where nothing does."""
    if is_container(path):
        return Role.CONTAINER
    above, _, name = path.rpartition("/")
    found = parse_cgroup_path(path)
    if found.kind is Kind.POD:
        return None if parse_cgroup_path(above).pod_uid == found.pod_uid else Role.POD
    if found.kind is Kind.UNIT and name == found.unit:
        suffix = name.rpartition(".")[2]
        return {"service": Role.SERVICE, "slice": Role.SLICE}.get(suffix)
    return None


def _walk(
    root: Root, mount: str, faults: Faults, leaves: AbstractSet[Identity]
) -> Iterator[Identity]:
    """Yield all groups but the top, those further up first."""
    waiting, many = deque([""]), 0
    while waiting:
        above = waiting.popleft()
        for name, inode in _inside(root, mount, above, faults):
            many += 1
            if many > MOST_GROUPS:
                text = f"no more than {MOST_GROUPS} groups are looked at in one scrape"
                faults.add(above, mount, OSError(errno.E2BIG, text))
                return
            path = f"{above}/{name}" if above else name
            one = Identity(path, inode)
            if one not in leaves:
                waiting.append(path)
            yield one


def _inside(root: Root, mount: str, path: str, faults: Faults) -> list[tuple[str, int]]:
    try:
        return root.folders(f"{mount}/{path}" if path else mount)
    except OSError as error:
        faults.add(path, f"{mount}/[group]", error)
        return []


def _above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path
