"""Processes that cannot be looked into, or that say something odd, and what the others lose."""

import errno
from pathlib import Path

import pytest

from exporters.host import process_metrics as metrics
from tests.support.collect import values
from tests.support.process_node import APP, Node, broken, user_seconds
from tests.support.process_tree import KERNEL_THREAD
from tests.support.readings import failed, readings


def test_one_denial_however_many_processes(tmp_path: Path) -> None:
    """Without CAP_SYS_PTRACE the GPU rule sees nothing; the other rules choose as ever."""
    node = Node(tmp_path, command=APP)
    for pid in range(1, 9):
        node.proc.put(pid, "app" if pid > 4 else "sh", ticks=(100, 0))
    node.root.denied = ("/fd", "/maps")

    for outcome in (node.scrape(), node.scrape()):
        assert ["proc/[pid]/fd"] == failed(outcome)
        assert errno.EACCES == getattr(outcome.failures[0].error, "errno", None)
        assert "for 8 processes" in str(outcome.failures[0].error)
        assert {"app": 4.0} == user_seconds(outcome)
        assert {} == readings(outcome, metrics.OPEN_FILES, "command")
        assert "ok" == outcome.status


def test_denied_and_nobody_chosen_is_no_absence(tmp_path: Path) -> None:
    """Whoever may not look cannot say that there is nothing."""
    node = Node(tmp_path)
    node.proc.put(5)
    node.root.denied = ("/fd", "/maps")
    outcome = node.scrape()

    assert "error" == outcome.status
    assert "Permission denied" in outcome.reason


def test_one_that_is_hidden_is_no_error(tmp_path: Path) -> None:
    """As a process that a security module guards: of the others it is known that none counts."""
    node = Node(tmp_path)
    node.proc.put(5)
    node.proc.put(6)
    node.root.denied = ("5/fd", "5/maps")
    outcome = node.scrape()

    assert "ok" == outcome.status
    assert ["proc/[pid]/fd"] == failed(outcome)
    assert "Permission denied (for process 5)" in str(outcome.failures[0].error)
    assert {"tailsight_process_groups_other": 0, "tailsight_processes_unexamined": 0} == values(
        outcome
    )


def test_what_the_agent_sees_of_itself_is_no_sight(tmp_path: Path) -> None:
    """Nor what it knows of kernel threads: all others are hidden from it."""
    node = Node(tmp_path)
    node.proc.put(2, flags=KERNEL_THREAD)
    node.proc.put(5)
    node.proc.put(6)
    (tmp_path / "proc/self").symlink_to("6")
    node.root.denied = ("5/fd", "5/maps")

    assert "error" == node.scrape().status


def test_hidden_processes_are_named_as_the_reason(tmp_path: Path) -> None:
    """Each PID namespace has a process 1: where it is not to be seen, /proc hides it."""
    node = Node(tmp_path)
    node.proc.put(5)
    node.proc.put(6)

    hidden = "/proc hides those of other users (hidepid)"
    expected = f"no rule chooses any of the 2 processes in sight; {hidden}"
    assert expected == node.scrape().reason


@pytest.mark.parametrize("text", ["", "hello", "-1.00 2.00", "99999999999999999999999.00 1.00"])
def test_a_clock_that_is_none_costs_no_process(tmp_path: Path, text: str) -> None:
    """Only who began since the last scrape is not known then."""
    node = Node(tmp_path, command=APP)
    node.proc.put(5, ticks=(150, 0))
    node.proc.write("proc/uptime", text)
    outcome = node.scrape()

    assert {"app": 1.5} == user_seconds(outcome)
    assert ["proc/uptime"] == failed(outcome)


def test_an_uptime_of_a_container_is_not_asked(tmp_path: Path) -> None:
    """Lxcfs tells the age of the container; starts are told from the node's boot."""
    node = Node(tmp_path, command=APP)
    node.proc.put(5, ticks=(150, 0), started=1000)
    node.proc.uptime(3.0)
    (tmp_path / "proc/self").symlink_to("5")

    assert {"app": 1.5} == user_seconds(node.scrape())


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("proc/5/cgroup", "proc/[pid]/cgroup"),
        ("proc/5/cmdline", "proc/[pid]/cmdline"),
        ("proc/5/status", "proc/[pid]/status"),
        ("proc/5/task/6/status", "proc/[pid]/task/[tid]/status"),
        ("proc/5/stat", "proc/[pid]/stat"),
    ],
)
def test_a_failure_says_which_file(tmp_path: Path, path: str, where: str) -> None:
    """Of any process, and it costs no other one."""
    node = Node(tmp_path, command=APP)
    node.proc.put(4, "app4", ticks=(100, 0))
    node.proc.put(5, "app5", switches=[(1, 0), (1, 0)])
    node.root.denied = (path,)
    outcome = node.scrape()

    assert [where] == failed(outcome)
    assert {"app4": 1.0} == user_seconds(outcome)


def test_a_failure_is_no_verdict(tmp_path: Path) -> None:
    """A read that fails once, when the rules are tried again, costs the process nothing."""
    node = Node(tmp_path, command=APP)
    node.proc.put(5, ticks=(150, 0))
    node.scrape()
    node.proc.put(5, "app-b", ticks=(160, 0))
    node.scrape()
    node.root.path, node.root.act = "proc/5/cmdline", lambda: broken("proc/5/cmdline")
    failing = node.scrape()

    assert ["proc/[pid]/cmdline"] == failed(failing)
    assert {"app-b": 1.6} == user_seconds(failing)
    assert {"app-b": 1.6} == user_seconds(node.scrape())


def test_a_process_has_so_many_names(tmp_path: Path) -> None:
    """One that renames itself all the time is other from the ninth on; the first ones stay its."""
    node = Node(tmp_path, command=APP)
    told: list[object] = []
    for number in (*range(10), 3):
        node.proc.put(5, f"job-{number}", line="app")
        told += readings(node.scrape(), metrics.PROCESSES, "command")

    assert [*(f"job-{number}" for number in range(8)), "other", "other", "job-3"] == told


def test_hidepid_is_one_denial(tmp_path: Path) -> None:
    """With hidepid=1 each file of another user's process is denied."""
    node = Node(tmp_path, command=APP)
    for pid in range(1, 5):
        node.proc.put(pid)
    node.root.denied = ("1/stat", "2/stat", "3/stat")
    outcome = node.scrape()

    assert ["proc/[pid]/stat"] == failed(outcome)
    assert {"app": 1} == readings(outcome, metrics.PROCESSES, "command")
