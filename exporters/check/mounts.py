"""
Whether /proc and /sys are there as the agent needs them, and what of them is masked.

https://docs.kernel.org/filesystems/proc.html (``/proc/PID/mountinfo``, options of proc). Container
runtimes mask folders with an empty read-only tmpfs and files with /dev/null
(https://github.com/opencontainers/runtime-spec/blob/main/config-linux.md#masked-paths).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from exporters.check.row import Row
from exporters.core.root import Root

NEEDED = {"/proc": "proc", "/sys": "sysfs"}
_OCTAL = re.compile(r"\\([0-7]{3})")
# Mount point, options and type, of which the last two stand on both sides of " - ".
_FIELDS_BEFORE, _FIELDS_AFTER = 6, 3
_EVERY_MOUNT = (
    "docker and podman mount it by themselves; else, as root: mount -t {type} {type} {point};"
    " in Kubernetes a hostPath volume"
)
_PIDS_ONLY = "mounted with subset=pid: it shows processes only, no /proc/interrupts, no /proc/sys"


@dataclass(frozen=True, slots=True)
class Mount:
    """What is mounted at one place."""

    type: str
    options: frozenset[str]
    """Of the mount and of the file system."""
    root: str
    """The folder or file of the file system that shows."""

    @property
    def masks(self) -> bool:
        """Whether it hides what was there rather than shows something."""
        return (self.type == "tmpfs" and "ro" in self.options) or self.root.endswith("/null")


def parse_mountinfo(text: str) -> dict[str, Mount]:
    """
    Parse ``/proc/self/mountinfo`` into what shows at each mount point: of several the last.

    Raises:
        ValueError: a line is not of its form.
    """
    mounts = {}
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        left, right = before.split(), after.split()
        if len(left) < _FIELDS_BEFORE or len(right) < _FIELDS_AFTER:
            msg = f"not a line of mountinfo: {line[:80]!r}"
            raise ValueError(msg)
        point = _OCTAL.sub(lambda found: chr(int(found[1], 8)), left[4])
        options = frozenset(f"{left[5]},{right[-1]}".split(","))
        mounts[point] = Mount(right[0], options, left[3])
    return mounts


def masked(mounts: Mapping[str, Mount]) -> list[str]:
    """Return the places in /proc and /sys that something empty was mounted over."""
    return sorted(
        point
        for point, mount in mounts.items()
        # The tmpfs that the folders of cgroup v1 lie in.
        if point.startswith(("/proc/", "/sys/")) and mount.masks and point != "/sys/fs/cgroup"
    )


def mount_rows(mounts: Mapping[str, Mount] | None, root: Root) -> Iterator[Row]:
    """Yield a verdict on each mount that the agent needs; None of mounts is: /proc shows none."""
    for point, kind in NEEDED.items():
        mount = (mounts or {}).get(point)
        if mounts is not None and mount is None:
            problem = f"no {kind} is mounted there"
        elif mount and mount.type != kind:
            problem = f"{mount.type} is mounted there, not {kind}"
        elif point == "/sys":
            problem = _empty(root)
        elif mount is None:
            problem = "no proc is mounted there: /proc/self cannot be read"
        else:
            problem = _PIDS_ONLY if "subset=pid" in mount.options else ""
        yield Row(
            collector="mounts",
            kind="node",
            source=point,
            verdict="broken" if problem else "ok",
            sample="" if problem else _sample(kind, mount),
            reason=problem,
            fix=_EVERY_MOUNT.format(type=kind, point=point) if problem else "",
        )


def _empty(root: Root) -> str:
    """Return what is wrong with /sys though sysfs is there; empty where all is well."""
    try:
        if root.names("sys/class"):
            return ""
    except OSError as error:
        return f"/sys/class cannot be listed: {error.strerror}"
    return "/sys/class is empty: not mounted, or a sandbox (as gVisor) that shows no hardware"


def _sample(kind: str, mount: Mount | None) -> str:
    if mount is None:
        return kind
    how = "read-only, which is all that is needed" if "ro" in mount.options else "writable"
    return f"{kind}, {how}"
