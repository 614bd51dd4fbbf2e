"""Size and age of the machine that the tests run on, as other programs have them."""

import os
import re
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest

from exporters.check.machine import machine


def said(*command: str) -> str:
    """Return what a program prints, in UTC where it prints a time."""
    environment = os.environ | {"TZ": "UTC", "LC_ALL": "C"}
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment
    ).stdout.strip()


def test_cpus_are_those_of_getconf() -> None:
    """The number of CPUs that are online, by the C library."""
    assert said("getconf", "_NPROCESSORS_ONLN") == machine()["cpus"].partition(",")[0]


def test_cpus_that_a_process_may_not_use_are_told() -> None:
    """With one CPU allowed, as taskset does it, that is said beside the number of all."""
    if (online := os.cpu_count()) == 1:
        pytest.skip("wants two CPUs")
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert f"{online}, of which tailsight may use 1" == machine()["cpus"]
    finally:
        os.sched_setaffinity(0, before)


def test_memory_is_that_of_meminfo() -> None:
    """MemTotal is in units of 1,024 bytes: 1,048,576 of them are a gibibyte."""
    found = re.search(r"MemTotal: +(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii"))

    assert found
    assert f"{int(found[1]) / 1048576:.1f} GiB" == machine()["memory"]


def test_up_since_is_now_less_the_uptime() -> None:
    """Within two seconds: the uptime is counted from another moment than the kernel's start."""
    up = float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
    expected = datetime.now(UTC) - timedelta(seconds=up)
    found = datetime.strptime(machine()["up_since"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)

    assert timedelta(seconds=2) > abs(expected - found)


@pytest.mark.parametrize(
    ("function", "error", "fact"),
    [
        ("virtual_memory", FileNotFoundError(2, "No such file or directory"), "memory"),
        ("virtual_memory", KeyError(b"MemTotal:"), "memory"),
        ("boot_time", RuntimeError("line 'btime' not found in /proc/stat"), "up_since"),
    ],
)
def test_what_cannot_be_seen_is_empty(
    function: str, error: Exception, fact: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One fact that fails does not cost the others."""

    def refuse() -> None:
        raise error

    monkeypatch.setattr(psutil, function, refuse)
    found = machine()

    assert [fact] == [name for name, text in found.items() if not text]


def test_a_cpu_count_that_nobody_knows_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of psutil is no 0."""
    monkeypatch.setattr(psutil, "cpu_count", lambda: None)

    assert "" == machine()["cpus"]


def test_without_its_own_process_all_cpus_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty /proc has no process of ours to ask about (psutil says: no such process)."""

    def refuse(*_: object) -> None:
        raise psutil.NoSuchProcess(1)

    monkeypatch.setattr(psutil, "Process", refuse)

    assert said("getconf", "_NPROCESSORS_ONLN") == machine()["cpus"]
