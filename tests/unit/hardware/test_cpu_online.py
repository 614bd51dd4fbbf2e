"""Which CPUs run."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import NoData, Root
from exporters.core.replay import ReplayRoot
from exporters.hardware import cpu_online
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]


def test_a_nano_in_its_5_watt_mode() -> None:
    """It leaves cpu2 and cpu3 off (SOURCES.md)."""
    outcome = run(cpu_online.COLLECTOR, ReplayRoot(str(board_root("jetson-nano-jp4"))))

    assert {"online": 2, "present": 4} == readings(outcome, cpu_online.COUNT, "state")
    assert {"0": 1, "1": 1, "2": 0, "3": 0} == readings(outcome, cpu_online.ONLINE, "cpu")


def test_without_a_list_of_present_ones() -> None:
    """The tree of node_exporter has only the list of those online; no more is said."""
    outcome = run(cpu_online.COLLECTOR, ReplayRoot(str(board_root("node-exporter"))))

    assert {"online": 4} == readings(outcome, cpu_online.COUNT, "state")
    assert dict.fromkeys("0123", 1) == readings(outcome, cpu_online.ONLINE, "cpu")


def test_labels_are_bounded() -> None:
    """A machine with 512 CPUs is counted; it does not get 512 series."""
    samples = cpu_online.parse_online("0-511", "0-511")

    assert [512, 512] == [sample.value for sample in samples]


@pytest.mark.parametrize("text", ["", "garbage"])
def test_no_cpu_is_no_answer(make_tree: MakeTree, text: str) -> None:
    """The CPU that reads it runs: an empty list is a failure, not 0."""
    tree = make_tree({"sys/devices/system/cpu/online": text})
    outcome = run(cpu_online.COLLECTOR, Root(str(tree)))

    assert (["sys/devices/system/cpu/online"], 0) == (failed(outcome), len(outcome.samples))


@pytest.mark.parametrize("present", ["", "0-1"])
def test_fewer_present_than_online_is_no_answer(present: str) -> None:
    """Where one of the two lists must be wrong, neither is believed."""
    with pytest.raises(ValueError, match="'0-3' online, though only"):
        cpu_online.parse_online("0-3", present)


def test_nothing_to_read_is_absent(make_tree: MakeTree) -> None:
    """Without the list there is nothing to tell."""
    with pytest.raises(NoData, match="no /sys/devices/system/cpu/online"):
        list(cpu_online.discover(Root(str(make_tree({"sys/x": ""})))))


@given(st.text(alphabet="0123456789,-"), st.none() | st.text(alphabet="0123456789,-"))
def test_any_text_is_counts_or_refused(online: str, present: str | None) -> None:
    """Any input gives counts within reason, or ValueError."""
    try:
        samples = cpu_online.parse_online(online, present)
    except ValueError:
        return
    assert all(isinstance(sample.value, int) and 0 <= sample.value <= 131072 for sample in samples)
