"""
Recorded messages of a daemon, and those of them that count at the replay's time.

A file ``replay/<daemon>/NAME.bin`` counts from the start, ``NAME@60.bin`` from second 60 on in its
place. An empty file says that from then on there is no such answer.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from exporters.core import NoData, Root, Sample
from exporters.core.replay import ReplayRoot
from exporters.core.timed import is_moment

_SUFFIX = ".bin"


def moment(file: str) -> tuple[str, float]:
    """
    Return what a file's messages are versions of, and from which second on it counts.

    Raises:
        ValueError: what stands behind the ``@`` is no second of a replay.
    """
    name, mark, second = file.removesuffix(_SUFFIX).partition("@")
    if not mark:
        return name, 0.0
    try:
        begin = float(second)
    except ValueError:
        begin = math.nan
    if not is_moment(begin):
        msg = f"{file}: wants NAME@SECOND{_SUFFIX}"
        raise ValueError(msg)
    return name, begin


def current(files: Mapping[str, bytes], seconds: float) -> dict[str, bytes]:
    """
    Return by file name the messages that count, empty ones left out.

    Raises:
        ValueError: as ``moment``.
    """
    latest: dict[str, tuple[float, str]] = {}
    for file in files:
        name, begin = moment(file)
        if begin <= seconds and (name not in latest or begin >= latest[name][0]):
            latest[name] = (begin, file)
    return {file: files[file] for _, file in latest.values() if files[file]}


def check(files: Mapping[str, bytes], take: Callable[[bytes], object]) -> None:
    """
    Check recorded messages, each by ``take``; an empty one is none.

    Raises:
        ValueError: ``take`` refused one; the text says which.
    """
    for name, message in files.items():
        moment(name)
        try:
            if message:
                take(message)
        except ValueError as error:
            msg = f"{name}: {error}"
            raise ValueError(msg) from None


@dataclass(frozen=True, slots=True)
class Recording:
    """What a daemon answered in a recording."""

    root: ReplayRoot
    folder: str
    samples: Callable[[Iterable[bytes]], Iterable[Sample]]

    @property
    def where(self) -> str:
        """The folder of its messages."""
        return f"replay/{self.folder}"

    def read(self, root: Root) -> Sequence[Sample]:
        """Take what has been answered by now."""
        del root
        said = current(self.root.messages(self.folder), self.root.elapsed())
        return tuple(self.samples(said.values()))


def recording(
    root: Root, folder: str, samples: Callable[[Iterable[bytes]], Iterable[Sample]]
) -> Recording:
    """
    Return the sensor of a daemon's recorded messages.

    Raises:
        NoData: there are none.
    """
    if isinstance(root, ReplayRoot) and root.messages(folder):
        return Recording(root, folder, samples)
    msg = f"the recording has no replay/{folder}/*.bin"
    raise NoData(msg)
