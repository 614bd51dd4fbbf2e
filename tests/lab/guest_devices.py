"""Runs in the lab's machine: a disk that takes its time, and the clock of a network card."""

import ctypes
import mmap
import os
import struct
import time
from collections.abc import Mapping
from pathlib import Path

SLOW_DISK = "vdc"
"""QEMU answers so many of its requests in a second, after a short burst."""
SLOW_IOPS = 7
SLOW_READS = 16

PHC = Path("/dev/ptp0")
"""Of an Intel 82574 (module e1000e) as QEMU has it: once set, it stands still."""
TAI_SECONDS = 37
"""TAI minus UTC since 2017."""
# include/uapi/linux/timex.h
ADJ_TAI, TIMEX_CONSTANT, TIMEX_SIZE = 0x80, 48, 208


def read_slowly() -> float:
    """Read single blocks, past the page cache; return the seconds that all took."""
    disk = os.open(f"/dev/{SLOW_DISK}", os.O_RDONLY | os.O_DIRECT)
    buffer = mmap.mmap(-1, mmap.PAGESIZE)  # on a page's edge, as O_DIRECT wants it
    started = time.monotonic()
    for number in range(SLOW_READS):
        os.preadv(disk, [buffer], number * mmap.PAGESIZE)
    took = time.monotonic() - started
    os.close(disk)
    return took


def disk_stat() -> list[int]:
    """Return the slow disk's counters, Documentation/block/stat.rst."""
    return [int(word) for word in Path(f"/sys/block/{SLOW_DISK}/stat").read_text().split()]


def _clock(descriptor: int) -> int:
    """Return the id of a clock that is a file: FD_TO_CLOCKID of clock_gettime(2)."""
    return (~descriptor << 3) | 3


def set_phc() -> None:
    """Set the card's clock to TAI."""
    device = os.open(PHC, os.O_RDWR)
    time.clock_settime_ns(_clock(device), time.time_ns() + TAI_SECONDS * 10**9)
    os.close(device)


def tell_tai() -> None:
    """Tell the kernel what TAI is, as ptp4l and chronyd do."""
    timex = bytearray(TIMEX_SIZE)
    struct.pack_into("I", timex, 0, ADJ_TAI)
    struct.pack_into("q", timex, TIMEX_CONSTANT, TAI_SECONDS)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.adjtimex((ctypes.c_char * TIMEX_SIZE).from_buffer(timex)) < 0:
        raise OSError(ctypes.get_errno(), "adjtimex")


def phc_ahead() -> Mapping[str, float]:
    """Return by how many seconds the card's clock is ahead now, and how sure that is."""
    device = os.open(PHC, os.O_RDONLY)
    before = time.clock_gettime_ns(time.CLOCK_REALTIME)
    card = time.clock_gettime_ns(_clock(device))
    after = time.clock_gettime_ns(time.CLOCK_REALTIME)
    os.close(device)
    return {"seconds": (card - (before + after) / 2) / 1e9, "window": (after - before) / 1e9}
