"""
What the files of ``/proc/<pid>`` say.

https://docs.kernel.org/filesystems/proc.html, ``proc_pid_stat(5)``, ``proc_pid_status(5)``,
``proc_pid_numa_maps(5)``, ``cgroups(7)``.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from exporters.hardware.numbers import whole

TICKS = 100
"""In a second, by which the kernel tells times to programs: USER_HZ of any current machine."""

# include/linux/sched.h: "I am a kernel thread".
_KERNEL_THREAD = 0x0020_0000
_count = whole()
# From the third field on: state, ..., flags (9), minflt, cminflt, majflt, cmajflt, utime, stime,
# ..., num_threads (20), itrealvalue, starttime. One expression costs half of eight calls of int.
_STAT = re.compile(
    r"[A-Za-z] (?:-?\d+ ){5}(\d+) (\d+) \d+ (\d+) \d+ (\d+) (\d+) (?:-?\d+ ){4}(\d+) -?\d+ (\d+)\b",
    re.ASCII,
)
_LONGEST = 4096
# The name of a process, which is the first line, has no line end of its own.
_RESIDENT = re.compile(r"\nVmRSS:\s*(\d{1,20}) kB\n", re.ASCII)
_NEEDED = ("Threads", "Cpus_allowed_list", "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")
_STATUS = re.compile(
    r"\nThreads:\t(\d{1,20})\n(?:[^\n]*\n)*?"
    r"Cpus_allowed_list:\t([^\n]*)\n(?:Mems_allowed:.*\n)?(?:Mems_allowed_list:\t([^\n]*)\n)?"
    r"voluntary_ctxt_switches:\t(\d{1,20})\nnonvoluntary_ctxt_switches:\t(\d{1,20})(?!\d)",
    re.ASCII,
)
_CONTROLLERS = ("memory", "name=systemd", "")
_ON_NODE = re.compile(r" N(\d{1,5})=(\d{1,19})(?!\S)")
_PAGE_SIZE = re.compile(r" kernelpagesize_kB=(\d{1,9})$")


class Stat(NamedTuple):
    """What ``stat`` says of a process with all of its threads, those that ended included."""

    command: str
    kernel_thread: bool
    started: int
    """Ticks from boot to its start: with the pid, who it is."""
    user: int
    system: int
    """Ticks."""
    minor: int
    major: int
    threads: int
    """0 for one that is being reaped: the other counts are then no counts either."""


def parse_stat(text: str) -> Stat:
    """
    Parse ``/proc/<pid>/stat``; a command may hold blanks, brackets and line ends.

    Raises:
        ValueError: it is something else.
    """
    _, _, rest = text.partition(" (")
    command, _, numbers = rest.rpartition(") ")
    found = _STAT.match(numbers)
    if not found or len(text) > _LONGEST:
        msg = f"not the stat of a process: {text[:60]!r}"
        raise ValueError(msg)
    flags, minor, major, user, system, threads, started = map(int, found.groups())
    kernel_thread = bool(flags & _KERNEL_THREAD)
    return Stat(command, kernel_thread, started, user, system, minor, major, threads)


class Status(NamedTuple):
    """What ``status`` says of one thread, and of the memory that all threads have in common."""

    memory: float | None
    """Resident bytes; None where this thread has given the memory back."""
    threads: int
    """Of the process."""
    cpus: str
    """As the kernel lists them: ``0-3,8``."""
    nodes: str
    """Empty on a kernel without cpusets."""
    voluntary: int
    involuntary: int


def parse_status(text: str) -> Status:
    """
    Parse ``/proc/<pid>/status`` or ``/proc/<pid>/task/<tid>/status``.

    Raises:
        ValueError: it is something else.
    """
    found, memory = _STATUS.search(text), _RESIDENT.search(text)
    if not found or (memory is None and "\nVmRSS:" in text):
        lacks = next((key for key in _NEEDED if f"\n{key}:" not in text), "that can be read")
        msg = f"the status of a process has no line {lacks}"
        raise ValueError(msg)
    threads, cpus, nodes, voluntary, involuntary = found.groups()
    return Status(
        int(memory[1]) * 1024 if memory else None,
        int(threads),
        cpus,
        nodes or "",
        int(voluntary),
        int(involuntary),
    )


def parse_cgroup(text: str) -> str:
    """
    Return the path of ``/proc/<pid>/cgroup`` that tells most.

    That is the one of version 1's memory controller, else systemd's own, else version 2's: where
    both versions are mounted (hybrid), either may leave a process at the top, ``/``.

    Raises:
        ValueError: it is something else.
    """
    paths: dict[str, str] = {}
    for line in text.splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not number.isdecimal() or not path.startswith("/"):
            msg = f"not a line of a process's cgroup: {line[:60]!r}"
            raise ValueError(msg)
        for controller in controllers.split(","):
            paths[controller] = path
    found = [paths[controller] for controller in _CONTROLLERS if controller in paths]
    return next((path for path in found if path != "/"), "/")


def parse_uptime(text: str) -> int:
    """
    Return the ticks since boot of ``/proc/uptime``, by the clock that tells starts of processes.

    Raises:
        ValueError: it is something else.
    """
    seconds, point, hundredths = text.partition(" ")[0].partition(".")
    if not point or len(hundredths) != 2:  # noqa: PLR2004  # the kernel writes %02lu
        msg = f"not an uptime: {text[:40]!r}"
        raise ValueError(msg)
    return int(_count(seconds)) * TICKS + int(_count(hundredths))


@dataclass(frozen=True, slots=True)
class Placement:
    """On which NUMA nodes a process's pages were at a time."""

    at: float
    """Seconds since 1970."""
    by_node: Mapping[str, float]
    """Bytes."""


def parse_numa_maps(text: str) -> Mapping[str, float]:
    """
    Return the resident bytes by NUMA node of ``/proc/<pid>/numa_maps``.

    Raises:
        ValueError: a line counts pages and does not say how large they are.
    """
    found: Counter[str] = Counter()
    for line in text.splitlines():
        pages = _ON_NODE.findall(line)
        size = _PAGE_SIZE.search(line)
        if pages and not size:
            msg = f"not a line of numa_maps: {line[:80]!r}"
            raise ValueError(msg)
        for node, count in pages:
            found[str(int(node))] += int(count) * int(size[1] if size else 0) * 1024
    return found
