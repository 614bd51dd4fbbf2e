"""Sums of processes by group."""

from collections.abc import Mapping
from dataclasses import replace

from exporters.core import Metric
from exporters.core.task import Outcome
from exporters.host import process_metrics as metrics
from exporters.host.process_counters import Identity
from exporters.host.process_files import Placement, Stat
from exporters.host.process_groups import Groups, Process
from exporters.host.process_metrics import OTHER, Group
from exporters.host.process_reading import Reading, Threads
from tests.support.readings import readings

A = Group("ns", "pod-a", "main", "deploy-a", "python")
B = Group("", "", "", "b.service", "b")


def process(
    pid: int,
    group: Group = A,
    *,
    ticks: tuple[int, int] = (0, 0),
    faults: tuple[int, int] = (0, 0),
    switches: Mapping[str, tuple[int, int]] | None = {"1": (0, 0)},
    files: int | None = 3,
    born: bool = False,
    gpu: bool = False,
    started: int = 1000,
    allowed: tuple[set[int], set[int]] = ({0, 1}, {0}),
) -> Process:
    """Return a process that could be read."""
    many = len(switches) if switches else 4000
    stat = Stat(group.command, False, started, *ticks, *faults, many)  # noqa: FBT003  # a tuple
    threads = (
        None
        if switches is None
        else Threads(switches, frozenset(allowed[0]), frozenset(allowed[1]))
    )
    reading = Reading(stat, 4096.0, threads, files)
    return Process(Identity(str(pid), started), group, born, gpu, reading)


def look(groups: Groups, *processes: Process) -> Outcome:
    """Return what is told of the processes of one scrape."""
    return Outcome(samples=list(groups.samples(processes)))


def told(groups: Groups, metric: Metric, label: str, *processes: Process) -> dict[object, object]:
    """Return the values of one metric by a label."""
    return readings(look(groups, *processes), metric, label)


def test_levels_are_sums() -> None:
    """Two processes of one group, one of another."""
    outcome = look(
        Groups(64),
        process(1, switches={"1": (0, 0), "2": (0, 0)}, files=5),
        process(2, files=7, allowed=({1, 2, 3, 8}, {1})),
        process(3, B, files=0),
    )

    workload = "workload"
    assert {"deploy-a": 2, "b.service": 1} == readings(outcome, metrics.PROCESSES, workload)
    assert {"deploy-a": 3, "b.service": 1} == readings(outcome, metrics.THREADS, workload)
    assert {"deploy-a": 12, "b.service": 0} == readings(outcome, metrics.OPEN_FILES, workload)
    assert {"deploy-a": 8192, "b.service": 4096} == readings(outcome, metrics.MEMORY, workload)
    assert {"deploy-a": 5, "b.service": 2} == readings(outcome, metrics.ALLOWED_CPUS, workload)
    assert {"deploy-a": 2, "b.service": 1} == readings(outcome, metrics.ALLOWED_NODES, workload)
    allowed = readings(outcome, metrics.ALLOWED, "workload", "cpus", "memory_nodes")
    assert {("deploy-a", "0-3,8", "0-1"): 1, ("b.service", "0-1", "0"): 1} == allowed


def test_counters_are_sums_in_base_units() -> None:
    """A tick is a hundredth of a second."""
    outcome = look(
        Groups(64),
        process(1, ticks=(150, 20), faults=(7, 1), switches={"1": (10, 1), "9": (5, 0)}),
        process(2, ticks=(50, 5), faults=(3, 0), switches={"2": (2, 2)}),
    )

    assert {"user": 2.0, "system": 0.25} == readings(outcome, metrics.CPU, "mode")
    assert {"minor": 10, "major": 1} == readings(outcome, metrics.FAULTS, "type")
    assert {"voluntary": 17, "involuntary": 3} == readings(outcome, metrics.SWITCHES, "type")


def test_no_death_and_no_late_joiner_is_a_step() -> None:
    """What the dead counted stays; of who was chosen late only what comes later counts."""
    groups = Groups(64)
    look(groups, process(1, ticks=(100, 0)), process(2, ticks=(300, 0)))
    later = process(1, ticks=(150, 0)), process(3, ticks=(9000, 0))
    assert {"user": 4.5, "system": 0} == told(groups, metrics.CPU, "mode", *later)

    last = process(1, ticks=(150, 0)), process(3, ticks=(9010, 0)), process(4, ticks=(5, 0))
    born = *last[:2], replace(last[2], born=True)
    assert {"user": 4.65, "system": 0} == told(groups, metrics.CPU, "mode", *born)


def test_a_reused_pid_is_no_fall() -> None:
    """Who it is says the start: the one before is dead, all that the other counted is new."""
    groups = Groups(64)
    look(groups, process(1, ticks=(100, 0), started=1000))
    again = process(1, ticks=(7, 0), started=2000, born=True)

    assert {"user": 1.07, "system": 0} == told(groups, metrics.CPU, "mode", again)


def test_threads_that_end_are_no_fall() -> None:
    """A thread takes its counters along; a new one counts in full."""
    groups = Groups(64)
    look(groups, process(1, switches={"1": (10, 0), "2": (500, 0)}))
    found = told(groups, metrics.SWITCHES, "type", process(1, switches={"1": (11, 0), "3": (4, 0)}))

    assert {"voluntary": 515, "involuntary": 0} == found


