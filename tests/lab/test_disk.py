"""A disk that really takes its time: QEMU holds its requests back."""

import pytest

from tests.lab.guest_devices import SLOW_DISK, SLOW_IOPS, SLOW_READS
from tests.lab.incidents import Incidents

pytestmark = pytest.mark.lab

READS, READ_TIME = 0, 3
"""Fields of /sys/block/<disk>/stat: Documentation/block/stat.rst."""


def test_await(incidents: Incidents) -> None:
    """Time over reads is what each read took, waiting for its turn and all."""
    moved, end = incidents.moved, incidents.end
    reads, seconds = (
        end.one(name, device=SLOW_DISK) - moved.one(name, device=SLOW_DISK)
        for name in (
            "tailsight_disk_reads_completed_total",
            "tailsight_disk_read_time_seconds_total",
        )
    )
    assert SLOW_READS == reads
    took = incidents.seen["disk_seconds"] / SLOW_READS
    assert took == pytest.approx(seconds / reads, rel=0.05)
    assert took > 0.8 / SLOW_IOPS  # the first two or three are a burst


def test_counters(incidents: Incidents) -> None:
    """They are the disk's own, among three."""
    stat = incidents.end.before["disk"]
    for name, value in (
        ("tailsight_disk_reads_completed_total", stat[READS]),
        ("tailsight_disk_read_time_seconds_total", stat[READ_TIME] / 1000),
    ):
        assert value == incidents.end.one(name, device=SLOW_DISK)
