"""Which processes there are, which are chosen, and what looking costs."""

import re
import subprocess
import time
from pathlib import Path

import pytest

from exporters.core import Root
from exporters.host.options import HostOptions
from exporters.host.process_faults import Faults
from exporters.host.process_files import parse_stat
from exporters.host.process_rules import Rules
from exporters.host.process_watch import AGAIN, NEW, Watch, boot_ticks
from tests.support.clock import ClockRoot
from tests.support.process_tree import KERNEL_THREAD, Proc, stat_text

GPU = ("/dev/nvidia0",)
UPTIME_TICKS = 100_000_000


class Node:
    """A tree, its watch, and which files each look opens."""

    def __init__(self, tree: Path, **options: object) -> None:
        self.proc = Proc(tree)
        self.opened: list[str] = []
        self.watch = Watch(Rules(HostOptions(**options)))  # type: ignore[arg-type]
        self.root = Counting(str(tree))
        self.faults = Faults()
        self.waiting = 0

    def look(self, seconds: float = 0.0, ticks: int | None = UPTIME_TICKS) -> list[str]:
        """Return the chosen pids at a time."""
        self.root.seconds = seconds
        self.root.opened.clear()
        self.faults = Faults()
        seen = self.watch.look(self.root, ticks, self.faults)
        self.waiting = seen.waiting
        return [one.pid for one in seen.chosen]

    def examined(self) -> set[str]:
        """Return the pids of which the last look read anything."""
        return {path.split("/")[1] for path in self.root.opened}


