"""What could not be read of processes or containers: one failure for each kind, however many."""

import re
from collections.abc import Iterator

from exporters.core import Failure

GONE = (FileNotFoundError, ProcessLookupError)
"""What is raised when a process, or a thread or open file of it, has ended: no failure."""


_FILE = re.compile(r"(?:^|/)proc/\d+/(task/)?(?:\d+/)?(\w+)$")


def file_of(error: Exception) -> str:
    """Return which file of a process failed; ``stat``, which says who it is, where none is told."""
    found = _FILE.search(str(getattr(error, "filename", None)))
    return f"{'task/[tid]/' if found[1] else ''}{found[2]}" if found else "stat"


class Faults:
    """
    The failures of one scrape, by file and errno.

    Args:
        place: what stands before each file, with a word in brackets for what differs.
        one: what is hit, in the singular.
        many: the same in the plural.
    """

    def __init__(
        self, place: str = "proc/[pid]/", one: str = "process", many: str = "processes"
    ) -> None:
        self._place, self._one, self._many = place, one, many
        self._errors: dict[tuple[str, int | None], tuple[Exception, set[str]]] = {}

    def __bool__(self) -> bool:
        return bool(self._errors)

    def add(self, member: str, file: str, error: Exception) -> None:
        """Take note that a file of one of them could not be read."""
        key = file, error.errno if isinstance(error, OSError) else None
        _, members = self._errors.setdefault(key, (error, set()))
        members.add(member)

    def failures(self) -> Iterator[Failure]:
        """Yield them; the brackets stand for any, so that the same failure stays the same."""
        for (file, number), (error, members) in self._errors.items():
            where = f"{self._place}{file}"
            if isinstance(error, OSError):
                one, many = f"{self._one} {min(members)}", f"{len(members)} {self._many}"
                hit = one if len(members) == 1 else many
                yield Failure(where, OSError(number, f"{error.strerror} (for {hit})", where))
            else:
                yield Failure(where, error)
