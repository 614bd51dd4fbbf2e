"""
Runs in the lab's machine: brings containers into trouble.

Nothing here is read from a control group: deaths are counted by waitpid(2), and the time that a
throttled process loses is measured by the process.
"""

import mmap
import os
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.lab.guest_groups import limit, start

MIB = 1 << 20
DISK = "/dev/vda"
CACHE_LIMIT, OOM_LIMIT, SWAP_LIMIT = 32 * MIB, 24 * MIB, 32 * MIB
KILLED = 3
QUOTA, PERIOD = 20_000, 100_000
"""Of cpu.max, in microseconds."""
BUSY_SECONDS = 4.0
GAP_SECONDS = 0.03
"""A throttled process waits 80 ms at a time; one that merely shares a CPU, a tick or a few."""


def fill(size: int) -> Iterator[Mapping[str, Any]]:
    """Touch so much anonymous memory, page by page, and keep it."""
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for offset in range(0, size, mmap.PAGESIZE):
        memory[offset] = 1
    yield {}


def read_disk(size: int) -> Iterator[Mapping[str, Any]]:
    """Read so much from a disk through the page cache, which goes when nobody has it open."""
    with Path(DISK).open("rb", buffering=0) as file:
        left = size
        while left > 0:
            left -= len(file.read(MIB))
        yield {}


def die(size: int) -> Iterator[Mapping[str, Any]]:
    """Fill memory until the kernel kills this process, sooner than any other of its group."""
    Path("/proc/self/oom_score_adj").write_text("1000")
    yield from fill(size)


def busy(seconds: float) -> Iterator[Mapping[str, Any]]:
    """Use the processor for so long, and tell for how long it was not to be had."""
    began = last = time.monotonic()
    lost, cpu = 0.0, time.process_time()
    while last - began < seconds:
        now = time.monotonic()
        if now - last > GAP_SECONDS:
            lost += now - last
        last = now
    yield {"wall": last - began, "cpu": time.process_time() - cpu, "lost": lost}


def reach_limit() -> None:
    """Fill the page cache up to ``memory.max``, then with a lower ``memory.high``."""
    limit("cache", memory_max=CACHE_LIMIT)
    start("cache", lambda: read_disk(2 * CACHE_LIMIT))
    limit("cache", memory_high=CACHE_LIMIT // 2)
    start("cache", lambda: read_disk(2 * CACHE_LIMIT))


def swap_out() -> None:
    """Fill twice the memory that is allowed: half of it has to go to swap."""
    limit("swap", memory_max=SWAP_LIMIT)
    start("swap", lambda: fill(2 * SWAP_LIMIT))


def run_out() -> int:
    """Have processes fill memory, one after the other; return how many were killed for it."""
    limit("oom", memory_max=OOM_LIMIT, memory_swap_max=0)
    start("oom", lambda: fill(MIB))
    dead = [start("oom", lambda: die(2 * OOM_LIMIT)).pid for _ in range(KILLED)]
    statuses = [os.waitpid(pid, 0)[1] for pid in dead]
    return sum(os.WIFSIGNALED(one) and os.WTERMSIG(one) == signal.SIGKILL for one in statuses)


def run_short_of_cpu() -> Mapping[str, Any]:
    """Be busy under a quota; return what the process saw of it."""
    limit("busy", cpu_max=f"{QUOTA} {PERIOD}")
    return start("busy", lambda: busy(BUSY_SECONDS)).seen or {}
