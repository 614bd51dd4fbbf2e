"""Which programs that keep time run on a node, by their names in ``/proc``."""

from collections.abc import Mapping, Sequence

from exporters.core.root import Root

NAMES = frozenset({"chronyd", "ntpd", "phc2sys", "ptp4l", "systemd-timesyn", "ts2phc"})
"""As ``comm`` has them: its 15 characters cut systemd-timesyncd short."""

Arguments = tuple[str, ...]
Daemons = Mapping[str, Sequence[Arguments]]
"""By name, the command line of each process."""


def daemons(root: Root) -> Daemons | None:
    """
    Return the command lines of each program that runs; None where processes cannot be seen.

    A container without the node's PID namespace sees its own processes only, so an empty answer
    is no proof that nothing runs.
    """
    try:
        pids = [name for name in root.names("proc") if name.isdecimal()]
    except OSError:
        return None
    found: dict[str, list[Arguments]] = {}
    for pid in pids:
        try:
            name = root.read(f"proc/{pid}/comm")
            if name in NAMES:
                found.setdefault(name, []).append(_arguments(root, pid))
        except OSError:
            continue
    return found if pids else None


def _arguments(root: Root, pid: str) -> Arguments:
    words = root.read_bytes(f"proc/{pid}/cmdline").split(b"\0")
    return tuple(word.decode(errors="replace") for word in words if word)
