"""The collector of processes, on trees that a test changes between and within scrapes."""

import errno
import re
import shutil
import threading
from pathlib import Path

import pytest

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.host import process_metrics as metrics
from exporters.host.options import HostOptions
from exporters.host.place import Place
from exporters.host.processes import collector
from tests.support.collect import run as run_once
from tests.support.process_node import APP, Node, user_seconds
from tests.support.process_tree import Places, Proc, stat_text
from tests.support.readings import failed, readings


def test_labels_say_where_it_runs(tmp_path: Path) -> None:
    """By the cgroup; the workload is the command where nothing else is known."""
    pod = "/kubepods/pod1/c1"
    places = Places({pod: Place("shop", "infer-0", "main", "infer")})
    proc = Proc(tmp_path)
    proc.put(5, "tritonserver", cgroup=f"0::{pod}\n", files=["/dev/nvidia0"])
    proc.put(6, "odd\n name", cgroup="0::/user\n", files=["/dev/nvidia0"])
    outcome = run_once(collector(HostOptions(), places), Root(str(tmp_path)))

    expected = {
        ("shop", "infer-0", "main", "infer", "tritonserver"): 1,
        ("", "", "", "odd name", "odd name"): 1,
    }
    assert expected == readings(outcome, metrics.PROCESSES, *metrics.GROUP)
    assert [] == outcome.failures


def test_nobody_chosen_is_an_answer(tmp_path: Path) -> None:
    """Absent, with how many were in sight: in a container they are its own alone."""
    node = Node(tmp_path)
    node.proc.put(1)
    outcome = node.scrape()

    assert ("absent", "no rule chooses the one process in sight") == (
        outcome.status,
        outcome.reason,
    )
    assert "hostPID" in node.collector.advice


def test_a_recording_plays(tmp_path: Path) -> None:
    """From files alone, with links that became small files, and without an uptime."""
    node = Node(tmp_path)
    node.proc.put(5, "infer", files=[], ticks=(150, 0))
    node.proc.write("proc/5/fd/3", "/dev/dri/renderD128")
    (tmp_path / "proc/uptime").unlink()
    outcome = run_once(node.collector, ReplayRoot(str(tmp_path)))

    assert {"infer": 1.5} == user_seconds(outcome)
    assert {"5": 1} == readings(outcome, metrics.USES_GPU, "pid")
    assert [] == outcome.failures


def test_the_agent_itself_is_no_user_of_a_gpu(tmp_path: Path) -> None:
    """NVML has the devices open in it; another rule may still choose it."""
    node = Node(tmp_path)
    node.proc.put(5, "tailsight", files=["/dev/nvidia0"])
    (tmp_path / "proc/self").symlink_to("5")

    assert "absent" == node.scrape().status
    chosen = run_once(
        collector(HostOptions(command=re.compile("tailsight")), Places()), Root(str(tmp_path))
    )
    assert {"tailsight": 1} == readings(chosen, metrics.PROCESSES, "command")


@pytest.mark.parametrize(
    "path",
    [f"proc/5/{name}" for name in ("stat", "cgroup", "cmdline", "fd", "maps", "status", "task")],
)
def test_a_process_that_ends_at_any_read_is_silent(tmp_path: Path, path: str) -> None:
    """No failure, no number of it, and the others are told."""
    node = Node(tmp_path, command=APP)
    node.proc.put(4, "app4", ticks=(400, 0))
    node.proc.put(5, "app5", switches=[(1, 1), (2, 2)])
    node.root.path, node.root.act = path, lambda: node.proc.end(5)
    outcome = node.scrape()

    assert [] == outcome.failures
    assert {"app4": 4.0} == user_seconds(outcome)


@pytest.mark.parametrize(
    "path", [f"proc/5/{name}" for name in ("fd", "maps", "status", "task", "stat")]
)
def test_a_pid_that_is_reused_at_any_read_is_no_mix_up(tmp_path: Path, path: str) -> None:
    """The other process is told by its own name and counters, from the next scrape on, or not."""
    node = Node(tmp_path, command=APP)
    node.proc.put(5, "app-old", ticks=(500, 0), switches=[(1, 1), (2, 2)])

    def reuse() -> None:
        node.proc.put(5, "app-new", ticks=(700, 0), started=2000, switches=[(9, 9)])

    node.root.path, node.root.act = path, reuse
    first = node.scrape()
    assert user_seconds(first) in ({}, {"app-new": 7.0})
    assert {"app-new": 7.0} == user_seconds(node.scrape())
    assert [] == first.failures


def test_a_pid_that_is_reused_between_scrapes_is_no_mix_up(tmp_path: Path) -> None:
    """It has no GPU; the counter of their name goes on from where it was found."""
    node = Node(tmp_path, command=APP)
    node.proc.put(5, ticks=(500, 0), files=["/dev/nvidia0"])
    assert {"5": 1} == readings(node.scrape(), metrics.USES_GPU, "pid")
    node.proc.put(5, ticks=(700, 0), started=2000)
    between, after = node.scrape(), node.scrape()

    assert "absent" == between.status
    assert {"app": 5.0} == user_seconds(after)
    assert {} == readings(after, metrics.USES_GPU, "pid")
    node.proc.put(5, ticks=(710, 0), started=2000)
    assert {"app": 5.1} == user_seconds(node.scrape())


