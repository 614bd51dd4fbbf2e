"""On the machine that runs the tests, psutil sees the same disks and interfaces count the same."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from exporters.core import Collector, Metric, Root
from exporters.core.task import Outcome
from exporters.host import disk, network_counters
from exporters.host.disk_stats import FIELDS
from exporters.host.network_counters import METRICS
from tests.support.collect import run
from tests.support.readings import readings

# What psutil calls a metric, and what it has in the place of one of our units.
DISK = {
    "disk_reads_completed": ("read_count", 1), "disk_writes_completed": ("write_count", 1),
    "disk_read": ("read_bytes", 1), "disk_written": ("write_bytes", 1),
    "disk_read_time": ("read_time", 1000), "disk_write_time": ("write_time", 1000),
    "disk_io_time": ("busy_time", 1000), "disk_reads_merged": ("read_merged_count", 1),
    "disk_writes_merged": ("write_merged_count", 1),
}  # fmt: skip
NETWORK = {
    "network_receive": ("bytes_recv", 1), "network_receive_packets": ("packets_recv", 1),
    "network_receive_errors": ("errin", 1), "network_receive_drops": ("dropin", 1),
    "network_transmit": ("bytes_sent", 1), "network_transmit_packets": ("packets_sent", 1),
    "network_transmit_errors": ("errout", 1), "network_transmit_drops": ("dropout", 1),
}  # fmt: skip

Ask = Callable[[], Mapping[str, Any]]


def disks() -> Mapping[str, Any]:
    """Return what psutil says of block devices."""
    return psutil.disk_io_counters(perdisk=True, nowrap=False) or {}


def interfaces() -> Mapping[str, Any]:
    """Return what psutil says of network interfaces."""
    return psutil.net_io_counters(pernic=True, nowrap=False) or {}


def look(collector: Collector) -> Outcome:
    """Return what a collector says; skip the test on a machine that has none of it."""
    outcome = run(collector, Root())
    if outcome.status == "absent":
        pytest.skip(outcome.reason)
    return outcome


@pytest.mark.parametrize(
    ("make", "metrics", "names", "ask"),
    [
        (disk.collector, FIELDS, DISK, disks),
        (network_counters.collector, METRICS, NETWORK, interfaces),
    ],
)
def test_between_two_looks_of_psutil(
    make: Callable[[], Collector],
    metrics: tuple[Metric, ...],
    names: Mapping[str, tuple[str, int]],
    ask: Ask,
) -> None:
    """Every value is at least what psutil saw before, and at most what it saw after."""
    before = ask()
    outcome = look(make())
    after = ask()

    compared = 0
    for metric in metrics:
        if metric.subject not in names:
            continue
        name, per_unit = names[metric.subject]
        for device, value in readings(outcome, metric, "device").items():
            if device in before and device in after:
                assert isinstance(value, int | float)
                low, high = (getattr(one[device], name) for one in (before, after))  # type: ignore[index]
                assert low <= round(value * per_unit) <= high, (metric.name, device)
                compared += 1
    assert compared >= len(names)


def test_disks_are_those_without_a_partition_file() -> None:
    """What lsblk calls a disk: whole, and neither a file nor memory."""
    outcome = look(disk.collector())
    whole = {
        folder.name.replace("!", "/")
        for folder in Path("/sys/class/block").iterdir()
        if not (folder / "partition").exists()
    }

    found = set(readings(outcome, FIELDS[0], "device")) - {"other"}
    assert found <= whole
    assert {"loop0", "ram0", "zram0"}.isdisjoint(found)