def test_threads_of_a_new_process_count_in_full() -> None:
    """All that they have counted has come since the last look."""
    groups = Groups(64)
    one = process(1, switches={"1": (10, 0)})
    look(groups, one)
    new = process(2, switches={"2": (3, 1), "3": (4, 0)}, born=True)
    old = process(4, switches={"4": (100, 100)})

    expected = {"voluntary": 17, "involuntary": 1}
    assert expected == told(groups, metrics.SWITCHES, "type", one, new, old)


def test_one_that_cannot_be_read_leaves_its_group_without_sums() -> None:
    """A part would be a wrong sum; what it counted meanwhile is there when it can be read."""
    groups = Groups(64)
    two = process(2, ticks=(50, 0))
    look(groups, process(1, ticks=(100, 0)), two, process(3, B))
    outcome = look(groups, replace(process(1), reading=None), two, process(3, B))

    assert {"deploy-a": 2, "b.service": 1} == readings(outcome, metrics.PROCESSES, "workload")
    assert {("b.service", mode): 0 for mode in ("user", "system")} == readings(
        outcome, metrics.CPU, "workload", "mode"
    )
    for metric in (metrics.THREADS, metrics.MEMORY, metrics.OPEN_FILES, metrics.ALLOWED_CPUS):
        assert ["b.service"] == list(readings(outcome, metric, "workload"))

    found = told(groups, metrics.CPU, "mode", process(1, ticks=(130, 0)), two)
    assert {"user": 1.8, "system": 0} == found


def test_too_many_threads_leave_out_what_is_of_threads() -> None:
    """The rest is told; and when they can be looked at again, nothing steps."""
    groups = Groups(64)
    look(groups, process(1, switches={"1": (10, 0)}), process(2, switches={"2": (3, 0)}))
    outcome = look(groups, process(1, switches=None), process(2, switches={"2": (4, 0)}))

    assert {} == readings(outcome, metrics.SWITCHES, "type")
    assert {} == readings(outcome, metrics.ALLOWED_CPUS, "workload")
    assert {"deploy-a": 4001} == readings(outcome, metrics.THREADS, "workload")

    # Thread 9 may have been there all the while: what it had counted is nobody's.
    again = process(1, switches={"1": (12, 0), "9": (700, 0)}), process(2, switches={"2": (4, 0)})
    expected = {"voluntary": 16, "involuntary": 0}
    assert expected == told(groups, metrics.SWITCHES, "type", *again)


def test_files_that_must_not_be_counted_have_no_number() -> None:
    """Not 0, and not the number of the others."""
    outcome = look(Groups(64), process(1, files=None), process(2))

    assert {} == readings(outcome, metrics.OPEN_FILES, "workload")
    assert {"deploy-a": 2} == readings(outcome, metrics.THREADS, "workload")


def test_groups_are_bounded_and_stay() -> None:
    """Those above the bound are one group; a place that becomes free is the next one's."""
    groups = Groups(2)
    some = [process(pid, Group("", "", "", f"w{pid}", "c")) for pid in range(1, 5)]
    first = look(groups, *some)
    assert {"w1": 1, "w2": 1, "other": 2} == readings(first, metrics.PROCESSES, "workload")
    assert 2 == next(one.value for one in first.samples if one.series.metric is metrics.OTHERS)

    other = told(groups, metrics.PROCESSES, "workload", *reversed(some))
    assert {"w1": 1, "w2": 1, "other": 2} == other
    freed = told(groups, metrics.PROCESSES, "workload", *some[1:])
    assert {"w2": 1, "w3": 1, "other": 1} == freed


def test_other_is_other_in_every_label() -> None:
    """So that no sum by any label mixes it with something that has a name."""
    outcome = look(Groups(0), process(1), process(2, B))

    assert {OTHER: 2} == readings(outcome, metrics.PROCESSES, *metrics.GROUP)


def test_users_of_gpus_are_told_by_pid() -> None:
    """As many as there may be groups; then one that says there are more."""
    outcome = look(Groups(2), *(process(pid, gpu=pid > 1) for pid in range(1, 5)))

    expected = {("2", "pod-a"): 1, ("3", "pod-a"): 1, ("other", "other"): 1}
    assert expected == readings(outcome, metrics.USES_GPU, "pid", "pod")


def test_memory_by_node_is_told_when_all_have_told() -> None:
    """With the time of the oldest reading among them."""
    one = replace(process(1), placement=Placement(1000.0, {"0": 4096.0, "10": 8192.0}))
    two = replace(process(2), placement=Placement(1300.0, {"0": 4096.0, "2": 1.0}))
    outcome = look(Groups(64), one, two)

    expected = {"0": 8192, "2": 1, "10": 8192}
    assert expected == readings(outcome, metrics.NUMA_MEMORY, "numa_node")
    assert {"deploy-a": 1000} == readings(outcome, metrics.NUMA_TIME, "workload")

    partly = look(Groups(64), one, two, process(3))
    assert {} == readings(partly, metrics.NUMA_MEMORY, "numa_node")
    unsure = look(Groups(64), one, replace(two, reading=None))
    assert {} == readings(unsure, metrics.NUMA_MEMORY, "numa_node")


def test_a_list_that_is_too_long_is_other() -> None:
    """A label is bounded; the number of CPUs is still told."""
    outcome = look(Groups(64), process(1, allowed=(set(range(0, 200, 2)), {0})))

    assert {"other": 1} == readings(outcome, metrics.ALLOWED, "cpus")
    assert {"deploy-a": 100} == readings(outcome, metrics.ALLOWED_CPUS, "workload")
