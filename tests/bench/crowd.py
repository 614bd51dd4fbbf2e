"""
Processes and control groups that come and go, for as long as standard input stays open.

Usage: python -m tests.bench.crowd PROCESSES GROUPS PER_SECOND
Groups are named as Docker's cgroupfs driver names them, with a limit of memory and three
processes each; the processes that are left over are in none. Each tick retires the oldest of both.
Writes a line of JSON when all are there, and one with how many there were in all at the end.
"""

import json
import os
import select
import signal
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

MOUNT = Path("/sys/fs/cgroup")
V1 = ("memory", "cpu", "cpuacct", "pids")
MEMBERS = 3
LIMIT = {"memory.max": "64M", "memory.limit_in_bytes": "64M"}
"""By the file's name in version 2 and in version 1."""


def hierarchies() -> list[Path]:
    """Return the root of each hierarchy that a container has a group in."""
    if (MOUNT / "cgroup.controllers").exists():
        return [MOUNT]
    return [MOUNT / name for name in V1 if (MOUNT / name / "cgroup.procs").exists()]


@contextmanager
def parents() -> Iterator[list[Path]]:
    """Make the folders that groups are made in; yield none, saying why, where that is refused."""
    with ExitStack() as last:
        try:
            folders = [_parent(top, last) for top in hierarchies()]
        except OSError as error:
            sys.stderr.write(f"no control groups: {error}\n")
            folders = []
        yield folders


def _parent(top: Path, last: ExitStack) -> Path:
    """Make a folder named as Docker's, in one of this process's own; ``last`` removes both."""
    folder = top
    for name in (f"bench-{os.getpid()}", "docker"):
        if (folder / "cgroup.subtree_control").exists():
            (folder / "cgroup.subtree_control").write_text("+memory +cpu")
        folder /= name
        folder.mkdir()
        last.callback(folder.rmdir)
    if (folder / "cgroup.subtree_control").exists():
        (folder / "cgroup.subtree_control").write_text("+memory +cpu")
    return folder


def sleeper(number: int, until_closed: int) -> int:
    """
    Start a process that waits, under a command line of its own; return its pid.

    It ends with whoever holds the other end of its input: also when this process is killed.
    """
    action = [(os.POSIX_SPAWN_DUP2, until_closed, 0)]
    return os.posix_spawn("/bin/cat", [f"worker-{number}"], {}, file_actions=action)


def end(pids: Iterable[int]) -> None:
    """Kill processes, and wait until they are gone."""
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


@dataclass(frozen=True, slots=True)
class Group:
    """A container: its folders, one for each hierarchy, and its processes."""

    folders: tuple[Path, ...]
    pids: tuple[int, ...]

    def end(self) -> None:
        """End the processes, then remove the folders."""
        end(self.pids)
        for folder in self.folders:
            folder.rmdir()


class Crowd:
    """The processes and groups that are there now."""

    def __init__(self, parents: list[Path]) -> None:
        self._parents = parents
        self._groups: deque[Group] = deque()
        self._loose: deque[int] = deque()
        self._alive = os.pipe()
        self.processes = 0
        """Started so far."""
        self.groups = 0
        """Made so far."""

    def fill(self, processes: int, groups: int) -> None:
        """Bring it to full number."""
        for _ in range(groups if self._parents else 0):
            self._begin_group()
        while len(self._loose) + MEMBERS * len(self._groups) < processes:
            self._loose.append(self._begin())

    def tick(self) -> None:
        """Replace the oldest group, and the oldest process that is in none."""
        if self._groups:
            self._groups.popleft().end()
            self._begin_group()
        if self._loose:
            end([self._loose.popleft()])
            self._loose.append(self._begin())

    def end(self) -> None:
        """Remove all."""
        end(self._loose)
        for group in self._groups:
            group.end()

    def _begin(self) -> int:
        self.processes += 1
        return sleeper(self.processes, self._alive[0])

    def _begin_group(self) -> None:
        self.groups += 1
        pids = tuple(self._begin() for _ in range(MEMBERS))
        name = f"{self.groups:012x}{0:052}"  # an id that differs where it is cut short, too
        folders = tuple(parent / name for parent in self._parents)
        for folder in folders:
            folder.mkdir()
            for file, limit in LIMIT.items():
                with suppress(OSError):
                    (folder / file).write_text(limit)
            for pid in pids:
                (folder / "cgroup.procs").write_text(f"{pid}")
        self._groups.append(Group(folders, pids))

    def says(self) -> str:
        """Return a line of JSON."""
        return json.dumps({"processes": self.processes, "groups": self.groups})


def main(processes: int, groups: int, per_second: int) -> None:
    """Have them come and go until standard input ends."""
    with parents() as folders:
        crowd = Crowd(folders)
        try:
            crowd.fill(processes, groups)
            sys.stdout.write(crowd.says() + "\n")
            sys.stdout.flush()
            while not select.select([sys.stdin], [], [], 1 / per_second)[0]:
                crowd.tick()
        finally:
            crowd.end()
        sys.stdout.write(crowd.says() + "\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
