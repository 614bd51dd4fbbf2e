"""
On which NUMA nodes the memory of processes is: ``/proc/<pid>/numa_maps``, read now and then.

The kernel walks a process's whole page table for it with its memory map locked, which the process
waits for. So one process is read in one scrape, and each of them seldom. What was read is told
together with when, until the process ends, or a later reading fails.
"""

import errno
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from exporters.core import Root
from exporters.core.root import MAX_BYTES
from exporters.host.process_counters import Identity
from exporters.host.process_faults import GONE, Faults
from exporters.host.process_files import Placement, parse_numa_maps


@dataclass(frozen=True, slots=True)
class _Attempt:
    seconds: float
    """Of the root's clock, when it was made."""
    placement: Placement | None
    error: Exception | None = None


@dataclass(slots=True)
class NumaMaps:
    """Reads the processes in turn."""

    interval: float
    """Seconds for which a process is left alone."""
    _attempts: dict[Identity, _Attempt] = field(default_factory=dict)

    def look(
        self, root: Root, processes: Sequence[Identity], faults: Faults
    ) -> Mapping[Identity, Placement]:
        """
        Read one process at most; return what is known of each.

        Whether a pid still was this process's is for the caller to ask afterwards.
        """
        for gone in self._attempts.keys() - set(processes):
            self._attempts.pop(gone, None)
        if process := self._next(processes, root.monotonic()):
            self._attempts[process] = _attempt(root, process.pid)
        attempts = list(self._attempts.items())
        for process, one in attempts:
            if one.error:
                faults.add(process.pid, "numa_maps", one.error)
        return {process: one.placement for process, one in attempts if one.placement}

    def _next(self, processes: Sequence[Identity], now: float) -> Identity | None:
        """Return the process that has waited longest; one that was never read goes before all."""
        for process in processes:
            if process not in self._attempts:
                return process
        waiting = [(self._attempts[one].seconds, one) for one in processes]
        if not waiting:
            return None
        at, process = min(waiting)
        return process if now - at >= self.interval else None


def _attempt(root: Root, pid: str) -> _Attempt:
    begun = root.monotonic()
    path = f"proc/{pid}/numa_maps"
    try:
        by_node = parse_numa_maps(_whole(root, path))
    except GONE:
        # The file is there for every process, or for none.
        lacking = root.exists(f"proc/{pid}/stat") and not root.exists(path)
        text = "no numa_maps: the kernel has no CONFIG_NUMA"
        return _Attempt(begun, None, FileNotFoundError(errno.ENOENT, text) if lacking else None)
    except (OSError, ValueError) as error:
        return _Attempt(begun, None, error)
    return _Attempt(begun, Placement(root.now(), by_node))


def _whole(root: Root, path: str) -> str:
    """
    Return a file's text, all of it: a part would make sums that are too small.

    Raises:
        OSError: it cannot be read; E2BIG where it is longer than a root reads.
    """
    content = root.read_bytes(path)
    if len(content) >= MAX_BYTES:
        raise OSError(errno.E2BIG, "more than a mebibyte of numa_maps", path)
    return content.decode(errors="replace")
