"""Seconds of CPUs by mode, and what /proc/stat counts beside them."""

from collections.abc import Callable
from pathlib import Path

import psutil

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.host import cpu, stat
from tests.support.boards import board_root
from tests.support.collect import run, values
from tests.support.readings import readings

MakeTree = Callable[[dict[str, str | bytes]], Path]


def line(number: int, *, idle: int = 0) -> str:
    """Return the line of a CPU that has been idle only."""
    return f"cpu{number} 0 0 0 {idle} 0 0 0 0 0 0\n"


def test_the_recorded_node() -> None:
    """Its first CPU: 44490 19 21045 1087069 220 1 3410 0 2 1, in hundredths of a second."""
    outcome = run(cpu.collector(), ReplayRoot(str(board_root("node-exporter"))))
    seconds = readings(outcome, cpu.SECONDS, "cpu", "mode")
    guest = readings(outcome, cpu.GUEST_SECONDS, "cpu", "mode")

    assert {
        "user": 444.90,
        "nice": 0.19,
        "system": 210.45,
        "idle": 10870.69,
        "iowait": 2.20,
        "irq": 0.01,
        "softirq": 34.10,
        "steal": 0.0,
    } == {mode: seconds["0", mode] for mode in stat.MODES}
    assert (0.02, 0.01) == (guest["0", "user"], guest["0", "nice"])
    assert (8 * 8, 8 * 2) == (len(seconds), len(guest))


def test_what_is_counted_beside_them() -> None:
    """By the names of node_exporter, where it has any."""
    found = values(run(cpu.collector(), ReplayRoot(str(board_root("node-exporter")))))

    assert {
        "tailsight_intr_total": 8885917,
        "tailsight_context_switches_total": 38014093,
        "tailsight_boot_time_seconds": 1418183276,
        "tailsight_forks_total": 26442,
        "tailsight_procs_running": 2,
        "tailsight_procs_blocked": 0,
    } == {name: value for name, value in found.items() if "{" not in name}


def test_a_cpu_that_is_offline_has_no_series(make_tree: MakeTree) -> None:
    """It comes back with its idle time begun anew, and is told as it is."""
    collector, found = cpu.collector(), []
    for text in (line(0) + line(1, idle=50000), line(0), line(0) + line(1, idle=7)):
        tree = make_tree({cpu.STAT: text})
        seconds = readings(run(collector, Root(str(tree))), cpu.SECONDS, "cpu", "mode")
        found.append(seconds.get(("1", "idle")))

    assert [500.0, None, 0.07] == found


def test_cpus_beyond_the_bound_are_one(make_tree: MakeTree) -> None:
    """130 of them: 128 with series of their own; cpu128 and cpu129 together 3 s, then 4 s."""
    own, collector, found = "".join(map(line, range(128))), cpu.collector(), []
    for last in (200, 300):
        text = own + line(128, idle=100) + line(129, idle=last)
        outcome = run(collector, Root(str(make_tree({cpu.STAT: text}))))
        seconds = readings(outcome, cpu.SECONDS, "cpu", "mode")
        assert 129 * 8 == len(seconds)
        found.append(seconds["other", "idle"])

    assert [3.0, 4.0] == found


def test_one_of_the_others_that_goes_and_comes_is_no_jump(make_tree: MakeTree) -> None:
    """Its hour of idle time neither falls out of the sum nor counts twice."""
    collector, found = cpu.collector(), []
    for text in (
        line(128, idle=100) + line(129, idle=360000),
        line(128, idle=200),
        line(128, idle=300) + line(129, idle=360000),
    ):
        outcome = run(collector, Root(str(make_tree({cpu.STAT: text}))))
        found.append(readings(outcome, cpu.SECONDS, "cpu", "mode")["other", "idle"])

    assert [3601.0, 3602.0, 3603.0] == found


def test_a_wrap_of_a_cpus_interrupts_is_no_step_back(make_tree: MakeTree) -> None:
    """The kernel's sum falls by 2^32 when one of its 32-bit parts wraps: 40 came, not less."""
    collector, found = cpu.collector(), []
    for interrupts in (2**32 + 5000, 5040):
        tree = make_tree({cpu.STAT: f"{line(0)}intr {interrupts} 0\n"})
        found.append(values(run(collector, Root(str(tree))))["tailsight_intr_total"])

    assert [2**32 + 5000, 2**32 + 5040] == found


def test_this_machine() -> None:
    """What is counted lies between what psutil says before and after."""
    before = psutil.cpu_stats(), psutil.cpu_times()
    outcome = run(cpu.collector(), Root())
    after = psutil.cpu_stats(), psutil.cpu_times()
    found = values(outcome)
    user = sum(
        value
        for series, value in outcome.samples
        if series.metric is cpu.SECONDS and series.values[1] == "user" and isinstance(value, float)
    )

    for name, attribute in (
        ("tailsight_context_switches_total", "ctx_switches"),
        ("tailsight_intr_total", "interrupts"),
    ):
        value = found[name]
        assert isinstance(value, int | float)
        assert getattr(before[0], attribute) <= value <= getattr(after[0], attribute)
    assert psutil.boot_time() == found["tailsight_boot_time_seconds"]
    # Each CPU's hundredths are cut off on their own.
    slack = 0.01 * len(psutil.cpu_times(percpu=True))
    assert before[1].user - slack <= user <= after[1].user + slack


def test_no_proc_is_absent() -> None:
    """A recording without it says so."""
    outcome = run(cpu.collector(), ReplayRoot(str(board_root("nuc13-i915"))))

    assert ("absent", []) == (outcome.status, outcome.failures)
    assert "no /proc/stat" in outcome.reason
