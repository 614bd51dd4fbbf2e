"""
Recorded messages of a daemon, and those of them that count at the replay's time.

A file ``replay/<daemon>/NAME.bin`` counts from the start, ``NAME@60.bin`` from second 60 on in its
place. An empty file says that from then on there is no such answer.
"""

import math
from collections.abc import Mapping

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
