"""Counters of the kernel's memory management."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Kind, Root
from exporters.core.replay import ReplayRoot
from exporters.host import vmstat
from tests.support.boards import board_root
from tests.support.collect import run, values

MakeTree = Callable[[dict[str, str | bytes]], Path]


def test_the_recorded_node() -> None:
    """Migration, swap, faults and OOM kills, as its file has them."""
    found = values(run(vmstat.COLLECTOR, ReplayRoot(str(board_root("node-exporter")))))

    assert 37070309 == found["tailsight_vmstat_pgmigrate_success_total"]
    assert 0 == found["tailsight_vmstat_numa_pages_migrated_total"]
    assert 35045 == found["tailsight_vmstat_pswpout_total"]
    assert 507162 == found["tailsight_vmstat_pgmajfault_total"]
    assert 0 == found["tailsight_vmstat_oom_kill_total"]
    assert 210959 == found["tailsight_vmstat_compact_stall_total"]


def test_zones_are_labels() -> None:
    """The recorded kernel counts direct reclaim by zone, and stalls without."""
    found = values(run(vmstat.COLLECTOR, ReplayRoot(str(board_root("node-exporter")))))

    assert 6796 == found['tailsight_vmstat_pgscan_direct_total{zone="normal"}']
    assert 67 == found['tailsight_vmstat_pgscan_direct_total{zone="dma32"}']
    assert 83165 == found['tailsight_vmstat_allocstall_total{zone=""}']
    # No zone, though it reads like one.
    assert 0 == found["tailsight_vmstat_pgscan_direct_throttle_total"]


def test_a_newer_kernel_has_it_the_other_way_round(make_tree: MakeTree) -> None:
    """Since 4.8 stalls are counted by zone, reclaim no more."""
    text = "allocstall_dma 0\nallocstall_movable 12\npgscan_direct 6863\n"
    found = values(run(vmstat.COLLECTOR, Root(str(make_tree({vmstat.VMSTAT: text})))))

    assert {
        'tailsight_vmstat_allocstall_total{zone="dma"}': 0,
        'tailsight_vmstat_allocstall_total{zone="movable"}': 12,
        'tailsight_vmstat_pgscan_direct_total{zone=""}': 6863,
    } == found


def test_without_numa_balancing_there_is_nothing_of_it(make_tree: MakeTree) -> None:
    """A Jetson's kernel has no such lines: no series, and no zeros."""
    text = "nr_free_pages 977769\npgfault 5\noom_kill 1\n"
    found = values(run(vmstat.COLLECTOR, Root(str(make_tree({vmstat.VMSTAT: text})))))

    assert {"tailsight_vmstat_pgfault_total": 5, "tailsight_vmstat_oom_kill_total": 1} == found


def test_only_counters() -> None:
    """Levels of vmstat, nr_*, are in meminfo in bytes."""
    assert {Kind.COUNTER} == {metric.kind for metric in vmstat.COLLECTOR.metrics}
    assert [] == [key for key in vmstat.COUNTERS if key.startswith("nr_")]


@pytest.mark.parametrize("text", ["", "nr_dirty 5", "pgfault", "pgfault x", "pgfault -1"])
def test_what_is_no_counter(text: str) -> None:
    """A counter without a number, or none at all, is refused."""
    with pytest.raises(ValueError, match=r"not a number|implausible|no counter"):
        vmstat.parse_vmstat(text)


@given(st.text(), st.sampled_from(["", "pgfault ", "oom_kill "]))
def test_any_text(text: str, begin: str) -> None:
    """Whatever the text, a count is not negative, or it is refused."""
    try:
        found = vmstat.parse_vmstat(begin + text)
    except ValueError:
        return
    assert found
    assert all(0 <= value < 2**64 for value in found.values())
