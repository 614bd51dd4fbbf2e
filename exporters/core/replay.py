"""
A recorded node: a folder that answers everything, or else the answer is "absent".

Files lie in it as on the machine. What is not a plain file lies in its ``replay`` folder:

``clock.json``
    ``{"epoch": 1767225600, "speed": 1}``: the time to show when the replay begins and how
    fast it passes; speed 0 stands still. Without it the time is this machine's.
``files.json``
    ``{"sys/class/thermal/thermal_zone0/temp": [{"at": 0, "text": "45000"},
    {"at": 60, "errno": "EAGAIN"}]}``: timed versions of a file, the last begun one counts.
``<daemon>/*.bin``
    Answers of a daemon as they came.
"""

import errno
import json
import os
import stat
import time
from typing import Any

from exporters.core.root import Root
from exporters.core.timed import Versions, at, is_number, parse_versions

_LINK_BYTES = 512
_LATEST = 2.0**33
"""Seconds since 1970; some time in the year 2242."""
_FASTEST = 1e6


def _refuse(word: str) -> None:
    """Refuse what JSON does not have, though Python's parser takes it: NaN and Infinity."""
    msg = f"{word} is no JSON"
    raise ValueError(msg)


def _key(path: str) -> str:
    """Return a path, or raise ValueError where no collector would ask for it so."""
    if not path or path.startswith("/"):
        msg = f"wants paths such as sys/class/thermal, got {path!r}"
        raise ValueError(msg)
    return path


class ReplayError(Exception):
    """A file in the replay folder does not say what it should; the text says which and why."""


