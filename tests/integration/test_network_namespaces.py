"""A container's network namespace, made for real: the node's counters are found, or none told."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.netns import joined

REPOSITORY = Path(__file__).resolve().parents[2]
# Asks for the collector in the namespaces that it is run in.
LOOK = """
import json
from exporters.core import Root
from exporters.host import network_counters
from tests.support.collect import run
outcome = run(network_counters.collector(), Root())
devices = sorted({sample.series.values[0] for sample in outcome.samples})
print(json.dumps([outcome.status, outcome.reason, devices]))
"""
ASK = (sys.executable, "-c", LOOK)
HARDWARE = [path.parent.name for path in Path("/sys/class/net").glob("*/device")]

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not HARDWARE, reason="needs root, and a network interface"
)


def unshared(*kinds: str, before: str = "true") -> list[object]:
    """Return what the collector says in new namespaces, once a command was run there."""
    asked = subprocess.run(
        ["unshare", *kinds, "sh", "-c", f'{before} && exec "$@"', "sh", *ASK],
        check=True, capture_output=True, text=True, timeout=60, cwd=REPOSITORY,
    )  # fmt: skip
    found: list[object] = json.loads(asked.stdout)
    return found


@pytest.fixture(autouse=True, scope="module")
def _namespaces() -> None:
    """Skip, saying why, where no namespace can be made."""
    with joined():
        pass


def test_with_the_processes_of_the_node() -> None:
    """``hostPID`` and the node's ``/sys``: the first process has the node's interfaces."""
    status, _, devices = unshared("--net")

    assert "ok" == status
    assert set(HARDWARE) <= set(devices)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "before", ["true", f"ip link add {HARDWARE[0]} type veth peer name other" if HARDWARE else ""]
)
def test_with_nothing_but_the_sys_of_the_node(before: str) -> None:
    """No counter is told, even where the container has an interface of the same name."""
    status, reason, devices = unshared(
        "--net", "--pid", "--fork", "--mount-proc", before=f"ip link set lo up && {before}"
    )

    assert ("absent", []) == (status, devices)
    assert "another network namespace" in str(reason)


def test_with_a_sys_of_its_own() -> None:
    """The namespace has no hardware: that is absent, not an error."""
    status, reason, devices = unshared("--net", "--mount", before="mount -t sysfs none /sys")

    assert ("absent", []) == (status, devices)
    assert "no interface that is hardware" in str(reason)
