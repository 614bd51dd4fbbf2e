"""One process at one scrape."""

from pathlib import Path

import pytest

from exporters.core import Root
from exporters.host.process_faults import Faults
from exporters.host.process_reading import Allowance, Kept, Reading, Threads, read_process
from tests.support.process_tree import Proc, status_text


def read(tree: Path, pid: str = "5", allowance: Allowance | None = None) -> Reading:
    """Return what a process is, when none of its files fails."""
    faults = Faults()
    root = Root(str(tree))
    reading = read_process(root, pid, 1000, allowance or Allowance(), faults).reading
    assert not faults
    return reading


def test_threads_are_counted_each_for_itself(tmp_path: Path) -> None:
    """The status of the process is its first thread's alone."""
    proc = Proc(tmp_path)
    proc.put(5, files=["/a", "/b"], switches=[(10, 1), (20, 2), (30, 3)])
    proc.write("proc/5/task/7/status", status_text(allowed=("8", "1"), switches=(31, 4)))
    reading = read(tmp_path)

    switches = {"5": (10, 1), "6": (20, 2), "7": (31, 4)}
    assert Threads(switches, frozenset({0, 1, 2, 3, 8}), frozenset({0, 1})) == reading.threads
    assert (1408 * 1024, 2) == (reading.memory, reading.files)


def test_a_thread_that_ends_meanwhile_is_left_out(tmp_path: Path) -> None:
    """The others are told."""
    proc = Proc(tmp_path)
    proc.put(5, switches=[(10, 1), (20, 2)])
    (tmp_path / "proc/5/task/6/status").unlink()
    threads = read(tmp_path).threads

    assert threads is not None
    assert {"5": (10, 1)} == threads.switches


def test_all_processes_share_the_threads_of_a_scrape(tmp_path: Path) -> None:
    """Two and one of four; then two are too many."""
    proc = Proc(tmp_path)
    for pid, threads in ((5, 2), (15, 1), (25, 2)):
        proc.put(pid, switches=[(1, 1)] * threads)
    allowance, faults = Allowance(4), Faults()
    told = [
        read_process(Root(str(tmp_path)), pid, 1000, allowance, faults).reading.threads is not None
        for pid in ("5", "15", "25")
    ]

    assert [True, True, False] == told
    assert ["proc/[pid]/task"] == [failure.where for failure in faults.failures()]


def test_a_list_that_is_none_is_refused(tmp_path: Path) -> None:
    """As any text that the kernel does not write."""
    Proc(tmp_path).put(5, allowed=("many", "0"))

    with pytest.raises(ValueError, match="many"):
        read(tmp_path)


def test_one_that_says_the_same_is_the_same(tmp_path: Path) -> None:
    """A process that sleeps is not parsed anew; what changes of it is seen, file by file."""
    proc = Proc(tmp_path)
    proc.put(5)
    root, faults = Root(str(tmp_path)), Faults()

    def again(before: Kept | None) -> Kept:
        return read_process(root, "5", 1000, Allowance(), faults, before)

    first = again(None)
    assert again(first) is first
    proc.put(5, switches=[(9, 2)])
    assert first.reading.threads
    second = again(first)
    assert second.reading.threads
    assert {"5": (9, 2)} == second.reading.threads.switches
    proc.put(5, switches=[(9, 2)], ticks=(7, 8))
    third = again(second)
    assert (7, 8) == (third.reading.stat.user, third.reading.stat.system)


def test_a_successor_with_the_same_status_is_another(tmp_path: Path) -> None:
    """Whoever has the pid since, with another start, is not taken for the one before."""
    proc = Proc(tmp_path)
    proc.put(5)
    root, faults = Root(str(tmp_path)), Faults()
    first = read_process(root, "5", 1000, Allowance(), faults)
    proc.put(5, started=2000)

    with pytest.raises(ProcessLookupError):
        read_process(root, "5", 1000, Allowance(), faults, first)
    assert 2000 == read_process(root, "5", 2000, Allowance(), faults, first).reading.stat.started
