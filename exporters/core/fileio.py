"""What is asked of the operating system for a file or folder: no path of a node, no memory."""

import os

MAX_BYTES = 1 << 20
_CHUNK = 4096
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


def read_file(place: str, *, at_once: bool) -> bytes:
    """
    Return the content of a file, at most a mebibyte of it.

    Args:
        place: where it lies.
        at_once: all comes with the first read where that does not fill a page. A second read
            would only say that this was all, at half the price of the first.

    Raises:
        OSError: it cannot be read.
    """
    descriptor = os.open(place, _FLAGS)
    try:
        content = os.read(descriptor, _CHUNK)
        if len(content) == _CHUNK or not at_once:
            while len(content) < MAX_BYTES and (chunk := os.read(descriptor, _CHUNK * 16)):
                content += chunk
    finally:
        os.close(descriptor)
    return content


def read_tail(place: str, most: int) -> bytes:
    """
    Return the last bytes of a file.

    Raises:
        OSError: it cannot be read.
    """
    descriptor = os.open(place, _FLAGS)
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        os.lseek(descriptor, max(0, size - most), os.SEEK_SET)
        return os.read(descriptor, most)
    finally:
        os.close(descriptor)


def list_folders(place: str, *, counted: bool) -> list[tuple[str, int]]:
    """
    Return the folders in a folder with their inode numbers, sorted; links are none.

    Args:
        place: where it lies.
        counted: the file system counts, as the kernel's own do, each folder in a folder as a
            link to it: of two links one is the folder's name and one its own ``.``.

    Raises:
        OSError: it cannot be listed.
    """
    if counted and os.stat(place).st_nlink == 2:  # noqa: PLR2004  # said above
        return []
    with os.scandir(place) as found:
        inside = [(one.name, one.inode()) for one in found if one.is_dir(follow_symlinks=False)]
    return sorted(inside)
