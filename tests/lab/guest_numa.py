"""
Runs in the lab's machine, which has two NUMA nodes: moves pages between them.

By the system calls and the kernel's own balancing; where a page is, the kernel tells through
move_pages(2) with no place to move to, not through any counter.
"""

import ctypes
import mmap
import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

# arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/linux/mempolicy.h
SYS_MOVE_PAGES, MPOL_MF_MOVE = 279, 1 << 1

VMSTAT = Path("/proc/vmstat")
BALANCING = Path("/proc/sys/kernel/numa_balancing")
DEBUGFS = Path("/sys/kernel/debug")
MOVED_PAGES = 1000
BALANCED_PAGES = 2000
SCAN = {"scan_delay_ms": 10, "scan_period_min_ms": 20, "scan_period_max_ms": 50}
"""How soon and how often the kernel samples who uses which page: not after whole seconds."""


def counters() -> Mapping[str, int]:
    """Return /proc/vmstat."""
    lines = (line.split() for line in VMSTAT.read_text().splitlines())
    return {name: int(value) for name, value in lines}


def node_counters() -> Mapping[str, Mapping[str, int]]:
    """Return numastat by node."""
    folders = Path("/sys/devices/system/node").glob("node[0-9]*")
    rows = {path.name: (path / "numastat").read_text().splitlines() for path in folders}
    return {
        name: {key: int(value) for key, value in map(str.split, lines)}
        for name, lines in rows.items()
    }


def resident(pids: Sequence[int]) -> Mapping[str, int]:
    """Return the bytes on each node that numa_maps tells of, numa(7)."""
    found: Counter[str] = Counter()
    for pid in pids:
        for line in Path(f"/proc/{pid}/numa_maps").read_text().splitlines():
            words = [word.partition("=") for word in line.split()]
            size = next((int(size) for key, _, size in words if key == "kernelpagesize_kB"), 0)
            for key, _, pages in words:
                if key.startswith("N") and key[1:].isdecimal():
                    found[key[1:]] += int(pages) * size * 1024
    return found


class Pages:
    """Anonymous pages of this process, small ones, first touched by the CPU given."""

    def __init__(self, count: int, cpu: int) -> None:
        self._memory = mmap.mmap(-1, count * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE)
        self._memory.madvise(mmap.MADV_NOHUGEPAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        offsets = range(0, len(self._memory), mmap.PAGESIZE)
        self._addresses = (ctypes.c_void_p * count)(*(start + offset for offset in offsets))
        os.sched_setaffinity(0, {cpu})
        self.touch()

    def touch(self) -> None:
        """Write to each page."""
        for offset in range(0, len(self._memory), mmap.PAGESIZE):
            self._memory[offset] = 1

    def move(self, node: int) -> None:
        """Have the kernel move all of them to a node."""
        self._call((ctypes.c_int * len(self._addresses))(*[node] * len(self._addresses)))

    def by_node(self) -> Mapping[int, int]:
        """Return how many lie on which node."""
        return dict(Counter(self._call(None)))

    def _call(self, nodes: "ctypes.Array[ctypes.c_int] | None") -> Sequence[int]:
        count = len(self._addresses)
        status = (ctypes.c_int * count)()
        libc = ctypes.CDLL(None, use_errno=True)
        words = [ctypes.c_long(number) for number in (SYS_MOVE_PAGES, 0, count)]
        if libc.syscall(*words, self._addresses, nodes, status, ctypes.c_long(MPOL_MF_MOVE)):
            raise OSError(ctypes.get_errno(), "move_pages")
        return list(status)


def quicken() -> None:
    """Have the balancing look soon, and at short intervals."""
    subprocess.run(["mount", "-t", "debugfs", "debugfs", DEBUGFS], check=True)
    for name, milliseconds in SCAN.items():
        (DEBUGFS / "sched/numa_balancing" / name).write_text(f"{milliseconds}")


def move() -> Iterator[Mapping[str, Any]]:
    """Move pages from node 0 to node 1, nothing else."""
    pages = Pages(MOVED_PAGES, cpu=0)
    pages.move(1)
    yield {"pages": pages.by_node()}


def balance(seconds: float) -> Iterator[Mapping[str, Any]]:
    """Use pages of node 0 from node 1's CPU for so long, or until most of them came along."""
    pages = Pages(BALANCED_PAGES, cpu=0)
    BALANCING.write_text("1")
    os.sched_setaffinity(0, {1})
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and pages.by_node().get(1, 0) < 0.9 * BALANCED_PAGES:
        pages.touch()
    BALANCING.write_text("0")
    yield {"pages": pages.by_node()}
