"""Size and age of the machine at the head of ``tailsight check``, and where none is seen."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.agent import COMMAND, clean_environment, tailsight
from tests.support.boards import ROOTS

FACTS = ("cpus", "memory", "up_since")


def facts(*flags: str) -> dict[str, str]:
    """Return what the report says of the node."""
    found: dict[str, str] = json.loads(tailsight("check", "--json", *flags).stdout)["node"]
    return found


def test_this_machine() -> None:
    """The kernel's MemTotal in GiB, by hand from /proc/meminfo; all facts are there."""
    kibi = int(Path("/proc/meminfo").read_text(encoding="ascii").split()[1])
    found = facts()

    assert f"{kibi / 1024 / 1024:.1f} GiB" == found["memory"]
    assert all(found[name] for name in FACTS)


def test_a_recording_has_none_of_it() -> None:
    """Nothing of the live machine is shown of another one."""
    assert set() == set(FACTS) & facts(f"--root={ROOTS / 'nuc13-i915'}").keys()


def test_a_proc_with_processes_only() -> None:
    """There is no /proc/meminfo and no /proc/stat: that is empty, and the rest is told."""
    mount = 'mount -t proc -o subset=pid proc /proc && echo ready && exec "$@"'
    done = subprocess.run(
        ["unshare", "--mount", "--pid", "--fork", "sh", "-c", mount, "sh", *COMMAND, "check",
         "--json"],
        env=clean_environment(), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    ready, _, report = done.stdout.partition("\n")
    if ready != "ready":
        pytest.skip(f"namespaces cannot be made here: {done.stderr.strip()}")
    found = json.loads(report)["node"]

    assert ("", "") == (found["memory"], found["up_since"])
    assert found["cpus"]
    assert "" == done.stderr
