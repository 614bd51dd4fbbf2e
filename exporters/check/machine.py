"""
The running machine's size and age, for the head of the report: CPUs, memory, when it started.

It is psutil that asks: nothing here is of a recording (docs/adr/0006-host-through-root.md).
"""

from collections.abc import Callable
from datetime import UTC, datetime

_GIBI = 1 << 30


def machine() -> dict[str, str]:
    """
    Return what the machine has; empty what cannot be seen, as in a container with parts of /proc.

    Memory and start are the node's, in a container, too, unless its runtime makes up a /proc.
    """
    return {"cpus": _told(cpus), "memory": _told(memory), "up_since": _told(up_since)}


def _told(ask: Callable[[], str]) -> str:
    """Return an answer; psutil has a RuntimeError or KeyError for a line that is not there."""
    try:
        return ask()
    except (OSError, KeyError, RuntimeError, ValueError):
        return ""


def cpus() -> str:
    """Return how many CPUs are online, and how many of them this process may run on if not all."""
    import psutil  # noqa: PLC0415  # 2 MB that only those pay who ask

    online, usable = psutil.cpu_count() or 0, _usable()
    if not online:
        return ""
    return (
        str(online)
        if usable in {None, online}
        else f"{online}, of which tailsight may use {usable}"
    )


def _usable() -> int | None:
    import psutil  # noqa: PLC0415  # as above

    try:
        return len(psutil.Process().cpu_affinity() or ()) or None
    except (OSError, psutil.Error):
        return None


def memory() -> str:
    """
    Return what the kernel has of memory, in GiB: less than is built in, by what firmware keeps.

    Raises:
        OSError: /proc/meminfo cannot be read.
        KeyError: it has no total.
    """
    import psutil  # noqa: PLC0415  # as above

    return f"{psutil.virtual_memory().total / _GIBI:.1f} GiB"


def up_since() -> str:
    """
    Return when the kernel started, in UTC by the clock as it is set now.

    Raises:
        OSError: /proc/stat cannot be read.
        RuntimeError: it does not tell.
    """
    import psutil  # noqa: PLC0415  # as above

    started = datetime.fromtimestamp(psutil.boot_time(), UTC)
    return started.isoformat(timespec="seconds").replace("+00:00", "Z")
