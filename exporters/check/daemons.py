"""Which programs that keep time run on a node, by their names in ``/proc``."""

from collections.abc import Mapping

from exporters.core.root import Root

NAMES = frozenset({"chronyd", "ntpd", "phc2sys", "ptp4l", "systemd-timesyn", "ts2phc"})
"""As ``comm`` has them: its 15 characters cut systemd-timesyncd short."""


def daemons(root: Root) -> Mapping[str, tuple[str, ...]] | None:
    """
    Return the arguments of each program that runs; None where processes cannot be seen.

    A container without the node's PID namespace sees its own processes only, so an empty answer
    is no proof that nothing runs.
    """
    try:
        pids = [name for name in root.entries("proc") if name.isdecimal()]
    except OSError:
        return None
    found = {}
    for pid in pids:
        try:
            name = root.read(f"proc/{pid}/comm")
            if name in NAMES:
                words = root.read_bytes(f"proc/{pid}/cmdline").split(b"\0")
                found[name] = tuple(word.decode(errors="replace") for word in words if word)
        except OSError:
            continue
    return found if pids else None
