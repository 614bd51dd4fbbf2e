"""x86 throttling: each core and each package once, however many threads show it."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from exporters.core import NoData, Root
from exporters.core.replay import ReplayRoot
from exporters.hardware import cpu_throttle, throttle
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
CPU = "sys/devices/system/cpu"


def thread(cpu: int, package: str, core: str, **files: str) -> dict[str, str | bytes]:
    """Return the files of a thread; ``core_throttle_count`` and the like by name."""
    folder = f"{CPU}/cpu{cpu}"
    ids = {"physical_package_id": package, "core_id": core}
    return {
        **{f"{folder}/topology/{name}": f"{text}\n" for name, text in ids.items()},
        **{f"{folder}/thermal_throttle/{name}": f"{text}\n" for name, text in files.items()},
    }


def test_two_packages_of_two_cores() -> None:
    """The counts that the files of node_exporter's tree hold, as its own tests expect them."""
    outcome = run(cpu_throttle.collector(), ReplayRoot(str(board_root("node-exporter"))))

    assert {
        "package0": 30,
        "package0/core0": 5,
        "package0/core1": 0,
        "package1": 6,
        "package1/core0": 0,
        "package1/core1": 9,
    } == readings(outcome, throttle.EVENTS, "device")
    assert {} == readings(outcome, throttle.SECONDS, "device")


def test_threads_of_a_core_count_once() -> None:
    """The NUC's cpu0 and cpu1 are one core, and all 16 show the package's 30 (SOURCES.md)."""
    outcome = run(cpu_throttle.collector(), ReplayRoot(str(board_root("nuc13-i915"))))
    events = readings(outcome, throttle.EVENTS, "device")
    seconds = readings(outcome, throttle.SECONDS, "device")
    longest = readings(outcome, cpu_throttle.LONGEST, "device")

    assert (30, 5) == (events["package0"], events["package0/core0"])
    assert {"package0": 30, "package0/core0": 5} == {key: n for key, n in events.items() if n}
    assert (1.834, 0.412) == (seconds["package0"], seconds["package0/core0"])
    assert (0.211, 0.097) == (longest["package0"], longest["package0/core0"])


def test_labels_are_those_of_all_throttling() -> None:
    """What is slowed, why, and who says so."""
    outcome = run(cpu_throttle.collector(), ReplayRoot(str(board_root("node-exporter"))))

    assert ("cpu", "thermal", "thermal_throttle", "package1/core1") in readings(
        outcome, throttle.EVENTS, "domain", "cause", "source", "device"
    )


def test_a_cpu_without_topology_costs_only_itself(make_tree: MakeTree) -> None:
    """The first CPU is going offline, the second still counts."""
    files = thread(1, "0", "0", core_throttle_count="7", package_throttle_count="9")
    tree = make_tree({**files, f"{CPU}/cpu0/thermal_throttle/core_throttle_count": "7\n"})
    outcome = run(cpu_throttle.collector(), Root(str(tree)))

    assert {"package0": 9, "package0/core0": 7} == readings(outcome, throttle.EVENTS, "device")
    assert [f"{CPU}/cpu0/thermal_throttle"] == failed(outcome)


def test_a_folder_that_cannot_be_listed_costs_only_itself(make_tree: MakeTree) -> None:
    """The first CPU's folder answers EIO: the second, on another core, still counts."""

    class Broken(Root):
        def names(self, folder: str) -> list[str]:
            if folder == f"{CPU}/cpu0/thermal_throttle":
                raise OSError(errno.EIO, "Input/output error")
            return super().names(folder)

    files = thread(0, "0", "0", core_throttle_count="1") | thread(
        1, "0", "1", core_throttle_count="7", package_throttle_count="9"
    )
    outcome = run(cpu_throttle.collector(), Broken(str(make_tree(files))))

    assert {"package0": 9, "package0/core1": 7} == readings(outcome, throttle.EVENTS, "device")
    assert [f"{CPU}/cpu0/thermal_throttle"] == failed(outcome)


def test_offline_cpus_have_no_files(make_tree: MakeTree) -> None:
    """A CPU that is off has neither folder; that is no failure."""
    files = thread(0, "0", "0", core_throttle_count="1", package_throttle_count="1")
    outcome = run(
        cpu_throttle.collector(), Root(str(make_tree({**files, f"{CPU}/cpu1/online": "0\n"})))
    )

    assert ([], 2) == (outcome.failures, len(outcome.samples))


def test_the_next_thread_does_not_set_a_count_back(make_tree: MakeTree) -> None:
    """When cpu0 goes offline, cpu1 tells of their core, and it missed an event: 5 stays 5."""
    counts = {"core_throttle_count": "5", "package_throttle_count": "30"}
    behind = {"core_throttle_count": "4", "package_throttle_count": "30"}
    tree = make_tree({**thread(0, "0", "0", **counts), **thread(1, "0", "0", **behind)})
    collector = cpu_throttle.collector()
    found = []
    for change in ("", "offline", "catches up"):
        if change == "offline":
            (tree / CPU / "cpu0").rename(tree / "gone")
        elif change:
            (tree / CPU / "cpu1/thermal_throttle/core_throttle_count").write_text("6\n")
        events = readings(run(collector, Root(str(tree))), throttle.EVENTS, "device")
        found.append(events["package0/core0"])

    assert [5, 5, 6] == found


def test_one_unreadable_count_costs_only_itself(make_tree: MakeTree, mounted: Mounted) -> None:
    """The core's count fails, the package's stays."""
    tree = make_tree(thread(0, "0", "0", core_throttle_count="5", package_throttle_count="30"))
    path = f"{CPU}/cpu0/thermal_throttle/core_throttle_count"
    outcome = run(cpu_throttle.collector(), Root(str(mounted(tree, Faults({path: errno.EIO})))))

    assert {"package0": 30} == readings(outcome, throttle.EVENTS, "device")
    assert [path] == failed(outcome)


@pytest.mark.parametrize("package", ["-1", "n/a", ""])
def test_a_package_must_be_known(make_tree: MakeTree, package: str) -> None:
    """Without it, threads could not be told apart from cores."""
    outcome = run(
        cpu_throttle.collector(),
        Root(str(make_tree(thread(0, package, "0", core_throttle_count="5")))),
    )

    assert ("error", 0) == (outcome.status, len(outcome.samples))


def test_a_jetson_is_absent() -> None:
    """Only x86 counts so."""
    root = ReplayRoot(str(board_root("jetson-orin-nano-jp6")))
    with pytest.raises(NoData, match="does not count throttling"):
        list(cpu_throttle.collector().discover(root))
