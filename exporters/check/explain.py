"""Says more of what went wrong, from what is known of this very node."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace

from exporters.check.kconfig import said_of
from exporters.check.privileges import Privileges, group_name
from exporters.check.row import Row
from exporters.core.root import Root

_UNMASK = (
    "docker: --security-opt systempaths=unconfined; podman: --security-opt unmask={};"
    " Kubernetes: privileged: true"
)
_NOT_THE_MODE = (
    "look for a security module (AppArmor, SELinux) or kernel lockdown in dmesg and the audit log"
)


@dataclass(frozen=True, slots=True)
class Node:
    """What is known of the node that is checked."""

    root: Root
    config: Mapping[str, str]
    """The options of its kernel."""
    masked: tuple[str, ...] = ()
    """What a container runtime hides."""
    who: Privileges | None = None
    """None under ``--root``: whoever looks at a recording is not who would run there."""


def explain(row: Row, node: Node) -> Row:
    """Return the row with more of a reason, and with another fix where that one would not help."""
    if row.verdict == "ok" or row.kind == "node":
        return row
    for point in node.masked:
        if _hidden(row, node, point):
            reason = f"{point} is masked by the container runtime"
            return replace(row, verdict="denied", reason=reason, fix=_UNMASK.format(point))
    if row.verdict == "denied" and node.who and row.paths:
        return _denied(row, node.root, node.who)
    if row.verdict == "absent" and (known := said_of(row.fix, node.config)):
        return replace(row, reason=f"{row.reason}; {known}")
    return row


def _denied(row: Row, root: Root, who: Privileges) -> Row:
    try:
        status = os.stat(root.locate(row.paths[0].removeprefix("/")))
    except OSError:
        return row
    owner = f"{stat.filemode(status.st_mode)} uid {status.st_uid}, group "
    reason = f"{row.reason}: {owner}{group_name(status.st_gid)}"
    return replace(row, reason=reason, fix=_NOT_THE_MODE if who.reads_all else row.fix)


def _hidden(row: Row, node: Node, point: str) -> bool:
    """Whether a source leads to where something is masked, as links of /sys/class do."""
    return any(
        f"/{node.root.resolve(path)}/".startswith(f"{point}/") for path in _paths(row, node.root)
    )


def _paths(row: Row, root: Root) -> list[str]:
    if row.paths:
        return [path.removeprefix("/") for path in row.paths]
    pattern = row.source.removeprefix("/")
    if pattern == row.source or " " in pattern:
        return []
    try:
        return root.glob(pattern if "*" in pattern else f"{pattern}/*")
    except OSError:
        return []
