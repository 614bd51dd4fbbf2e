"""Pages that really move between two NUMA nodes."""

import pytest

from tests.lab.guest_numa import BALANCED_PAGES, MOVED_PAGES
from tests.lab.incidents import Incidents, Look

pytestmark = pytest.mark.lab

COUNTERS = (
    "pgmigrate_success", "pgmigrate_fail", "numa_pages_migrated", "numa_hint_faults",
    "numa_hint_faults_local", "numa_pte_updates", "pswpin", "pswpout", "oom_kill",
)  # fmt: skip
PAGE_BYTES = 4096
STARTED_WITH_BYTES = 2**20
"""What a process needs to start is less."""


def grown(before: Look, after: Look, key: str) -> float:
    """Return what a counter of /proc/vmstat has grown by, as tailsight serves it."""
    name = f"tailsight_vmstat_{key}_total"
    return after.one(name) - before.one(name)


def test_moved_by_hand(incidents: Incidents) -> None:
    """
    move_pages(2) moved so many pages: they are migrated, besides what balancing moves.

    Compaction and balancing may migrate a few besides; test_vmstat compares the counts themselves.
    """
    quiet, moved = incidents.quiet, incidents.moved
    assert {"1": MOVED_PAGES} == incidents.seen["moved"]["pages"]
    balanced = grown(quiet, moved, "numa_pages_migrated")
    by_hand = grown(quiet, moved, "pgmigrate_success") - balanced
    assert MOVED_PAGES <= by_hand < 1.5 * MOVED_PAGES


def test_moved_by_balancing(incidents: Incidents) -> None:
    """Each page that came after its user was faulted on, migrated, and counted as balanced."""
    moved, end = incidents.moved, incidents.end
    came = incidents.seen["balanced"]["pages"]["1"]
    assert 0.9 * BALANCED_PAGES <= came
    assert came <= grown(moved, end, "numa_pages_migrated")
    assert came <= grown(moved, end, "numa_hint_faults")
    assert grown(moved, end, "numa_pages_migrated") <= grown(moved, end, "pgmigrate_success")


@pytest.mark.parametrize("key", COUNTERS)
def test_vmstat(incidents: Incidents, key: str) -> None:
    """What is served is what the kernel said, at each look."""
    for look in (incidents.quiet, incidents.moved, incidents.end):
        low, high = look.said("vmstat", key)
        assert low <= look.one(f"tailsight_vmstat_{key}_total") <= high


@pytest.mark.parametrize("node", ["0", "1"])
@pytest.mark.parametrize("key", ["numa_hit", "numa_miss", "numa_foreign", "local_node"])
def test_numastat(incidents: Incidents, node: str, key: str) -> None:
    """The counters of a node are its own."""
    name = f"tailsight_{key if key.startswith('numa_') else 'numa_' + key}_total"
    value = incidents.end.one(name, numa_node=node)
    low, high = incidents.end.said("nodes", f"node{node}", key)
    assert low <= value <= high


def test_balancing_setting(incidents: Incidents) -> None:
    """On as it was booted, off once it was switched off."""
    for look, setting in ((incidents.quiet, 1), (incidents.end, 0)):
        assert setting == look.before["balancing"]
        look.one("tailsight_numa_balancing_info", setting=str(setting))


@pytest.mark.parametrize("node", ["0", "1"])
def test_resident_by_node(incidents: Incidents, node: str) -> None:
    """
    Of the processes of the group chosen by its cgroup, as numa_maps says.

    The agent read it at a scrape before; each process may have let go some of what it started with.
    """
    value = incidents.end.one("tailsight_process_numa_memory_bytes", numa_node=node)
    low, high = incidents.end.said("resident", node)
    assert low - STARTED_WITH_BYTES <= value <= high + STARTED_WITH_BYTES


def test_moved_pages_are_resident_there(incidents: Incidents) -> None:
    """Node 1 holds at least the pages of which the kernel told their owners so, one by one."""
    pages = MOVED_PAGES + incidents.seen["balanced"]["pages"]["1"]
    value = incidents.end.one("tailsight_process_numa_memory_bytes", numa_node="1")
    assert pages * PAGE_BYTES <= value


def test_processes_of_the_group(incidents: Incidents) -> None:
    """Two live in the chosen cgroup, each bound to another CPU; before they came, there is none."""
    assert 2 == incidents.end.one("tailsight_processes")
    assert 2 == incidents.end.one("tailsight_process_allowed_cpus")
    assert {} == incidents.quiet.all("tailsight_processes")
