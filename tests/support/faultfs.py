"""
A file system that shows a fixture tree read-only and lets chosen reads fail or hang, through FUSE.

Usage: python -m tests.support.faultfs TREE MOUNT_POINT < faults.json

Prints "ready" once mounted and serves until killed. As in sysfs, a file whose driver fails opens
well and fails at read; only a missing permission or a missing file shows at open.
"""

import os
import sys
import threading
from collections import Counter
from errno import EACCES, EIO, EROFS
from pathlib import Path
from typing import Any

# The distributions' libfuse 3: version 2 has no max_threads.
os.environ.setdefault("FUSE_LIBRARY_NAME", "fuse3")

from mfusepy import FUSE, FuseOSError, Operations  # reads the variable set above

from tests.support.faults import FAILS_AT_OPEN, Faults

# Every hanging read holds one of libfuse's threads for good; its default is 10.
MAX_THREADS = 256
STAT_KEYS = ("st_mode", "st_nlink", "st_size", "st_uid", "st_gid")
# A sysfs attribute claims one page, whatever it holds.
SYSFS_SIZE = 4096


class FaultFS(Operations):
    """A read-only view of a tree with faults in it."""

    use_ns = True

    def __init__(self, tree: Path, faults: Faults) -> None:
        """Show ``tree`` with ``faults``."""
        self.tree = tree
        self.faults = faults
        self.opens: Counter[str] = Counter()
        self.failing: dict[int, int] = {}
        self.never = threading.Event()

    def init(self, path: str) -> None:
        """Tell the parent that the kernel has accepted the mount."""
        del path
        print("ready", flush=True)  # noqa: T201  # the protocol of this program

    def getattr(self, path: str, fh: int | None = None) -> dict[str, Any]:
        """Return the status of a file, with the size that sysfs would claim."""
        del fh
        status = os.lstat(self.real(path))
        found = {key: getattr(status, key) for key in STAT_KEYS}
        found |= {f"st_{kind}time": getattr(status, f"st_{kind}time_ns") for kind in "amc"}
        if os.path.isfile(self.real(path)) and path.startswith("/sys/"):
            found["st_size"] = SYSFS_SIZE
        return found

    def readdir(self, path: str, fh: int) -> list[str]:
        """Return the entries of a folder."""
        del fh
        return [".", "..", *os.listdir(self.real(path))]

    def readlink(self, path: str) -> str:
        """Return the target of a link."""
        return os.readlink(self.real(path))

    def open(self, path: str, flags: int) -> int:
        """Open a file, and settle whether reading it will fail."""
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise FuseOSError(EROFS)
        relative = path.lstrip("/")
        fault = self.faults.errors.get(relative)
        if fault in FAILS_AT_OPEN:
            raise FuseOSError(fault)
        descriptor = os.open(self.real(path), os.O_RDONLY | os.O_CLOEXEC)
        flaky = self.faults.flaky
        if fault is None and flaky and flaky.fails(relative, self.opens[relative]):
            fault = EIO
        self.opens[relative] += 1
        if fault is not None:
            self.failing[descriptor] = fault
        return descriptor

    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        """Return a part of a file, or fail, or never return."""
        if path.lstrip("/") in self.faults.hangs:
            self.never.wait()
        if fh in self.failing:
            raise FuseOSError(self.failing[fh])
        return os.pread(fh, size, offset)

    def release(self, path: str, fh: int) -> int:
        """Close a file."""
        del path
        self.failing.pop(fh, None)
        os.close(fh)
        return 0

    def access(self, path: str, amode: int) -> int:
        """Tell whether a file may be used: what opens may be read, nothing may be written."""
        denied = self.faults.errors.get(path.lstrip("/")) == EACCES
        if denied or amode & os.W_OK:
            raise FuseOSError(EACCES)
        return 0

    def real(self, path: str) -> str:
        """Return where a path of this file system lies in the tree."""
        return f"{self.tree}{path}"


def main(tree: str, mount_point: str) -> None:
    """Mount and serve."""
    FUSE(
        FaultFS(Path(tree).resolve(), Faults.from_json(sys.stdin.read())),
        mount_point,
        foreground=True,
        ro=True,
        direct_io=True,
        nothreads=False,
        max_threads=MAX_THREADS,
        fsname="faultfs",
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
