"""The only door to the files of a node."""

import errno
import os
import re
import threading
import time
from fnmatch import translate

from exporters.core.fileio import MAX_BYTES, list_folders, read_file, read_tail

__all__ = ["MAX_BYTES", "Root", "natural"]

_DIGITS = re.compile(r"(\d+)")


def natural(name: str) -> list[tuple[int, str]]:
    """Return a sort key by which hwmon2 comes before hwmon10."""
    parts = _DIGITS.split(name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


class Root:
    """
    A folder that stands for ``/``; paths below it are strings such as ``sys/class/hwmon``.

    It remembers what each thread is reading, and refuses a path whose last read has not come
    back: a stuck sensor then costs one thread, once, and nothing else.
    """

    live = True
    """Whether this is the running machine, so that calls other than reads may be asked, too."""

    def __init__(self, folder: str = "/") -> None:
        self.folder = os.path.join(folder, "")
        self._reading: dict[int, str] = {}
        self._stuck: dict[str, float] = {}

    def now(self) -> float:
        """Return the time of the node, in seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Return seconds that only grow, to measure how long something took."""
        return time.perf_counter()

    def locate(self, path: str) -> str:
        """Return where in this machine's file system a path of the node lies."""
        return self.folder + path

    def read(self, path: str) -> str:
        """
        Return the content of a file without surrounding white space and NUL bytes.

        Uses ``os.read``: on EAGAIN a buffered ``open().read()`` hands back None or an empty
        string, which looks like data (a Jetson Orin answers so for a sensor that is off).

        Raises:
            OSError: the file cannot be read; ETIMEDOUT where an earlier read still hangs.
        """
        return self.read_bytes(path).decode(errors="replace").strip("\0 \t\r\n")

    def read_bytes(self, path: str) -> bytes:
        """
        Return the content of a file, at most a mebibyte of it.

        Raises:
            OSError: as ``read``.
        """
        thread = self._enter(path)
        try:
            # A sysfs attribute is at most one page; procfs may hand out less than is there.
            return read_file(self.locate(path), at_once=path.startswith("sys/"))
        finally:
            del self._reading[thread]

    def read_record(self, path: str) -> str:
        """
        Return the content of a file that the kernel makes up in one go and of less than a page.

        Such are ``/proc/<pid>/stat`` and ``status``: a second read would only say that this was
        all, at half the price of the first. What is longer is read on as ``read`` does.

        Raises:
            OSError: as ``read``.
        """
        thread = self._enter(path)
        try:
            content = read_file(self.locate(path), at_once=True)
        finally:
            del self._reading[thread]
        return content.decode(errors="replace").strip("\0 \t\r\n")

    def size(self, path: str) -> int:
        """
        Return what a file's status has for its size: of ``/proc/<pid>/fd`` how many are open.

        Raises:
            OSError: there is none, or it may not be asked.
        """
        thread = self._enter(path)
        try:
            return os.stat(self.locate(path)).st_size
        finally:
            del self._reading[thread]

    def tail(self, path: str, most: int) -> bytes:
        """
        Return the last bytes of a file that grows, such as a log; all of it where it is shorter.

        Raises:
            OSError: as ``read``.
        """
        thread = self._enter(path)
        try:
            return read_tail(self.locate(path), most)
        finally:
            del self._reading[thread]

    def _enter(self, path: str) -> int:
        """Take note of what this thread, which is returned, is about to read."""
        if path in self._stuck:
            raise TimeoutError(errno.ETIMEDOUT, "its last read took too long or hangs", path)
        thread = threading.get_ident()
        self._reading[thread] = path
        return thread

    def names(self, folder: str) -> list[str]:
        """
        Return the names in a folder, hwmon2 before hwmon10; none where there is no such folder.

        Raises:
            OSError: the folder is there and cannot be listed.
        """
        return sorted(self.entries(folder), key=natural)

    def entries(self, folder: str) -> list[str]:
        """
        Return the names in a folder as the kernel lists them: where thousands are, sorting costs.

        Raises:
            OSError: as ``names``.
        """
        thread = self._enter(folder)
        try:
            return os.listdir(self.locate(folder))
        except (FileNotFoundError, NotADirectoryError):
            return []
        finally:
            del self._reading[thread]

    def folders(self, folder: str) -> list[tuple[str, int]]:
        """
        Return the folders in a folder with their inode numbers, sorted; links are none.

        In kernfs, as in most file systems, each folder is a link to the one that it is in: of two
        links one is the folder's name and one its own ``.``, so that it need not be listed.

        Raises:
            OSError: as ``names``.
        """
        thread = self._enter(folder)
        try:
            return list_folders(self.locate(folder), counted=self.live)
        except (FileNotFoundError, NotADirectoryError):
            return []
        finally:
            del self._reading[thread]

    def glob(self, pattern: str) -> list[str]:
        """
        Return the paths that match, in natural order; ``*``, ``?`` and ``[]`` within a name.

        Raises:
            OSError: a folder on the way is there and cannot be listed.
        """
        found = [""]
        for part in pattern.split("/"):
            if any(mark in part for mark in "*?["):
                match = re.compile(translate(part)).match
                found = [
                    os.path.join(path, name)
                    for path in found
                    for name in self.names(path)
                    if match(name)
                ]
            else:
                found = [os.path.join(path, part) for path in found]
        return [path for path in found if self.exists(path)]

    def exists(self, path: str) -> bool:
        """Whether there is such a file or folder, be it readable or not."""
        return os.path.lexists(self.locate(path))

    def resolve(self, path: str) -> str:
        """Return the path with all links followed, such as a class entry's device path."""
        real = os.path.realpath(self.locate(path))
        return os.path.relpath(real, os.path.realpath(self.folder))

    def link(self, path: str) -> str:
        """
        Return the text of a symbolic link, which in ``/proc`` need not be a path.

        Raises:
            OSError: there is none, or it cannot be read; ETIMEDOUT as for ``read``.
        """
        thread = self._enter(path)
        try:
            return self._target(path)
        finally:
            del self._reading[thread]

    def _target(self, path: str) -> str:
        return os.readlink(self.locate(path))

    def reading(self, thread: int | None) -> str | None:
        """Return what a thread is reading; None where it does something else."""
        return self._reading.get(thread) if thread is not None else None

    def set_stuck(self, path: str) -> None:
        """Refuse to read a path until ``set_free``: a read of it does not come back."""
        self._stuck[path] = self.monotonic()

    def set_free(self, path: str) -> None:
        """Allow a path again: its read has come back."""
        self._stuck.pop(path, None)

    def stuck(self) -> list[str]:
        """Return the paths whose reads have not come back."""
        return sorted(self._stuck)
