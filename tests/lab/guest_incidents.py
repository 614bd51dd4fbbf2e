"""
Runs in the lab's machine: one incident after the other, with tailsight looking on.

Each line on standard output is a JSON object: what an incident did as those saw it who were in
it, and what tailsight served, between two looks at the kernel's own files.
Usage: python -m tests.lab.guest_incidents PYTHON
"""

import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.lab.guest import agent, scrape, tell
from tests.lab.guest_cgroups import reach_limit, run_out, run_short_of_cpu, swap_out
from tests.lab.guest_devices import disk_stat, phc_ahead, read_slowly, set_phc, tell_tai
from tests.lab.guest_groups import IDS, end_groups, make_groups, name_containers, pids, raw, start
from tests.lab.guest_numa import (
    BALANCING,
    balance,
    counters,
    move,
    node_counters,
    quicken,
    resident,
)

OPTIONS = (
    "--processes.cgroup", IDS["numa"],
    "--processes.numa-maps",
    "--processes.numa-maps-interval", "1s",
    "--scrape.timeout", "30s",
)  # fmt: skip
SETTLE_SECONDS = 2.5
"""The kernel sums up the statistics of groups every two seconds (mm/memcontrol.c, FLUSH_TIME)."""
BALANCE_SECONDS = 20.0


def files() -> Mapping[str, Any]:
    """Return what the kernel says."""
    return {
        "time": time.time(),
        "groups": raw(),
        "vmstat": counters(),
        "nodes": node_counters(),
        "resident": resident(pids("numa")),
        "balancing": int(BALANCING.read_text()),
        "pressure": Path("/proc/pressure/memory").read_text(),
        "disk": disk_stat(),
        "phc": phc_ahead(),
    }


def look(step: str) -> None:
    """Tell what tailsight serves now."""
    time.sleep(SETTLE_SECONDS)
    before = files()
    served = scrape()
    tell(step=step, served=served, before=before, after=files())


def main(python: str) -> None:
    """Go through it all."""
    make_groups()
    name_containers()
    for command in ("mkswap", "swapon"):
        subprocess.run(["busybox", command, "/dev/vdb"], check=True, stdout=sys.stderr)
    set_phc()
    with agent(python, *OPTIONS):
        look("quiet")
        BALANCING.write_text("0")
        moved = start("numa", move).seen
        look("moved")
        quicken()
        balanced = start("numa", lambda: balance(BALANCE_SECONDS)).seen
        reach_limit()
        swap_out()
        killed = run_out()
        throttled = run_short_of_cpu()
        disk_seconds = read_slowly()
        tell_tai()
        set_phc()
        look("end")
        tell(
            step="seen",
            moved=moved,
            balanced=balanced,
            killed=killed,
            throttled=throttled,
            disk_seconds=disk_seconds,
        )
    end_groups()


if __name__ == "__main__":
    main(*sys.argv[1:])