class ReplayRoot(Root):
    """
    A root that never looks outside its folder, with its own clock and timed files.

    Raises:
        ReplayError: a replay file cannot be understood.
    """

    live = False

    def __init__(self, folder: str) -> None:
        if not os.path.isdir(folder):
            msg = f"--root {folder}: no such folder"
            raise ReplayError(msg)
        super().__init__(os.path.realpath(folder))
        self._located: dict[str, str] = {}
        self._begun = time.perf_counter()
        self._epoch, self._speed = self._clock(self.document("clock.json"))
        self._timed = self._files(self.document("files.json"))

    def elapsed(self) -> float:
        """Return the seconds that have passed in the replay."""
        return (time.perf_counter() - self._begun) * self._speed

    def now(self) -> float:
        """Return the time that the replay shows."""
        return time.time() if self._epoch is None else self._epoch + self.elapsed()

    def monotonic(self) -> float:
        """Return the replay's seconds where it has a clock, so that a still one shows none."""
        return time.perf_counter() if self._epoch is None else self.elapsed()

    def document(self, name: str) -> Any:
        """
        Return what a JSON file of the replay folder holds, or None where there is none.

        Raises:
            ReplayError: it is not JSON, or cannot be read.
        """
        path = f"replay/{name}"
        try:
            return json.loads(super().read_bytes(path), parse_constant=_refuse)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except RecursionError:
            msg = f"{self.folder}{path}: nested too deeply"
            raise ReplayError(msg) from None
        except (OSError, ValueError) as error:
            msg = f"{self.folder}{path}: {error}"
            raise ReplayError(msg) from None

    def read_bytes(self, path: str) -> bytes:
        """Return a file's content, or its version for the replay's time."""
        versions = self._timed.get(path)
        if versions is None:
            return super().read_bytes(path)
        version = at(versions, self.elapsed())
        if version is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        if "errno" in version:
            number = getattr(errno, version["errno"])
            raise OSError(number, os.strerror(number), path)
        return str(version["text"]).encode()

    def read_record(self, path: str) -> str:
        """Return what ``read`` does."""
        return self.read(path)

    def tail(self, path: str, most: int) -> bytes:
        """Return the last bytes of a file, or of its version for the replay's time."""
        if path in self._timed:
            return self.read_bytes(path)[-most:]
        return super().tail(path, most)

    def exists(self, path: str) -> bool:
        """Whether the recording has such a file, folder or link, wherever the link leads."""
        parent, _, name = path.rpartition("/")
        try:
            return path in self._timed or os.path.lexists(os.path.join(self.locate(parent), name))
        except OSError:
            return False

    def locate(self, path: str) -> str:
        """Return where a path lies, with links followed inside the folder only."""
        found = self._located.get(path)
        if found is None:
            found = self._below_its_parent(path)
            if os.path.exists(found):
                self._located[path] = found
        return found

    def _below_its_parent(self, path: str) -> str:
        """Locate a path by its folder's place, which is known as a rule; else by a full walk."""
        parent, _, name = path.rpartition("/")
        if not parent or not name or ".." in path:
            return self._locate(path)
        place = os.path.join(self.locate(parent), name)
        return place if self._link(place) is None else self._locate(path)

    def resolve(self, path: str) -> str:
        """Return the path with links followed; itself where they go round in a circle."""
        try:
            return self._locate(path)[len(self.folder) :]
        except OSError:
            return path

    def _target(self, path: str) -> str:
        """Return a link's text; the content of a small file that was a link once."""
        parent, _, name = path.rpartition("/")
        place = os.path.join(self.locate(parent), name)
        if os.path.islink(place):
            return os.readlink(place)
        with open(place, "rb") as file:
            return os.fsdecode(file.read(_LINK_BYTES))

    def messages(self, folder: str) -> dict[str, bytes]:
        """
        Return the binary answers of a daemon, ``replay/<folder>/*.bin``, by their file names.

        Raises:
            ReplayError: one of them cannot be read.
        """
        found = {}
        for path in self.glob(f"replay/{folder}/*.bin"):
            try:
                found[os.path.basename(path)] = super().read_bytes(path)
            except OSError as error:
                msg = f"{self.folder}{path}: {error}"
                raise ReplayError(msg) from None
        return found

    def _clock(self, clock: Any) -> tuple[float | None, float]:
        if clock is None:
            return None, 1.0
        said = clock if isinstance(clock, dict) else {}
        epoch, speed = said.get("epoch"), said.get("speed", 1)
        if is_number(epoch, 0, _LATEST) and is_number(speed, 0, _FASTEST):
            return float(epoch), float(speed)
        msg = (
            f"{self.folder}replay/clock.json: wants epoch, seconds since 1970, and perhaps speed,"
            f" from 0 to {_FASTEST:.0f}, got {str(clock)[:60]}"
        )
        raise ReplayError(msg)

    def _files(self, files: Any) -> dict[str, Versions]:
        try:
            return {_key(path): parse_versions(list_) for path, list_ in (files or {}).items()}
        except (AttributeError, ValueError) as error:
            msg = f"{self.folder}replay/files.json: {error}"
            raise ReplayError(msg) from None

    def _locate(self, path: str, depth: int = 0) -> str:
        """Walk a path as chroot would: ``/`` and the end of ``..`` are the folder."""
        at: list[str] = []
        parts = path.split("/")
        while parts:
            part = parts.pop(0)
            if part == "..":
                del at[-1:]
            elif part not in {"", "."}:
                at.append(part)
                target = self._link(os.path.join(self.folder, *at))
                if target is not None:
                    depth += 1
                    if depth > 40:  # noqa: PLR2004  # as the kernel: ELOOP
                        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
                    at = [] if target.startswith("/") else at[:-1]
                    parts = target.split("/") + parts
        return os.path.join(self.folder, *at)

    def _link(self, place: str) -> str | None:
        """
        Return where a link points, or None where it is none.

        A recording that went through a tool without symbolic links (a zip, a checkout with
        core.symlinks=false) holds a small file with the target instead, without a line end. What
        it leads to need not have been recorded: often all that counts is its name.
        """
        try:
            status = os.lstat(place)
            if stat.S_ISLNK(status.st_mode):
                return os.readlink(place)
            if not stat.S_ISREG(status.st_mode) or not 0 < status.st_size <= _LINK_BYTES:
                return None
            with open(place, "rb") as file:
                target = os.fsdecode(file.read(_LINK_BYTES))
        except OSError:
            return None
        return target if self._may_be_a_target(target, place) else None

    def _may_be_a_target(self, text: str, place: str) -> bool:
        """Whether a small file's text is the target of a link, not a value."""
        if "\n" in text or "\0" in text:
            return False
        if text.startswith("/"):
            top = text.split("/")[1]
            return bool(top) and os.path.isdir(os.path.join(self.folder, top))
        beside = os.path.join(os.path.dirname(place), text)
        return text.startswith("../") or os.path.exists(beside)