class Counting(ClockRoot):
    """Takes note of what is read."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.opened: list[str] = []

    def read_bytes(self, path: str) -> bytes:
        """Read it."""
        self.opened.append(path)
        return super().read_bytes(path)

    def read_record(self, path: str) -> str:
        """Read it."""
        self.opened.append(path)
        return super().read_record(path)


def test_rules_choose(tmp_path: Path) -> None:
    """A GPU, a command line or a cgroup; each rule on its own."""
    for options, expected in (
        ({}, ["2"]),
        ({"gpu": False}, []),
        ({"gpu": False, "command": re.compile(r"^python .*serve")}, ["3"]),
        ({"gpu": False, "cgroup": re.compile(r"kubepods")}, ["4"]),
        ({"command": re.compile("serve"), "cgroup": re.compile("kubepods")}, ["2", "3", "4"]),
    ):
        node = Node(tmp_path, **options)
        node.proc.put(1, "init")
        node.proc.put(2, "infer", files=GPU)
        node.proc.put(3, "python", line="python -m serve")
        node.proc.put(4, "app", cgroup="0::/kubepods/pod1/2\n")
        assert expected == node.look()


def test_a_command_line_that_is_made_to_be_slow(tmp_path: Path) -> None:
    """A mebibyte of it would take minutes; what counts is at its begin."""
    node = Node(tmp_path, command=re.compile("python.*serve"))
    node.proc.put(5, "python")
    node.proc.put(6, "python", line="python serve " + "x" * 2**20)
    node.proc.write("proc/5/cmdline", "python" * 2**17)
    began = time.process_time()

    assert ["6"] == node.look()
    assert time.process_time() - began < 5


def test_a_look_opens_nothing_of_what_is_known(tmp_path: Path) -> None:
    """The cost of a scrape is a listing, however many processes there are."""
    node = Node(tmp_path)
    for pid in range(1, 301):
        node.proc.put(pid)

    assert [] == node.look()
    assert 300 == len(node.examined())
    assert [] == node.look(15.0)
    assert set() == node.examined()


def test_a_gpu_that_is_opened_late_is_seen(tmp_path: Path) -> None:
    """A process is looked at again after as long as it had lived, and within five minutes."""
    node = Node(tmp_path)
    node.proc.put(64, "young", started=UPTIME_TICKS - 1000)
    node.proc.put(128, "old", started=1000)
    node.look()
    node.proc.put(64, "young", started=UPTIME_TICKS - 1000, files=GPU)
    node.proc.put(128, "old", started=1000, files=GPU)

    assert [] == node.look(4.0)
    assert ["64"] == node.look(10.0)
    assert ["128", "64"] == node.look(300.0)


def test_kernel_threads_cost_one_read(tmp_path: Path) -> None:
    """Nothing else of them is opened."""
    node = Node(tmp_path, command=re.compile(""))
    node.proc.put(2, "kthreadd", flags=KERNEL_THREAD, files=GPU)

    assert [] == node.look()
    assert ["proc/2/stat"] == node.root.opened


def test_a_new_process_is_seen_at_once_and_an_ended_one_forgotten(tmp_path: Path) -> None:
    """Also one with the pid of another that a look has missed."""
    node = Node(tmp_path)
    node.proc.put(5, files=GPU)
    assert ["5"] == node.look()
    node.proc.put(6, files=GPU, started=2000)
    assert ["5", "6"] == node.look(1.0)
    node.proc.end(5)
    assert ["6"] == node.look(2.0)
    node.proc.put(5, started=3000)
    assert ["6"] == node.look(3.0)


def test_a_reused_pid_is_another_process_when_it_is_looked_at_again(tmp_path: Path) -> None:
    """What the one before had open is no reason to choose it."""
    node = Node(tmp_path)
    node.proc.put(5, files=GPU)
    node.look()
    node.proc.put(5, started=3000)

    assert [] == node.look(300.0)


def test_a_user_of_a_gpu_stays_chosen(tmp_path: Path) -> None:
    """Its series would come and go with each model that it loads."""
    node = Node(tmp_path)
    node.proc.put(5, files=GPU)
    node.look()
    node.proc.put(5)

    assert ["5"] == node.look(300.0)


def test_another_program_in_the_same_process_is_judged_anew(tmp_path: Path) -> None:
    """Execve keeps pid and start; the files that a GPU was open through may be closed."""
    node = Node(tmp_path)
    node.proc.put(5, "infer", files=GPU)
    node.look()
    node.proc.put(5, "sh")
    node.watch.hurry("5")

    assert [] == node.look(1.0)


def test_who_began_in_this_tick_waits(tmp_path: Path) -> None:
    """In the same hundredth of a second a pid could be given to two processes."""
    node = Node(tmp_path)
    node.proc.put(5, files=GPU, started=700)

    assert [] == node.look(ticks=700)
    assert 1 == node.waiting
    assert ["5"] == node.look(ticks=701)
    assert 0 == node.waiting


def test_one_that_is_being_reaped_is_nobody(tmp_path: Path) -> None:
    """The kernel then tells of 0 threads."""
    node = Node(tmp_path)
    node.proc.put(5, files=GPU)
    node.proc.write("proc/5/stat", stat_text(5, threads=0))

    assert [] == node.look()


def test_a_scrape_examines_a_bounded_number(tmp_path: Path) -> None:
    """The first look takes all there are, later ones so many new and so many known ones."""
    node = Node(tmp_path)
    for pid in range(1, 101):
        node.proc.put(pid)
    node.look()
    for pid in range(1001, 1001 + NEW + 10):
        node.proc.put(pid)

    node.look(300.0)
    assert NEW + AGAIN == len(node.examined())
    assert 10 == node.waiting
    node.look(301.0)
    assert 10 + (100 - AGAIN) == len(node.examined())
    assert 0 == node.waiting


def test_the_oldest_first(tmp_path: Path) -> None:
    """Whoever is cut off by a bound is a newcomer."""
    node = Node(tmp_path)
    node.proc.put(5, files=GPU, started=3000)
    node.proc.put(9, files=GPU, started=1000)

    assert ["9", "5"] == node.look()


@pytest.mark.parametrize("file", ["stat", "cgroup", "maps"])
def test_a_process_that_ends_meanwhile_is_no_failure(tmp_path: Path, file: str) -> None:
    """Wherever its end falls."""
    node = Node(tmp_path)
    node.proc.put(5)
    (tmp_path / "proc/5" / file).unlink()

    assert [] == node.look()
    assert [] == list(node.faults.failures())


def test_a_foreign_text_is_one_failure(tmp_path: Path) -> None:
    """It names the file, costs no other process, and stays until it is looked at again."""
    node = Node(tmp_path)
    node.proc.put(5)
    node.proc.put(6)
    node.proc.put(7, files=GPU)
    node.proc.write("proc/5/stat", "hello")
    node.proc.write("proc/6/stat", "hello")

    for seconds in (0.0, 15.0):
        assert ["7"] == node.look(seconds)
        assert ["proc/[pid]/stat"] == [one.where for one in node.faults.failures()]


def test_a_recording_without_uptime(tmp_path: Path) -> None:
    """Nobody is young there."""
    node = Node(tmp_path)
    node.proc.put(5, files=GPU)

    assert ["5"] == node.look(ticks=None)


def test_ticks_are_of_the_clock_that_tells_the_starts() -> None:
    """On this machine: a program's start lies between looks at the clock before and after it."""
    before = boot_ticks(Root())
    with subprocess.Popen(["sleep", "60"]) as program:
        stat = parse_stat(Root().read(f"proc/{program.pid}/stat"))
        program.kill()
    after = boot_ticks(Root())

    assert before is not None
    assert after is not None
    assert before <= stat.started <= after
