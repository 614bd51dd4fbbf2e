"""A node of processes in a folder, at which a collector looks again and again."""

import errno
import re
from collections.abc import Callable
from pathlib import Path

from exporters.core import Root
from exporters.core.runner import run
from exporters.core.task import Outcome, Task
from exporters.host import process_metrics as metrics
from exporters.host.options import HostOptions
from exporters.host.processes import collector
from tests.support.process_tree import Places, Proc
from tests.support.readings import readings

APP = re.compile("^app")


class Acting(Root):
    """Does something right before a path is read, once."""

    def __init__(
        self, folder: Path, path: str = "", act: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__(str(folder))
        self.path, self.act = path, act
        self.denied: tuple[str, ...] = ()

    def read_bytes(self, path: str) -> bytes:
        """Act, then read."""
        self._before(path)
        return super().read_bytes(path)

    def read_record(self, path: str) -> str:
        """Act, then read."""
        self._before(path)
        return super().read_record(path)

    def entries(self, folder: str) -> list[str]:
        """Act, then list."""
        self._before(folder)
        return super().entries(folder)

    def _before(self, path: str) -> None:
        if path == self.path:
            self.path = ""
            self.act()
        if path.endswith(self.denied):
            raise PermissionError(errno.EACCES, "Permission denied", path)


class Node:
    """A tree and a collector that looks at it again and again."""

    def __init__(self, tree: Path, **options: object) -> None:
        self.proc = Proc(tree)
        self.root = Acting(tree)
        self.collector = collector(HostOptions(**options), Places())  # type: ignore[arg-type]
        self.task = Task(self.collector, self.root, 60.0)

    def scrape(self) -> Outcome:
        """Return the outcome of one scrape, which moves time on by a second for the next."""
        outcome = Outcome()
        run(self.task, outcome, self.root)
        return outcome


def broken(path: str) -> None:
    """Fail as a disk that is broken."""
    raise OSError(errno.EIO, "Input/output error", path)


def user_seconds(outcome: Outcome) -> dict[object, object]:
    """Return the seconds in user mode by command."""
    found = readings(outcome, metrics.CPU, "command", "mode")
    return {
        key[0]: value for key, value in found.items() if isinstance(key, tuple) and key[1] == "user"
    }
