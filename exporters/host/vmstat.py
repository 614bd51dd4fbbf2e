"""
What the kernel's memory management has done since boot, from ``/proc/vmstat``.

Names are the kernel's. The ``numa`` ones exist only where it can balance memory between NUMA
nodes (CONFIG_NUMA_BALANCING). What it counts for each zone has the label ``zone``; some of that
has no zones in some kernels, and the label is then empty (mm/vmstat.c).
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from exporters.core import Collector, Kind, Metric, Sample, Unit
from exporters.hardware.numbers import whole
from exporters.host.files import file, sensor_of

VMSTAT = "proc/vmstat"

COUNTERS: Mapping[str, str] = MappingProxyType(
    {
        "numa_pages_migrated": "Pages that NUMA balancing moved to another node.",
        "numa_hint_faults": "Faults by which NUMA balancing learns who uses a page.",
        "numa_hint_faults_local": "NUMA hinting faults on pages of the CPU's own node.",
        "numa_pte_updates": "Page table entries marked to cause NUMA hinting faults.",
        "numa_huge_pte_updates": "Huge page table entries marked to cause NUMA hinting faults.",
        "pgmigrate_success": "Pages moved in memory, between nodes or to make room in one piece.",
        "pgmigrate_fail": "Pages that could not be moved.",
        "pgpromote_success": "Pages promoted to a faster memory tier.",
        "pgpromote_candidate": "Pages considered for promotion to a faster memory tier.",
        "pgdemote_kswapd": "Pages that kswapd demoted to a slower memory tier.",
        "pgdemote_direct": "Pages that an allocation demoted to a slower memory tier.",
        "thp_migration_success": "Transparent huge pages moved in one piece.",
        "thp_migration_fail": "Transparent huge pages that could not be moved.",
        "thp_migration_split": "Transparent huge pages split to be moved.",
        "thp_fault_alloc": "Transparent huge pages allocated at a page fault.",
        "thp_fault_fallback": "Page faults that got small pages in the place of a huge one.",
        "thp_collapse_alloc": "Transparent huge pages allocated to join small ones.",
        "thp_split_page": "Transparent huge pages split into small ones.",
        "pswpin": "Pages read from swap.",
        "pswpout": "Pages written to swap.",
        "pgpgin": "KiB read from block devices.",
        "pgpgout": "KiB written to block devices.",
        "pgfault": "Page faults, minor and major.",
        "pgmajfault": "Page faults that had to read from a device.",
        "pgscan_kswapd": "Pages that kswapd looked at to reclaim memory.",
        "pgsteal_kswapd": "Pages that kswapd reclaimed.",
        "pgscan_direct_throttle": "Allocations that were held back until kswapd made progress.",
        "workingset_refault": "Pages of files read again soon after they were reclaimed.",
        "workingset_refault_anon": "Anonymous pages read again soon after they were reclaimed.",
        "workingset_refault_file": "Pages of files read again soon after they were reclaimed.",
        "compact_stall": "Allocations that waited while memory was compacted.",
        "compact_success": "Compactions that an allocation waited for and that made room.",
        "compact_fail": "Compactions that an allocation waited for in vain.",
        "oom_kill": "Processes killed as memory was out, of the node or of a control group.",
        "drop_pagecache": "Times that the page cache was dropped by hand.",
    }
)
"""Help by key."""
ZONED: Mapping[str, str] = MappingProxyType(
    {
        "allocstall": "Allocations that had to reclaim memory themselves.",
        "pgscan_direct": "Pages that allocations looked at to reclaim memory.",
        "pgsteal_direct": "Pages that allocations reclaimed.",
    }
)
"""Help by key, to which some kernels append a zone."""
ZONES = ("dma", "dma32", "normal", "highmem", "movable", "device")

PLAIN_METRICS = {
    key: Metric(f"vmstat_{key}", Kind.COUNTER, Unit.NONE, sentence)
    for key, sentence in COUNTERS.items()
}
ZONED_METRICS = {
    key: Metric(f"vmstat_{key}", Kind.COUNTER, Unit.NONE, sentence, ("zone",))
    for key, sentence in ZONED.items()
}

_SERIES = {
    **{key: metric.series() for key, metric in PLAIN_METRICS.items()},
    **{key: metric.series(zone="") for key, metric in ZONED_METRICS.items()},
    **{
        f"{key}_{zone}": metric.series(zone=zone)
        for key, metric in ZONED_METRICS.items()
        for zone in ZONES
    },
}
_count = whole()


def parse_vmstat(text: str) -> dict[str, float]:
    """
    Return the counters that are there, by the kernel's keys.

    Raises:
        ValueError: there is none, or one is not what the kernel prints.
    """
    found = {}
    for line in text.split("\n"):
        key, _, number = line.partition(" ")
        if key in _SERIES:
            found[key] = _count(number)
    if not found:
        msg = f"no counter of vmstat in {text[:80]!r}"
        raise ValueError(msg)
    return found


def samples(text: str) -> Iterator[Sample]:
    """
    Turn ``/proc/vmstat`` into samples.

    Raises:
        ValueError: as ``parse_vmstat``.
    """
    for key, value in parse_vmstat(text).items():
        yield Sample(_SERIES[key], value)


COLLECTOR = Collector(
    "vmstat",
    (*PLAIN_METRICS.values(), *ZONED_METRICS.values()),
    sensor_of(file(VMSTAT, samples)),
    source=f"/{VMSTAT}",
    advice=(
        "mount /proc, without subset=pid; counters of NUMA balancing need "
        "CONFIG_NUMA_BALANCING, those of huge pages CONFIG_TRANSPARENT_HUGEPAGE"
    ),
)
