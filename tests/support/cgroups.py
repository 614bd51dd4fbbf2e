"""Control groups in a folder, which a test makes, changes and removes; and names for them."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from exporters.core import Failure, Metric, Root
from exporters.core.runner import run
from exporters.core.task import Outcome, Task
from exporters.host.containers import collector
from exporters.host.options import HostOptions
from exporters.host.place import Place
from tests.support.readings import readings

TOP = "sys/fs/cgroup"


def container_id(number: int) -> str:
    """Return an id that differs from others also where it is cut short."""
    return f"{number:012x}{0:052}"


def docker(number: int) -> str:
    """Return the path of a container of Docker with the cgroupfs driver."""
    return f"docker/{container_id(number)}"


class Names:
    """Names paths by a table; other containers by the first digits of their id."""

    def __init__(
        self, table: Mapping[str, Place] | None = None, failures: Sequence[Failure] = ()
    ) -> None:
        self.table = dict(table or {})
        self._failures = list(failures)

    def of(self, _root: Root, path: str) -> Place:
        """Return the place of a group; the path begins with a slash, as in /proc/<pid>/cgroup."""
        name = path.rpartition("/")[2]
        return self.table.get(path, Place(container=name[:12], workload=name[:12]))

    def failures(self) -> list[Failure]:
        """Return what the test said."""
        return self._failures


def pressure(some: int, full: int) -> str:
    """Return a PSI file with these totals, in microseconds."""
    zero = "avg10=0.00 avg60=0.00 avg300=0.00"
    return f"some {zero} total={some}\nfull {zero} total={full}\n"


class Cgroups:
    """The folder ``sys/fs/cgroup`` of a tree, of version 2."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self.root = Root(str(tree))
        self.write("cgroup.controllers", "cpu io memory pids\n")

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        target = self.tree / TOP / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def put(
        self,
        path: str,
        *,
        memory: tuple[int, int] = (4096, 0),
        memory_max: str = "max",
        cpu_max: str = "max 100000",
        cpu: tuple[int, int] = (0, 0),
        quota: tuple[int, int, int] = (0, 0, 0),
        events: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0),
        tasks: tuple[int, str] = (1, "max"),
        lost: tuple[int, int] = (0, 0),
    ) -> None:
        """
        Make a group, or change one.

        Args:
            path: below the mount.
            memory: in use, of it inactive pages of files.
            memory_max: its limit.
            cpu_max: its quota.
            cpu: microseconds in user mode and in the kernel.
            quota: periods, throttled ones, throttled microseconds.
            events: low, high, max, oom, oom_kill of it and those below it.
            tasks: how many, and their limit.
            lost: microseconds of each resource, some and full.
        """
        names = ("low", "high", "max", "oom", "oom_kill", "oom_group_kill")
        times = ("usage_usec", "user_usec", "system_usec", "nr_periods", "nr_throttled")
        for file, text in {
            "memory.current": f"{memory[0]}",
            "memory.stat": f"anon 4096\ninactive_file {memory[1]}\nactive_file 77",
            "memory.max": memory_max,
            "cpu.max": cpu_max,
            "cpu.stat": keyed((*times, "throttled_usec"), (sum(cpu), *cpu, *quota)),
            "memory.events": keyed(names, (*events, 0)),
            "pids.current": f"{tasks[0]}",
            "pids.max": tasks[1],
            "cpu.pressure": pressure(*lost),
            "memory.pressure": pressure(*lost),
            "io.pressure": pressure(*lost),
        }.items():
            self.write(f"{path}/{file}", f"{text}\n")

    def end(self, path: str) -> None:
        """Remove a group."""
        shutil.rmtree(self.tree / TOP / path)


def pairs(outcome: Outcome, metric: Metric, label: str) -> dict[tuple[str, str], float]:
    """Return the values of a metric by container and another label."""
    found = readings(outcome, metric, "container", label)
    return cast("dict[tuple[str, str], float]", found)


def keyed(keys: Sequence[str], values: Sequence[int]) -> str:
    """Return a flat keyed file (cgroup-v2.rst)."""
    return "\n".join(f"{key} {value}" for key, value in zip(keys, values, strict=True))


class Scraper:
    """A collector at work, scrape after scrape."""

    def __init__(self, root: Root, names: Names, most: int = 64) -> None:
        self.root = root
        self._task = Task(collector(HostOptions(containers=most), names), root, 60.0)

    def scrape(self) -> Outcome:
        """Return the outcome of one scrape."""
        outcome = Outcome()
        run(self._task, outcome, self.root)
        return outcome

    def told(self, metric: Metric, *labels: str) -> dict[object, object]:
        """Return the values of a metric at a scrape, by labels; by container where none is said."""
        outcome = self.scrape()
        assert "ok" == outcome.status, outcome.reason
        return readings(outcome, metric, *labels or ("container",))
