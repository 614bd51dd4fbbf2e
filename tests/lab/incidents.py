"""Boots the lab's machine for a round of incidents, and holds what was told of them."""

import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.lab.guest_devices import SLOW_IOPS
from tests.lab.machine import Job, Kernel, run

REPOSITORY = Path(__file__).resolve().parents[2]
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
NODE_MIB = 512
DISK_MIB = 256


@dataclass(frozen=True, slots=True)
class Look:
    """What tailsight served at one moment, and what the kernel said just before and after."""

    served: Mapping[str, float]
    before: Mapping[str, Any]
    after: Mapping[str, Any]

    def all(self, name: str, **labels: str) -> Mapping[str, float]:
        """Return the series of a metric that have these labels."""
        return {
            series: value
            for series, value in self.served.items()
            if series.partition("{")[0] == name
            and labels.items() <= dict(LABEL.findall(series)).items()
        }

    def one(self, name: str, **labels: str) -> float:
        """Return the value of the only such series."""
        found = self.all(name, **labels)
        assert 1 == len(found), f"{name} {labels}: {found}"
        return next(iter(found.values()))

    def said(self, *keys: str, of: Callable[[Any], float] = float) -> tuple[float, float]:
        """Return the least and the most that the kernel said, under keys, out of what is there."""
        said: list[Any] = [self.before, self.after]
        for key in keys:
            said = [one[key] for one in said]
        values = [of(one) for one in said]
        return min(values), max(values)


@dataclass(frozen=True, slots=True)
class Incidents:
    """What happened."""

    quiet: Look
    """Before anything did."""
    moved: Look
    """After pages were moved to another node, by hand."""
    end: Look
    """After all the rest."""
    seen: Mapping[str, Any]
    """By those who were in it."""


def disks(folder: Path) -> list[str]:
    """Make disks to read, to swap to and to wait for; return QEMU's arguments."""
    words = []
    for name, more in (("data", ""), ("swap", ""), ("slow", f",throttling.iops-total={SLOW_IOPS}")):
        path = folder / name
        with path.open("wb") as file:
            file.truncate(DISK_MIB << 20)
        words += ["-drive", f"file={path},format=raw,if=virtio,cache=unsafe{more}"]
    return words


def nodes() -> list[str]:
    """Return QEMU's arguments for two NUMA nodes, each with a CPU and memory."""
    words = []
    for number in range(2):
        memory = f"memory-backend-ram,id=memory{number},size={NODE_MIB}M"
        words += ["-object", memory]
        words += ["-numa", f"node,nodeid={number},cpus={number},memdev=memory{number}"]
    return words


def boot(kernel: Kernel, folder: Path) -> Incidents:
    """Let it all happen, in a kernel with control groups of version 2 alone."""
    job = Job(
        (
            "/bin/sh",
            "-c",
            'cd "$0" && exec "$1" -m tests.lab.guest_incidents "$1"',
            str(REPOSITORY),
            sys.executable,
        ),
        modules=("virtio_blk", "e1000e"),
        cmdline=("cgroup_no_v1=all", "psi=1"),
        memory_mib=2 * NODE_MIB,
        devices=(*disks(folder), *nodes(), "-device", "e1000e"),
    )
    report = run(kernel, job, folder, timeout_seconds=170)
    assert 0 == report.exit, report.console
    *looks, seen = map(json.loads, report.lines)
    quiet, moved, end = (Look(one["served"], one["before"], one["after"]) for one in looks)
    return Incidents(quiet, moved, end, seen)
