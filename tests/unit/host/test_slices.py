"""Slices of systemd that somebody made for a purpose, such as inference.slice."""

import pytest

from exporters.core.replay import ReplayRoot
from exporters.host import HostOptions, containers
from exporters.host.cgroup_path import Kind, parse_cgroup_path
from exporters.host.cgroup_tree import Role, role_of
from exporters.host.identity import Identities
from tests.support.boards import board_root
from tests.support.collect import run, values

WORKLOAD = 'namespace="",pod="",container="",workload="inference"'


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("/inference.slice", "inference.slice"),
        ("/inference.slice/left-over", "inference.slice"),
        ("/inference.slice/triton.service", "triton.service"),
        ("/system.slice", ""),
        ("/user.slice", ""),
        ("/kubepods.slice", ""),
        ("/kubelet.slice", ""),
        ("/system.slice/system-getty.slice", ""),
    ],
)
def test_whose_a_path_is(path: str, unit: str) -> None:
    """What runs below a slice of one's own is its, unless a service of its own has it."""
    found = parse_cgroup_path(path)

    assert (unit, Kind.UNIT if unit else Kind.OTHER) == (found.unit, found.kind)


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("inference.slice", Role.SLICE),
        ("inference.slice/left-over", None),
        ("inference.slice/triton.service", Role.SERVICE),
        ("system.slice", None),
        ("kubepods.slice", None),
    ],
)
def test_what_counts_is_the_slice_itself(path: str, role: Role | None) -> None:
    """Not what it holds, and not the slices that every node has."""
    assert role == role_of(path)


def test_the_slice_of_a_recorded_node_is_told() -> None:
    """818.273645 s in user mode, 817 of 53122 periods throttled, one process killed: the files."""
    root = ReplayRoot(str(board_root("nuc13-i915")))
    found = values(run(containers.collector(HostOptions(), Identities(None)), root))

    def told(name: str, more: str = "") -> object:
        return found[f"tailsight_container_{name}{{{WORKLOAD}{more}}}"]

    assert 818.273645 == told("cpu_seconds_total", ',mode="user"')
    assert 53122 == told("cpu_periods_total")
    assert 817 == told("cpu_throttled_periods_total")
    assert 1 == told("memory_events_total", ',event="oom_kill"')
    assert f"tailsight_container_memory_limit_bytes{{{WORKLOAD}}}" not in found
