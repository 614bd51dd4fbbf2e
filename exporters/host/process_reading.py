"""
One chosen process, read at one scrape.

Who has the pid is asked last. It was asked before, when the process was examined; where pid and
start are the same at both times, the process lived all the while between, nobody else could have
its pid, and all that was read between is its own. One read of ``stat`` for each scrape thus
answers for everything.
"""

import errno
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from exporters.core import Root
from exporters.hardware.cpulist import parse_cpus
from exporters.host.process_faults import GONE, Faults
from exporters.host.process_files import Stat, Status, parse_stat, parse_status

MOST_THREADS = 2048
"""Threads that one scrape looks at, of all processes: some 20 milliseconds of one CPU."""


@dataclass(slots=True)
class Allowance:
    """What the reads of one scrape have in common."""

    threads: int = MOST_THREADS
    """How many more of them may be looked at."""
    _lists: dict[str, frozenset[int]] = field(default_factory=dict)

    def union(self, lists: Iterable[str]) -> frozenset[int]:
        """Return what any of some lists of CPUs or nodes has; hardly two processes differ."""
        return frozenset[int]().union(*map(self.parsed, lists))

    def parsed(self, text: str) -> frozenset[int]:
        """Return what a list has."""
        if text not in self._lists:
            self._lists[text] = frozenset(parse_cpus(text))
        return self._lists[text]


@dataclass(frozen=True, slots=True)
class Threads:
    """What the threads of a process say, each for itself."""

    switches: Mapping[str, tuple[int, int]]
    """Voluntary and involuntary, by thread."""
    cpus: frozenset[int]
    """CPUs that any of them may run on."""
    nodes: frozenset[int]
    """NUMA nodes that any of them may have memory from; none on a kernel without cpusets."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a process was at a scrape."""

    stat: Stat
    memory: float
    """Resident bytes."""
    threads: Threads | None
    """None where there are too many to look at."""
    files: int | None
    """Open files; None where they must not be counted."""


@dataclass(frozen=True, slots=True)
class Kept:
    """
    A reading, and what it was made of: most processes sleep, and say the same at the next scrape.

    Texts are compared by their hashes, which are of 64 bits and of a secret of this process.
    """

    status: int
    stat: int
    main: Status
    reading: Reading


def read_process(  # noqa: PLR0913, PLR0917  # what a look has, and one of what it knows
    root: Root,
    pid: str,
    started: int,
    allowance: Allowance,
    faults: Faults,
    before: Kept | None = None,
) -> Kept:
    """
    Return what the process of this pid and start is now.

    Args:
        root: the node.
        pid: the process.
        started: and who it is.
        allowance: what this scrape may still look at.
        faults: takes what could not be read of it.
        before: what the scrape before has of this pid.

    Raises:
        ProcessLookupError, FileNotFoundError: it has ended, whoever has its pid now.
        OSError: it cannot be read.
        ValueError: a file is not what the kernel writes.
    """
    text = root.read_record(f"proc/{pid}/status")
    status = hash(text)
    same = before is not None and before.status == status
    kept = before.reading if before and same and before.reading.stat.started == started else None
    main = before.main if before and kept else parse_status(text)
    if kept and main.threads == 1 and kept.threads and allowance.threads:
        allowance.threads -= 1
        threads: Threads | None = kept.threads
        memory = kept.memory
    else:
        kept = None
        told = _threads(root, pid, main, allowance, faults)
        threads, memory = _together(told, allowance), _memory(main, told)
    files = _open_files(root, pid, faults)
    text = root.read_record(f"proc/{pid}/stat")
    if before and kept and before.stat == hash(text) and kept.files == files:
        return before
    stat = parse_stat(text)
    if stat.started != started or stat.threads == 0:
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH), f"proc/{pid}")
    return Kept(status, hash(text), main, Reading(stat, memory, threads, files))


def _threads(
    root: Root, pid: str, main: Status, allowance: Allowance, faults: Faults
) -> Mapping[str, Status] | None:
    """Return what each thread says; the main one's word alone would leave out the others."""
    names = [pid] if main.threads == 1 else root.entries(f"proc/{pid}/task")
    if len(names) > allowance.threads:
        text = f"no more than {MOST_THREADS} threads are looked at in one scrape"
        faults.add(pid, "task", OSError(errno.E2BIG, text))
        return None
    allowance.threads -= len(names)
    found = {pid: main}
    for name in names:
        if name == pid:
            continue
        with suppress(*GONE):
            found[name] = parse_status(root.read_record(f"proc/{pid}/task/{name}/status"))
    return found


def _together(threads: Mapping[str, Status] | None, allowance: Allowance) -> Threads | None:
    if threads is None:
        return None
    if len(threads) == 1:
        ((name, one),) = threads.items()
        switches = {name: (one.voluntary, one.involuntary)}
        return Threads(switches, allowance.parsed(one.cpus), allowance.parsed(one.nodes))
    return Threads(
        {name: (one.voluntary, one.involuntary) for name, one in threads.items()},
        allowance.union({one.cpus for one in threads.values()}),
        allowance.union({one.nodes for one in threads.values()}),
    )


def _memory(main: Status, threads: Mapping[str, Status] | None) -> float:
    """
    Return the resident bytes, which threads have in common.

    A thread that has ended tells of no memory though the others go on; where none of them tells
    of any, it has all been given back.
    """
    told = [main, *(threads or {}).values()]
    return next((one.memory for one in told if one.memory is not None), 0.0)


def _open_files(root: Root, pid: str, faults: Faults) -> int | None:
    """
    Return how many files are open.

    Since Linux 6.2 the folder's status says it, which takes no right and a quarter of the time; an
    older kernel says 0.
    """
    path = f"proc/{pid}/fd"
    try:
        return (root.size(path) if root.folder == "/" else 0) or len(root.entries(path))
    except GONE:
        raise
    except OSError as error:
        faults.add(pid, "fd", error)
        return None
