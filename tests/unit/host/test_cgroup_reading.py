"""What is read of a group at every look, what seldom, and that nothing is missed by it."""

import errno
import os
from collections import Counter
from pathlib import Path

import pytest

from exporters.core import Root
from exporters.host import container_metrics as metrics
from exporters.host.container_look import MOST_AT_ONCE
from exporters.host.pace import SELDOM_SECONDS, YOUNG_SECONDS, Times
from tests.support.cgroups import Cgroups, Names, Scraper, docker, pairs
from tests.support.readings import failed, readings

A = f"{1:012x}"
OTHER = metrics.OTHER.container
V1 = {
    "memory.limit_in_bytes": "9223372036854771712",
    "memory.usage_in_bytes": "4096",
    "memory.stat": "cache 1\ntotal_inactive_file 96",
    "memory.failcnt": "0",
    "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 0",
    "cpu.cfs_quota_us": "-1",
    "cpu.cfs_period_us": "100000",
    "cpu.stat": "nr_periods 0\nnr_throttled 0\nthrottled_time 0",
    "cpuacct.stat": "user 1\nsystem 2",
    "pids.current": "3",
    "pids.max": "max",
}


class Clocked(Root):
    """A root whose time a test sets, and which notes what is read by the names of files."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.time = 0.0
        self.asked: Counter[str] = Counter()
        self.errors: dict[str, int] = {}

    def monotonic(self) -> float:
        """Return what the test has set."""
        return self.time

    def read(self, path: str) -> str:
        """Read, or fail as said."""
        name = path.rpartition("/")[2]
        self.asked[name] += 1
        if name in self.errors:
            raise OSError(self.errors[name], os.strerror(self.errors[name]), path)
        return super().read(path)


class Node:
    """A node, its collector, and its clock."""

    def __init__(self, tree: Path, most: int = 64) -> None:
        self.groups = Cgroups(tree)
        self.root = Clocked(str(tree))
        self.scraper = Scraper(self.root, Names(), most)

    def one(self, **values: str) -> None:
        """Make or change the files of a container of version 1: ``cpu_stat`` is ``cpu.stat``."""
        given = {name.replace("_", ".", 1): value for name, value in values.items()}
        for name, text in {**V1, **given}.items():
            controller = name.partition(".")[0]
            self.groups.write(f"{controller}/cgroup.procs", "")
            self.groups.write(f"{controller}/{docker(1)}/{name}", text)

    def grow_old(self) -> None:
        """Look until the groups have been known for a minute."""
        for second in range(61):
            self.root.time = float(second)
            self.scraper.scrape()
        self.root.asked.clear()


@pytest.fixture
def node(tmp_path: Path) -> Node:
    """Return a node with version 2 and no groups."""
    return Node(tmp_path)


@pytest.fixture
def node_v1(tmp_path: Path) -> Node:
    """Return a node with version 1, one container, and a kernel that counts its kills."""
    node = Node(tmp_path)
    (tmp_path / "sys/fs/cgroup/cgroup.controllers").unlink()
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/vmstat").write_text("pgfault 1\noom_kill 4\nswap_ra 0\n")
    node.one()
    return node


def test_settings_are_read_seldom(node: Node) -> None:
    """In a minute of 60 looks each of them twice to four times, what moves at every look."""
    node.groups.put(docker(1), memory_max="9999")
    node.grow_old()
    for second in range(61, 121):
        node.root.time = float(second)
        assert {A: 9999} == node.scraper.told(metrics.MEMORY_LIMIT)

    for name in ("memory.max", "cpu.max", "pids.max"):
        assert 2 <= node.root.asked[name] <= 4
    for name in ("memory.current", "memory.events", "cpu.stat", "pids.current", "io.pressure"):
        assert 60 == node.root.asked[name]


def test_what_is_not_there_is_asked_for_seldom(node: Node) -> None:
    """Linux before 6.1 has no irq.pressure; the controller of tasks need not be enabled."""
    node.groups.put(docker(1))
    (node.groups.tree / "sys/fs/cgroup" / docker(1) / "pids.current").unlink()
    node.grow_old()
    for second in range(61, 121):
        node.root.time = float(second)
        node.scraper.scrape()

    assert 2 <= node.root.asked["irq.pressure"] <= 4
    assert 2 <= node.root.asked["pids.current"] <= 4


def test_a_changed_limit_shows_within_half_a_minute(node: Node) -> None:
    """As ``docker update`` changes it, and a service counts that had none."""
    node.groups.put(docker(1), memory_max="9999")
    node.groups.put("x.service")
    node.grow_old()
    node.groups.write(f"{docker(1)}/memory.max", "7777")
    node.groups.write("x.service/memory.max", "5555")
    node.root.time += SELDOM_SECONDS

    assert {A: 7777, "x.service": 5555} == node.scraper.told(metrics.MEMORY_LIMIT)


def test_a_new_group_is_read_wholly(node: Node) -> None:
    """Who makes it sets its limits a moment after the folder."""
    node.groups.put(docker(1))
    node.scraper.scrape()
    node.groups.write(f"{docker(1)}/memory.max", "7777")
    node.root.time += YOUNG_SECONDS / 2

    assert {A: 7777} == node.scraper.told(metrics.MEMORY_LIMIT)


@pytest.mark.parametrize("name", ["memory.max", "pids.max", "memory.current"])
def test_what_cannot_be_read_fails_at_every_look(node: Node, name: str) -> None:
    """A failure that comes and goes would say that it was mended."""
    node.groups.put(docker(1))
    node.grow_old()
    node.root.errors = {name: errno.EACCES}
    node.root.time += SELDOM_SECONDS
    for _ in range(4):
        node.root.time += 1
        outcome = node.scraper.scrape()
        assert 1 == len(outcome.failures)
        assert failed(outcome)[0].startswith("sys/fs/cgroup/[group]/")
    node.root.errors = {}
    node.root.time += 1
    assert [] == node.scraper.scrape().failures


def test_a_group_with_a_limit_that_goes_is_not_told(node: Node) -> None:
    """What is remembered of it does not stand for it."""
    node.groups.put(docker(1), memory_max="9999")
    node.groups.put(docker(2))
    node.grow_old()
    gone = node.groups.tree / "sys/fs/cgroup" / docker(1)
    for name in os.listdir(gone):
        (gone / name).unlink()
    outcome = node.scraper.scrape()

    assert [] == outcome.failures
    assert {} == readings(outcome, metrics.MEMORY_LIMIT, "container")
    assert {(): 1} == readings(outcome, metrics.CONTAINERS, *())


def test_counters_of_no_limit_are_read_seldom(node_v1: Node) -> None:
    """Version 1 counts neither periods nor failures without one; they are told as they stand."""
    node_v1.one(memory_failcnt="7")
    node_v1.grow_old()
    outcome = node_v1.scraper.scrape()

    assert {A: 0} == readings(outcome, metrics.PERIODS, "container")
    assert {(A, "max"): 7, (A, "oom_kill"): 0} == pairs(outcome, metrics.MEMORY_EVENTS, "event")
    asked = node_v1.root.asked
    assert {"cpu.stat": 0, "memory.failcnt": 0, "cpuacct.stat": 1} == {
        name: asked[name] for name in ("cpu.stat", "memory.failcnt", "cpuacct.stat")
    }


def test_counters_of_a_limit_are_read_at_every_look(node_v1: Node) -> None:
    """With a quota and a limit of memory they move."""
    limits = {"cpu_cfs_quota_us": "50000", "memory_limit_in_bytes": "8192"}
    node_v1.one(**limits)
    node_v1.grow_old()
    stat = "nr_periods 9\nnr_throttled 8\nthrottled_time 7000000000"
    node_v1.one(**limits, cpu_stat=stat, memory_failcnt="6")
    outcome = node_v1.scraper.scrape()

    assert {A: 7.0} == readings(outcome, metrics.THROTTLED, "container")
    assert 6 == pairs(outcome, metrics.MEMORY_EVENTS, "event")[A, "max"]


def test_a_kill_shows_at_once(node_v1: Node) -> None:
    """Version 1 has it in a file of its own, which is read when the node counts one more."""
    node_v1.grow_old()
    node_v1.scraper.scrape()
    assert 0 == node_v1.root.asked["memory.oom_control"]
    node_v1.one(memory_oom_control="oom_kill_disable 0\nunder_oom 0\noom_kill 1")
    (node_v1.groups.tree / "proc/vmstat").write_text("pgfault 1\noom_kill 5\nswap_ra 0\n")
    outcome = node_v1.scraper.scrape()

    assert 1 == pairs(outcome, metrics.MEMORY_EVENTS, "event")[A, "oom_kill"]


@pytest.mark.parametrize("text", [None, "pgfault 1\n", "pgfault 1\noom_kill many\n"])
def test_kills_that_the_node_does_not_count(node_v1: Node, text: str | None) -> None:
    """Then each group is asked at every look."""
    vmstat = node_v1.groups.tree / "proc/vmstat"
    vmstat.unlink()
    if text is not None:
        vmstat.write_text(text)
    node_v1.grow_old()
    node_v1.one(memory_oom_control="oom_kill_disable 0\nunder_oom 0\noom_kill 1")
    outcome = node_v1.scraper.scrape()

    assert 1 == pairs(outcome, metrics.MEMORY_EVENTS, "event")[A, "oom_kill"]


def test_a_controller_that_is_mounted_late(node_v1: Node) -> None:
    """What was learnt of a group before is not enough any more."""
    (node_v1.groups.tree / "sys/fs/cgroup/pids/cgroup.procs").unlink()
    node_v1.grow_old()
    assert {} == node_v1.scraper.told(metrics.TASKS)
    node_v1.one()

    assert {A: 3} == node_v1.scraper.told(metrics.TASKS)


def test_many_others_take_turns(tmp_path: Path) -> None:
    """Each is read at every second look, so that two looks tell all that all have counted."""
    node = Node(tmp_path, most=1)
    many = MOST_AT_ONCE + 2
    for number in range(many):
        node.groups.put(docker(number), cpu=(1_000_000, 0))
    node.grow_old()
    for number in range(many):
        node.groups.put(docker(number), cpu=(3_000_000, 0), tasks=(2, "max"))
    node.root.asked.clear()
    node.root.time += 1e-3
    node.scraper.scrape()
    read = node.root.asked["pids.current"]
    outcome = node.scraper.scrape()

    assert 1 < read < many
    assert 3.0 * (many - 1) == pairs(outcome, metrics.CPU, "mode")[OTHER, "user"]
    assert 2 * (many - 1) == readings(outcome, metrics.TASKS, "container")[OTHER]
    assert many + 1 == node.root.asked["pids.current"]


def test_few_others_are_all_read(tmp_path: Path) -> None:
    """Turns are for those only who have hundreds."""
    node = Node(tmp_path, most=1)
    for number in range(MOST_AT_ONCE + 1):
        node.groups.put(docker(number))
    node.grow_old()
    node.scraper.scrape()

    assert MOST_AT_ONCE + 1 == node.root.asked["pids.current"]


def test_times_of_those_that_are_seen_together_differ() -> None:
    """Half a minute is the longest, a quarter of one the shortest on average."""
    times = [Times.of(member, Times(0.0, 0.0), 1000.0).due - 1000.0 for member in range(32)]
    assert 32 == len(set(times))
    assert SELDOM_SECONDS == max(times)
    assert SELDOM_SECONDS / 2 < min(times)
