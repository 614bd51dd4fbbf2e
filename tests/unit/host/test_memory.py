"""Memory of the node."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.host import memory
from exporters.host.meminfo import BYTES, PAGES, parse_meminfo
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run, values
from tests.support.faults import Faults
from tests.support.readings import failed

MakeTree = Callable[[dict[str, str | bytes]], Path]


def test_the_recorded_node() -> None:
    """Kilobytes of 1024 bytes, and huge pages by their number (SOURCES.md: node_exporter's)."""
    found = values(run(memory.COLLECTOR, ReplayRoot(str(board_root("node-exporter")))))

    assert 3742148 * 1024 == found["tailsight_memory_total_bytes"]
    assert 3155360 * 1024 == found["tailsight_memory_swap_free_bytes"]
    assert 883052 * 1024 == found["tailsight_memory_inactive_anon_bytes"]
    assert 2048 * 1024 == found["tailsight_memory_huge_page_size_bytes"]
    assert 0 == found["tailsight_memory_huge_pages"]


def test_what_a_kernel_lacks_has_no_series() -> None:
    """MemAvailable came with Linux 3.14, which the recorded node is older than."""
    found = values(run(memory.COLLECTOR, ReplayRoot(str(board_root("node-exporter")))))

    assert "tailsight_memory_available_bytes" not in found
    assert "tailsight_memory_cma_total_bytes" not in found


def test_a_jetson_shares_its_memory_with_the_gpu(make_tree: MakeTree) -> None:
    """NVIDIA's kernel tells of what its engines hold; CMA is theirs, too."""
    text = (
        "MemTotal:        7802100 kB\nCmaTotal:         262144 kB\nCmaFree:          258048 kB\n"
        "NvMapMemFree:      16384 kB\nNvMapMemUsed:    1048576 kB\n"
    )
    found = values(run(memory.COLLECTOR, Root(str(make_tree({memory.MEMINFO: text})))))

    assert {
        "tailsight_memory_total_bytes": 7802100 * 1024,
        "tailsight_memory_cma_total_bytes": 256 << 20,
        "tailsight_memory_cma_free_bytes": 252 << 20,
        "tailsight_memory_nvmap_free_bytes": 16 << 20,
        "tailsight_memory_nvmap_used_bytes": 1 << 30,
    } == found


def test_huge_pages_are_counted(make_tree: MakeTree) -> None:
    """512 pages of 2 MiB, of which 500 are free; they have no unit."""
    text = "HugePages_Total:     512\nHugePages_Free:      500\n"
    found = values(run(memory.COLLECTOR, Root(str(make_tree({memory.MEMINFO: text})))))

    assert {"tailsight_memory_huge_pages": 512, "tailsight_memory_huge_pages_free": 500} == found


def test_fields_of_vendors_are_let_be() -> None:
    """What is not wanted may look as it likes."""
    assert {"MemFree": 1024} == parse_meminfo("ION_heap: 5 x\nMemFree: 1 kB\n\nx", {"MemFree"})


@pytest.mark.parametrize(
    "text",
    ["", "MemFree:", "MemFree: 5", "MemFree: x kB", "MemFree: -5 kB", "MemFree: 5 MB",
     "HugePages_Free: 5 kB", "HugePages_Free: -5", "Bounce: 5 kB"],
)  # fmt: skip
def test_what_is_no_memory(text: str) -> None:
    """A field without a number or in another unit, or none at all, is refused."""
    with pytest.raises(ValueError, match=r"kB|not a number|less|no field"):
        parse_meminfo(text, {"MemFree", "HugePages_Free"})


@given(st.text(), st.sampled_from(["", "MemFree:", "Node 0 MemFree: ", "HugePages_Free: "]))
def test_any_text(text: str, begin: str) -> None:
    """Whatever the text, a size is not negative, or it is refused."""
    try:
        found = parse_meminfo(begin + text, {**BYTES, **PAGES})
    except ValueError:
        return
    assert found
    assert all(value >= 0 for value in found.values())


def test_denied_is_an_error(make_tree: MakeTree, mounted: Mounted) -> None:
    """Not the same as absent."""
    tree = make_tree({memory.MEMINFO: "MemTotal: 5 kB\n"})
    outcome = run(
        memory.COLLECTOR, Root(str(mounted(tree, Faults({memory.MEMINFO: errno.EACCES}))))
    )

    assert ("error", [memory.MEMINFO], []) == (outcome.status, failed(outcome), outcome.samples)


def test_this_machine() -> None:
    """The C library knows its memory, too."""
    found = values(run(memory.COLLECTOR, Root()))

    assert (
        os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        == (found["tailsight_memory_total_bytes"])
    )


def test_no_proc_is_absent() -> None:
    """A recording without it says what to do."""
    outcome = run(memory.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-nano-jp6"))))

    assert ("absent", []) == (outcome.status, outcome.failures)
    assert "no /proc/meminfo" in outcome.reason
