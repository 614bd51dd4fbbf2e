"""
Who the agent is to the kernel: user, groups, effective capabilities.

https://docs.kernel.org/filesystems/proc.html (``/proc/PID/status``), ``capabilities(7)``,
``user_namespaces(7)``.
"""

import grp
from dataclasses import dataclass

# Of include/uapi/linux/capability.h, those that something here can need.
_BITS = {
    "CAP_DAC_OVERRIDE": 1, "CAP_DAC_READ_SEARCH": 2, "CAP_SYS_PTRACE": 19, "CAP_SYS_ADMIN": 21,
    "CAP_SYS_RESOURCE": 24, "CAP_SYSLOG": 34, "CAP_PERFMON": 38, "CAP_BPF": 39,
}  # fmt: skip
# The map of the user namespace that the kernel starts with: everybody is who they are.
_FIRST_USER_NAMESPACE = ["0", "0", "4294967295"]


@dataclass(frozen=True, slots=True)
class Privileges:
    """The effective user and what it may do."""

    uid: int
    groups: tuple[int, ...]
    capabilities: tuple[str, ...]
    """The effective ones that something here can need."""
    confined: bool
    """In a user namespace, where root and its capabilities count for little outside."""

    @property
    def reads_all(self) -> bool:
        """Whether the mode of a file is no hindrance to reading it."""
        return not self.confined and not {"CAP_DAC_OVERRIDE", "CAP_DAC_READ_SEARCH"}.isdisjoint(
            self.capabilities
        )


def parse_privileges(status: str, uid_map: str) -> Privileges:
    """
    Parse ``/proc/self/status`` and ``/proc/self/uid_map``.

    Raises:
        ValueError: a line is missing or not of its form.
    """
    lines = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    try:
        uid = int(lines["Uid"].split()[1])
        gid = int(lines["Gid"].split()[1])
        more = [int(group) for group in lines["Groups"].split()]
        mask = int(lines["CapEff"], 16)
    except (KeyError, IndexError) as error:
        msg = f"no status of a process: {error!r}"
        raise ValueError(msg) from None
    return Privileges(
        uid,
        tuple(dict.fromkeys([gid, *more])),
        tuple(name for name, bit in _BITS.items() if mask >> bit & 1),
        uid_map.split() != _FIRST_USER_NAMESPACE,
    )


def describe(who: Privileges) -> dict[str, str]:
    """Return it as facts for people."""
    confined = ", in a user namespace: root here is none outside" if who.confined else ""
    return {
        "user": f"uid {who.uid}{confined}",
        "groups": " ".join(group_name(group) for group in who.groups),
        "capabilities": " ".join(who.capabilities) or "none that matter here",
    }


def group_name(group: int) -> str:
    """Return a group's name, or its number where this system has no name for it."""
    try:
        return grp.getgrgid(group).gr_name
    except KeyError:
        return str(group)