def test_a_pid_that_is_reused_within_a_reading_is_no_mix_up(tmp_path: Path) -> None:
    """Status of the one and stat of the other: neither is told."""
    node = Node(tmp_path, command=APP)
    node.proc.put(5, ticks=(500, 0), switches=[(50, 0)])
    node.scrape()

    def reuse() -> None:
        node.proc.put(5, ticks=(700, 0), started=2000, switches=[(9, 0)])

    node.root.path, node.root.act = "proc/5/stat", reuse
    between, after = node.scrape(), node.scrape()
    assert ("absent", []) == (between.status, between.failures)
    assert {"app": 5.0} == user_seconds(after)
    assert 50 == readings(after, metrics.SWITCHES, "type")["voluntary"]
    node.proc.put(5, ticks=(710, 0), started=2000, switches=[(12, 0)])
    again = node.scrape()
    assert {"app": 5.1} == user_seconds(again)
    assert 53 == readings(again, metrics.SWITCHES, "type")["voluntary"]


def test_one_that_is_being_reaped_has_ended(tmp_path: Path) -> None:
    """The kernel then tells 0 of its threads and of all that it has counted."""
    node = Node(tmp_path, command=APP)
    node.proc.put(5, ticks=(500, 0))
    node.proc.put(6, "app6")
    node.scrape()
    node.proc.write("proc/5/stat", stat_text(5, threads=0))

    for _ in range(2):
        assert {"app6": 0} == user_seconds(node.scrape())


def test_a_group_whose_processes_come_and_go_never_falls(tmp_path: Path) -> None:
    """A worker that is replaced takes nothing away; all of the new one's time is added."""
    node = Node(tmp_path, command=APP)
    node.proc.uptime(100.0)
    node.proc.put(5, ticks=(500, 0))
    assert {"app": 5.0} == user_seconds(node.scrape())
    node.proc.end(5)
    node.proc.uptime(115.0)
    node.proc.put(6, ticks=(40, 0), started=10_900)
    # It began before the last scrape, which did not see it.
    node.proc.put(7, ticks=(9000, 0), started=500)

    assert {"app": 5.4} == user_seconds(node.scrape())


def test_another_program_is_another_group(tmp_path: Path) -> None:
    """A shell that becomes the server by execve: the rules see it at the next scrape."""
    node = Node(tmp_path, command=APP)
    node.proc.put(5, "app", line="app starts")
    node.scrape()
    node.proc.put(5, "sh", line="sh")

    assert {"sh": 1} == readings(node.scrape(), metrics.PROCESSES, "command")
    assert "absent" == node.scrape().status


def test_too_many_threads_are_a_reason_and_no_number(tmp_path: Path) -> None:
    """What is of the process as a whole is told all the same."""
    node = Node(tmp_path, command=APP)
    node.proc.put(1, "app1", switches=[(5, 0)], started=900)
    node.proc.put(5, "app5", switches=[(1, 0)])
    status = (tmp_path / "proc/5/status").read_text().replace("Threads:\t1", "Threads:\t3000")
    node.proc.write("proc/5/status", status)
    for tid in range(6, 3005):
        (tmp_path / f"proc/5/task/{tid}").mkdir()
    outcome = node.scrape()

    assert {("app1", "voluntary"): 5, ("app1", "involuntary"): 0} == readings(
        outcome, metrics.SWITCHES, "command", "type"
    )
    assert {"app1": 0, "app5": 0} == user_seconds(outcome)
    assert ["proc/[pid]/task"] == failed(outcome)
    assert errno.E2BIG == getattr(outcome.failures[0].error, "errno", None)


def test_memory_of_a_process_whose_first_thread_has_ended(tmp_path: Path) -> None:
    """Another thread tells of it; a process that has ended has none."""
    node = Node(tmp_path, command=APP)
    node.proc.put(5, "app5", switches=[(1, 0), (1, 0)])
    node.proc.put(9, "app9", kilobytes=None)
    first = (tmp_path / "proc/5/status").read_text().replace("VmRSS", "VmGone")
    node.proc.write("proc/5/status", first)

    expected = {"app5": 1408 * 1024, "app9": 0}
    assert expected == readings(node.scrape(), metrics.MEMORY, "command")


def test_numa_maps_are_read_where_asked_for(tmp_path: Path) -> None:
    """Of chosen processes only."""
    node = Node(tmp_path, command=APP, numa_maps_seconds=300.0)
    node.proc.put(5)
    node.proc.write("proc/5/numa_maps", "7f00 default anon=3 N1=3 kernelpagesize_kB=4\n")

    assert {"1": 12288} == readings(node.scrape(), metrics.NUMA_MEMORY, "numa_node")


def test_a_look_that_hung_changes_nothing(tmp_path: Path) -> None:
    """It comes back when a later look was made: what that one found stands."""
    node = Node(tmp_path, command=APP)
    node.proc.put(5, ticks=(100, 0))
    node.scrape()
    hangs, go_on = threading.Event(), threading.Event()

    def hang() -> None:
        hangs.set()
        assert go_on.wait(20)

    node.root.path, node.root.act = "proc/5/status", hang
    late: list[object] = []
    thread = threading.Thread(target=lambda: late.extend(node.collector.discover(node.root)))
    thread.start()
    assert hangs.wait(20)
    node.proc.put(5, ticks=(300, 0))
    now = node.scrape()
    node.proc.put(5, ticks=(200, 0))
    go_on.set()
    thread.join(20)

    assert {"app": 3.0} == user_seconds(now)
    assert list(node.task._sensors) == late
    node.proc.put(5, ticks=(310, 0))
    assert {"app": 3.1} == user_seconds(node.scrape())


def test_no_proc_is_absent(tmp_path: Path) -> None:
    """A recording of a board has none."""
    node = Node(tmp_path)
    shutil.rmtree(tmp_path / "proc")
    outcome = node.scrape()

    assert ("absent", "/proc shows no processes") == (outcome.status, outcome.reason)
