"""An agent that may see little, as in a container without mounts: what it says, and the rest."""

import json
import subprocess
from typing import Any

import pytest

from tests.support.agent import COMMAND, clean_environment

Rows = dict[str, dict[str, Any]]
# What needs neither another's processes nor a mount beyond /proc and /sys.
ALWAYS = ("cpu", "memory", "vmstat", "interrupts", "softirqs", "disk", "timex")
NOBODY = "setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all"


def check(prepare: str) -> Rows:
    """Run the check in namespaces of its own, after a command there; return rows by collector."""
    spaces = ("--pid", "--fork", "--mount", "--mount-proc", "--net", "--ipc", "--cgroup")
    done = subprocess.run(
        ["unshare", *spaces, "sh", "-c", f'{prepare} && echo ready && exec "$@"', "sh", *COMMAND,
         "check", "--json"],
        env=clean_environment(), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    ready, _, report = done.stdout.partition("\n")
    if ready != "ready":
        pytest.skip(f"namespaces cannot be made here: {done.stderr.strip()}")
    assert "" == done.stderr
    rows = json.loads(report)["sources"]
    assert [] == [row for row in rows if row["verdict"] != "ok" and not row["fix"]]
    return {row["collector"]: row for row in rows if row["kind"] == "collector"}


@pytest.fixture(scope="module")
def alone() -> Rows:
    """Give the verdicts for nobody, who sees no process of the node and has its own network."""
    return check(f'set -- {NOBODY} "$@"')


@pytest.mark.parametrize("collector", ALWAYS)
def test_what_needs_no_right_is_there(alone: Rows, collector: str) -> None:
    """The rest works as ever."""
    assert "ok" == alone[collector]["verdict"], alone[collector]["reason"]


def test_processes_of_the_node_want_its_pid_namespace(alone: Rows) -> None:
    """None is to be seen, which is said with what to do about it."""
    assert alone["processes"]["verdict"] in {"absent", "denied"}
    assert "hostPID" in alone["processes"]["fix"]


def test_counters_of_another_network_are_not_taken_for_the_nodes(alone: Rows) -> None:
    """/proc shows this network namespace, /sys the node's: nothing is told, and why."""
    assert "absent" == alone["network_counters"]["verdict"]
    assert "hostNetwork" in alone["network_counters"]["fix"]


def test_containers_want_the_nodes_cgroups() -> None:
    """Without them the collector says what to mount; its neighbours are read."""
    rows = check("mount -t tmpfs none /sys/fs/cgroup")

    assert "absent" == rows["containers"]["verdict"]
    assert "/sys/fs/cgroup" in rows["containers"]["fix"]
    assert "ok" == rows["cpu"]["verdict"]


def test_a_proc_with_processes_only() -> None:
    """The collectors of the node's numbers say what is wrong with the mount; /sys is read."""
    rows = check("mount -t proc -o subset=pid proc /proc")

    for collector in ("cpu", "memory", "vmstat", "interrupts", "disk"):
        assert "absent" == rows[collector]["verdict"]
        assert "subset=pid" in rows[collector]["fix"] + rows[collector]["reason"]
    assert "ok" == rows["cpu_online"]["verdict"]
