"""
Scrapes tailsight as hard as it goes while a fifth of its sensors fail and one hangs.

Usage: python -m tests.bench.soak [--seconds N] [--connections N]
Needs FUSE and wrk. Prints what was seen and a verdict; exit status 1 if something leaks or fails.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.bench.subject import Subject, start
from tests.support.boards import board_root
from tests.support.faults import Faults, Flaky
from tests.support.mount import mounted_tree
from tests.support.programs import program

BOARD = "node-exporter"
HANGS = "sys/devices/platform/coretemp.1/hwmon/hwmon1/temp1_input"
FLAKY = Flaky(("*_input", "*/temp", "*/scaling_cur_freq", "*/energy_uj", "*_count"), 0.2)
# Before this nothing is compared: caches fill, the hanging sensor is found out.
WARM_UP_SECONDS = 5.0
GROWTH_MIB = 2.0
"""What anonymous memory may grow by; ten minutes of a leak of 10 bytes per read are more."""


@dataclass(frozen=True, slots=True)
class State:
    """What a process holds at one moment."""

    threads: int
    descriptors: int
    anonymous_mib: float


@dataclass(frozen=True, slots=True)
class Load:
    """What wrk saw."""

    requests: int
    bad_status: int
    """Answers other than 2xx and 3xx."""
    socket_errors: int


@dataclass(frozen=True, slots=True)
class Soak:
    """What happened."""

    load: Load
    before: State
    after: State
    body: str
    """The last scrape, after the load."""

    def complaints(self) -> Iterator[str]:
        """Yield what is not as it must be."""
        if self.load.bad_status or self.load.socket_errors:
            yield f"{self.load.bad_status} bad answers, {self.load.socket_errors} socket errors"
        if not self.load.requests:
            yield "no request was answered"
        for name in ("threads", "descriptors"):
            before, after = getattr(self.before, name), getattr(self.after, name)
            if after > before:
                yield f"{name} leak: {before} before, {after} after"
        grown = self.after.anonymous_mib - self.before.anonymous_mib
        if grown > GROWTH_MIB:
            yield f"memory grew by {grown:.1f} MiB"
        if 'tailsight_collector_status{collector="hwmon",status="timeout"} 1\n' not in self.body:
            yield "the hanging sensor does not show as a timeout of hwmon"
        if 'errno="EIO"' not in self.body:
            yield "failed reads are not counted"
        if "tailsight_hwmon_temperature_celsius{" not in self.body:
            yield "the sensors that work are not served"


def state(subject: Subject) -> State:
    """Look at a process from outside."""
    return State(
        len(os.listdir(f"/proc/{subject.pid}/task")),
        len(os.listdir(f"/proc/{subject.pid}/fd")),
        subject.memory().anonymous,
    )


def settled(subject: Subject) -> State:
    """Look at it once the connections of the load have ended."""
    time.sleep(2.0)
    subject.scrape()
    time.sleep(1.0)
    return state(subject)


def load(subject: Subject, seconds: float, connections: int) -> Load:
    """Have wrk scrape for so long, on so many connections at once."""
    command = [
        str(program("wrk")), "--threads", "1", "--connections", str(connections),
        "--duration", f"{seconds:.0f}s", "--timeout", "15s", "--header", "Accept-Encoding: gzip",
        f"http://127.0.0.1:{subject.port}/metrics",
    ]  # fmt: skip
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    errors = re.findall(r"(?:connect|read|write|timeout) (\d+)", said)
    return Load(
        _number(r"(\d+) requests in", said),
        _number(r"Non-2xx or 3xx responses: (\d+)", said),
        sum(map(int, errors)),
    )


def _number(pattern: str, text: str) -> int:
    match = re.search(pattern, text)
    return int(match[1]) if match else 0


def soak(folder: Path, seconds: float, connections: int) -> Soak:
    """
    Mount a faulty board, serve it, scrape it for so long, and return what happened.

    The board goes before the program that reads it: one whose read hangs in FUSE cannot even be
    killed until the file system is gone.
    """
    faults = Faults(hangs=frozenset({HANGS}), flaky=FLAKY)
    with ExitStack() as last, mounted_tree(board_root(BOARD), folder, faults) as root:
        command = [sys.executable, "-m", "exporters", "serve", "--root", str(root)]
        options = ["--scrape.timeout", "1s", "--log.level", "error", "--listen"]
        subject = start("tailsight", [*command, *options], last)
        load(subject, WARM_UP_SECONDS, connections)
        before = settled(subject)
        seen = load(subject, seconds, connections)
        return Soak(seen, before, settled(subject), subject.scrape().decode())


def main() -> int:
    """Soak and judge."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.soak")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--connections", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tailsight-soak-") as folder:
        found = soak(Path(folder) / BOARD, options.seconds, options.connections)
    complaints = list(found.complaints())
    lines = [f"{found.load}", f"before {found.before}", f"after  {found.after}"]
    lines += complaints or [f"ok: {found.load.requests:,} scrapes in {options.seconds:.0f} s"]
    sys.stdout.write("\n".join(lines) + "\n")
    return int(bool(complaints))


if __name__ == "__main__":
    sys.exit(main())
