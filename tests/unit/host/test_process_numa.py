"""Reading numa_maps in turn."""

import errno
from pathlib import Path

import pytest

from exporters.core import Failure
from exporters.host.process_counters import Identity
from exporters.host.process_faults import Faults
from exporters.host.process_files import Placement
from exporters.host.process_numa import NumaMaps
from tests.support.clock import ClockRoot
from tests.support.process_tree import Proc

ONE, TWO = Identity("1", 1000), Identity("2", 1000)
LINE = "7f00 default anon={0} dirty={0} N0={0} kernelpagesize_kB=4\n"


class Node(ClockRoot):
    """A node whose clock a test sets, wall time included."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder))
        self.maps = NumaMaps(300.0)
        self.proc = Proc(folder)
        for pid in (1, 2):
            self.proc.put(pid)
            self.proc.write(f"proc/{pid}/numa_maps", LINE.format(pid))
        self.failures: list[Failure] = []

    def now(self) -> float:
        """Return the test's time, as if it had begun at 5000."""
        return 5000.0 + self.seconds

    def look(self, seconds: float, *processes: Identity) -> dict[str, Placement]:
        """Return what is known by pid."""
        self.seconds = seconds
        faults = Faults()
        found = self.maps.look(self, processes, faults)
        self.failures = list(faults.failures())
        return {process.pid: placement for process, placement in found.items()}


def test_one_process_in_one_scrape(tmp_path: Path) -> None:
    """Those that were never read first; then nobody until the time has passed."""
    node = Node(tmp_path)
    one, two = Placement(5000.0, {"0": 4096}), Placement(5015.0, {"0": 8192})

    assert {"1": one} == node.look(0, ONE, TWO)
    assert {"1": one, "2": two} == node.look(15, ONE, TWO)
    node.proc.write("proc/1/numa_maps", LINE.format(7))
    node.proc.write("proc/2/numa_maps", LINE.format(8))
    assert {"1": one, "2": two} == node.look(299, ONE, TWO)
    assert {"1": Placement(5300.0, {"0": 28672}), "2": two} == node.look(300, ONE, TWO)
    assert 32768 == node.look(315, ONE, TWO)["2"].by_node["0"]


def test_what_was_read_of_the_dead_is_forgotten(tmp_path: Path) -> None:
    """Another process with its pid begins without."""
    node = Node(tmp_path)
    node.look(0, ONE)
    assert {} == node.look(1)
    node.look(2, ONE)

    node.proc.write("proc/1/numa_maps", LINE.format(9))
    assert 36864 == node.look(3, Identity("1", 2000))["1"].by_node["0"]


def test_a_reading_that_fails_takes_the_value_away(tmp_path: Path) -> None:
    """No old value stands for one that could not be read; the failure stays as long."""
    node = Node(tmp_path)
    node.look(0, ONE)
    node.proc.write("proc/1/numa_maps", "7f00 default N0=1")

    assert {} == node.look(300, ONE)
    assert ["proc/[pid]/numa_maps"] == [failure.where for failure in node.failures]
    assert {} == node.look(301, ONE)
    assert 1 == len(node.failures)
    node.proc.write("proc/1/numa_maps", LINE.format(1))
    assert ["1"] == list(node.look(600, ONE))
    assert [] == node.failures


def test_a_process_that_ends_meanwhile_is_no_failure(tmp_path: Path) -> None:
    """It is as if it had not been there."""
    node = Node(tmp_path)
    node.proc.end(1)

    assert {} == node.look(0, ONE)
    assert [] == node.failures


def test_a_kernel_without_numa_is_a_failure_with_its_reason(tmp_path: Path) -> None:
    """The file is missing though the process lives."""
    node = Node(tmp_path)
    (tmp_path / "proc/1/numa_maps").unlink()

    assert {} == node.look(0, ONE)
    assert "CONFIG_NUMA" in str(node.failures[0].error)


@pytest.mark.parametrize("more", [0, 5000])
def test_more_than_is_read_is_no_sum(tmp_path: Path, more: int) -> None:
    """A part would be a number that is too small."""
    node = Node(tmp_path)
    line = LINE.format(1)
    node.proc.write("proc/1/numa_maps", line * ((1 << 20) // len(line) + 1 + more))

    assert {} == node.look(0, ONE)
    error = node.failures[0].error
    assert isinstance(error, OSError)
    assert errno.E2BIG == error.errno
