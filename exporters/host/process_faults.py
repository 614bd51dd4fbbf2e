"""What could not be read of processes: one failure for each kind, however many it hits."""

from collections.abc import Iterator

from exporters.core import Failure

GONE = (FileNotFoundError, ProcessLookupError)
"""What is raised when a process, or a thread or open file of it, has ended: no failure."""


class Faults:
    """The failures of one scrape, by file and errno."""

    def __init__(self) -> None:
        self._errors: dict[tuple[str, int | None], tuple[Exception, set[str]]] = {}

    def __bool__(self) -> bool:
        return bool(self._errors)

    def add(self, pid: str, file: str, error: Exception) -> None:
        """Take note that a file of a process could not be read."""
        key = file, error.errno if isinstance(error, OSError) else None
        _, pids = self._errors.setdefault(key, (error, set()))
        pids.add(pid)

    def failures(self) -> Iterator[Failure]:
        """Yield them; ``[pid]`` stands for any, so that the same failure stays the same."""
        for (file, number), (error, pids) in self._errors.items():
            where = f"proc/[pid]/{file}"
            if isinstance(error, OSError):
                hit = "a process" if len(pids) == 1 else f"{len(pids)} processes"
                yield Failure(where, OSError(number, f"{error.strerror} (for {hit})", where))
            else:
                yield Failure(where, error)
