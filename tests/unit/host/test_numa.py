"""Memory of NUMA nodes."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Metric, Root
from exporters.core.replay import ReplayRoot
from exporters.host import numa
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
NUMASTAT = "numa_hit 7\nnuma_miss 6\nnuma_foreign 5\ninterleave_hit 4\nlocal_node 3\nother_node 2\n"


def node(number: int, distance: str = "10 21\n") -> dict[str, str | bytes]:
    """Return the files of a node."""
    folder = f"{numa.FOLDER}/node{number}"
    return {
        f"{folder}/cpulist": f"{4 * number}-{4 * number + 3}\n",
        f"{folder}/distance": distance,
        f"{folder}/meminfo": f"\nNode {number} MemTotal:     8 kB\nNode {number} MemFree:   5 kB\n",
        f"{folder}/numastat": NUMASTAT,
    }


def nodes(root: Root, metric: Metric) -> dict[object, object]:
    """Return the values of a metric by node."""
    return readings(run(numa.COLLECTOR, root), metric, "numa_node")


def test_the_recorded_nodes() -> None:
    """Memory and misses of three nodes; node_exporter shows the same."""
    root = ReplayRoot(str(board_root("node-exporter")))

    assert {"0": 134182340 * 1024, "1": 134217728 * 1024, "2": 134217728 * 1024} == nodes(
        root, numa.MEMORY["MemTotal"]
    )
    assert {"0": 12624528, "1": 59858626709, "2": 9858626709} == nodes(root, numa.STAT["numa_miss"])
    assert {("0", "0-1"), ("1", "2-3"), ("2", "")} == readings(
        run(numa.COLLECTOR, root), numa.INFO, "numa_node", "cpus"
    ).keys()


def test_each_key_has_its_metric(make_tree: MakeTree) -> None:
    """The kernel's six counts, told apart."""
    root = Root(str(make_tree(node(0))))
    found = {metric.name: nodes(root, metric)["0"] for metric in numa.STAT.values()}

    assert {
        "tailsight_numa_hit_total": 7,
        "tailsight_numa_miss_total": 6,
        "tailsight_numa_foreign_total": 5,
        "tailsight_numa_interleave_hit_total": 4,
        "tailsight_numa_local_node_total": 3,
        "tailsight_numa_other_node_total": 2,
    } == found


def test_two_nodes_and_their_distances(make_tree: MakeTree) -> None:
    """In the order of the nodes, as the kernel writes them."""
    tree = make_tree({**node(0), **node(1, "21 10\n")})

    assert {("0", "0-3", "10 21"), ("1", "4-7", "21 10")} == readings(
        run(numa.COLLECTOR, Root(str(tree))), numa.INFO, "numa_node", "cpus", "distances"
    ).keys()


def test_one_file_that_fails_costs_only_itself(make_tree: MakeTree, mounted: Mounted) -> None:
    """The node's memory and the other node stay."""
    path = f"{numa.FOLDER}/node0/numastat"
    tree = make_tree({**node(0), **node(1)})
    root = Root(str(mounted(tree, Faults({path: errno.EIO}))))
    outcome = run(numa.COLLECTOR, root)

    assert [path] == failed(outcome)
    assert {"1"} == readings(outcome, numa.STAT["numa_hit"], "numa_node").keys()
    assert {"0", "1"} == readings(outcome, numa.MEMORY["MemFree"], "numa_node").keys()


def test_a_list_of_cpus_that_is_none_costs_the_info_alone(make_tree: MakeTree) -> None:
    """Its counts stay."""
    files = node(0) | {f"{numa.FOLDER}/node0/cpulist": "all\n"}
    outcome = run(numa.COLLECTOR, Root(str(make_tree(files))))

    assert [f"{numa.FOLDER}/node0"] == failed(outcome)
    assert {} == readings(outcome, numa.INFO, "numa_node")
    assert {"0": 7} == readings(outcome, numa.STAT["numa_hit"], "numa_node")


def test_no_more_nodes_than_their_bound(make_tree: MakeTree) -> None:
    """What is left out is told."""
    tree = make_tree({path: text for number in range(66) for path, text in node(number).items()})
    outcome = run(numa.COLLECTOR, Root(str(tree)))

    assert [numa.FOLDER] == failed(outcome)
    assert "66 nodes, of which 64" in str(outcome.failures[0].error)
    assert 64 == len(readings(outcome, numa.STAT["numa_hit"], "numa_node"))


def test_a_jetson_has_none() -> None:
    """Its kernel tells of no nodes."""
    outcome = run(numa.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-nano-jp6"))))

    assert ("absent", []) == (outcome.status, outcome.failures)


@pytest.mark.parametrize("text", ["", "hits 5", "numa_hit", "numa_hit x", "numa_hit -1"])
def test_what_is_no_numastat(text: str) -> None:
    """A key without a number, or none at all, is refused."""
    with pytest.raises(ValueError, match=r"not a number|implausible|no counter"):
        numa.parse_numastat(text)


@given(st.text(), st.sampled_from(["", "numa_hit ", "other_node "]))
def test_any_text(text: str, begin: str) -> None:
    """Whatever the text, a count is not negative, or it is refused."""
    try:
        found = numa.parse_numastat(begin + text)
    except ValueError:
        return
    assert found
    assert all(0 <= value < 2**64 for value in found.values())
