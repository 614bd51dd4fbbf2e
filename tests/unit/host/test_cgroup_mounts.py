"""Which hierarchy of control groups is read for what."""

from pathlib import Path

import pytest

from exporters.core import NoData, Root
from exporters.host.cgroup_mounts import find_hierarchies, is_own_only
from exporters.host.cgroup_parts import Row

TOP = "sys/fs/cgroup"


def tree(tmp_path: Path, *paths: str) -> Root:
    """Return a root with empty files below the mount of cgroups."""
    for path in paths:
        file = tmp_path / TOP / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return Root(str(tmp_path))


def plan(root: Root) -> dict[str, str]:
    """Return from which mount each file is read."""
    found = find_hierarchies(root)
    steps = [*found.limits, *found.rest[Row.OWN]]
    return {file: mount.removeprefix(TOP) for mount, part in steps for file in part.files}


def test_version_2_has_all(tmp_path: Path) -> None:
    """One mount; folders in it that are named as controllers of version 1 are groups."""
    root = tree(tmp_path, "cgroup.controllers", "memory/cgroup.procs")

    assert TOP == find_hierarchies(root).tree
    assert {""} == set(plan(root).values())
    assert {"memory.max", "memory.current", "cpu.stat", "cpu.pressure"} < plan(root).keys()


def test_version_1_has_a_mount_for_each(tmp_path: Path) -> None:
    """Files of the controllers that are mounted, from where they are; no pressure."""
    names = ("memory", "cpu", "cpuacct", "pids")
    root = tree(tmp_path, *(f"{name}/cgroup.procs" for name in names))

    assert f"{TOP}/memory" == find_hierarchies(root).tree
    found = plan(root)
    assert {f"/{name}" for name in names} == set(found.values())
    assert "/cpu" == found["cpu.stat"]
    assert "/cpuacct" == found["cpuacct.stat"]
    assert not [file for file in found if file.endswith(".pressure")]


def test_version_1_without_memory(tmp_path: Path) -> None:
    """A Raspberry Pi without cgroup_enable=memory; a recording without the links to cpu,cpuacct."""
    root = tree(tmp_path, "cpu,cpuacct/cgroup.procs")

    assert f"{TOP}/cpu,cpuacct" == find_hierarchies(root).tree
    files = ("cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.stat", "cpuacct.stat")
    assert dict.fromkeys(files, "/cpu,cpuacct") == plan(root)


def test_hybrid_reads_each_where_it_is(tmp_path: Path) -> None:
    """Memory and CPU in version 1, pressure in version 2, which also has what nobody mounted."""
    files = ("memory/cgroup.procs", "cpu/cgroup.procs", "cpuacct/cgroup.procs")
    found = plan(tree(tmp_path, *files, "unified/cgroup.controllers"))

    assert "/memory" == found["memory.limit_in_bytes"]
    assert "/unified" == found["cpu.pressure"] == found["pids.current"]
    assert found.keys().isdisjoint({"memory.max", "cpu.max", "memory.events"})
    assert "/cpu" == found["cpu.stat"]


def test_hybrid_with_memory_in_version_2(tmp_path: Path) -> None:
    """The controllers' own mounts decide, one by one."""
    found = plan(tree(tmp_path, "cpu/cgroup.procs", "unified/cgroup.controllers"))

    assert "/unified" == found["memory.max"] == found["memory.current"]
    assert "/cpu" == found["cpu.cfs_quota_us"]
    assert "cpu.max" not in found


def test_version_2_beside_what_is_no_controller(tmp_path: Path) -> None:
    """With ``systemd`` as the only hierarchy of version 1, version 2 has all."""
    root = tree(tmp_path, "systemd/cgroup.procs", "unified/cgroup.controllers")

    assert f"{TOP}/unified" == find_hierarchies(root).tree
    assert {"/unified"} == set(plan(root).values())


@pytest.mark.parametrize("paths", [(), ("memory/nothing",), ("systemd/cgroup.procs",)])
def test_none_is_an_answer(tmp_path: Path, paths: tuple[str, ...]) -> None:
    """An empty folder that waits for its mount is no hierarchy; the reason says what to do."""
    with pytest.raises(NoData, match=r"-v /sys/fs/cgroup:/sys/fs/cgroup:ro"):
        find_hierarchies(tree(tmp_path, *paths))


def test_rows_read_what_is_theirs(tmp_path: Path) -> None:
    """A holder has its own limits and its events, the rest above the bound has no limits."""
    found = find_hierarchies(tree(tmp_path, "cgroup.controllers"))
    files = {row: {file for _, part in found.rest[row] for file in part.files} for row in Row}

    assert {"memory.events", "cpu.stat"} == files[Row.HOLDER]
    assert {
        "memory.current", "memory.stat", "memory.events", "cpu.stat", "pids.current",
    } == files[Row.OTHER]  # fmt: skip
    assert files[Row.OTHER] < files[Row.OWN]
    assert ["memory.max", "cpu.max"] == [part.files[0] for _, part in found.limits]


@pytest.mark.parametrize(
    ("mount", "files", "only_inside", "only_top"),
    [
        ("", ("cgroup.controllers",), ("cgroup.type",), ()),
        ("/memory", ("memory/cgroup.procs",), (), ("memory/release_agent",)),
    ],
)
def test_a_container_that_sees_its_own_group(
    tmp_path: Path,
    mount: str,
    files: tuple[str, ...],
    only_inside: tuple[str, ...],
    only_top: tuple[str, ...],
) -> None:
    """The top of a hierarchy differs from any group in it, in both versions."""
    top = tree(tmp_path / "top", *files, *only_top)
    inside = tree(tmp_path / "inside", *files, *only_inside)

    assert not is_own_only(top, f"{TOP}{mount}")
    assert is_own_only(inside, f"{TOP}{mount}")
