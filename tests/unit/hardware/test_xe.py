"""GPUs with the xe driver."""

import errno
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import NoData, Root
from exporters.core.replay import ReplayRoot
from exporters.hardware import drm, gpu_sleep, throttle, xe
from tests.conftest import Mounted
from tests.support.boards import FIXTURES, board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
TREE = FIXTURES / "extra/xe-kernel-docs"
FIRST = "sys/class/drm/card0/device"


def test_outputs_are_no_cards() -> None:
    """card0-HDMI-A-1 stands beside card0; a card is known by the path of its device."""
    cards = drm.find_cards(ReplayRoot(str(TREE)))

    assert [
        ("card0", "pci0000:00/0000:00:02.0"),
        ("card1", "pci0000:00/0000:00:01.0/0000:01:00.0"),
    ] == [(card.name, card.device) for card in cards]


def test_frequencies_of_each_gt() -> None:
    """The tree's files, in MHz: graphics and media of the first GPU, graphics of the second."""
    outcome = run(xe.collector(), ReplayRoot(str(TREE)))
    render, media, other = ("card0", "tile0/gt0"), ("card0", "tile0/gt1"), ("card1", "tile0/gt0")

    assert {render: 1350e6, media: 0.0, other: 2400e6} == readings(
        outcome, drm.FREQUENCY, "gpu", "gt"
    )
    assert {render: 2050e6, media: 300e6, other: 2850e6} == readings(
        outcome, drm.REQUESTED, "gpu", "gt"
    )
    assert {render: 123.456, media: 987.654, other: 55.0} == readings(
        outcome, drm.IDLE, "gpu", "gt"
    )
    limits = readings(outcome, drm.FREQUENCY_LIMIT, "gpu", "gt", "limit")
    assert (400e6, 2850e6, 2600e6) == tuple(limits[*other, name] for name in ("min", "max", "rpa"))


def test_reasons_of_kernels_with_a_file_for_each() -> None:
    """PL2 holds the first GPU back; the status is no reason."""
    active = readings(
        run(xe.collector(), ReplayRoot(str(TREE))), throttle.ACTIVE, "cause", "device"
    )

    assert {
        ("power", "card0/tile0/gt0/pl2"): 1,
        ("thermal", "card1/tile0/gt0/soc_thermal"): 1,
        ("power", "card1/tile0/gt0/psys_pl1"): 1,
    } == {key: value for key, value in active.items() if value}
    assert 8 + 8 + 15 == len(active)


def test_a_list_of_reasons_is_read_alone(mounted: Mounted) -> None:
    """Where there is one, no other file of that folder is read: they may disagree."""
    folder = "sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/tile0/gt0/freq0/throttle"
    names = {path.name for path in (TREE / folder).iterdir()} - {"reasons"}
    faults = Faults({f"{folder}/{name}": errno.EIO for name in names})
    outcome = run(xe.collector(), Root(str(mounted(TREE, faults))))

    assert [] == outcome.failures
    assert 1 == readings(outcome, throttle.ACTIVE, "device")["card1/tile0/gt0/soc_thermal"]


def test_a_sleeping_gpu_is_not_woken(tmp_path: Path) -> None:
    """The first GPU sleeps: of it only that and the counts are told; the second is read."""
    tree = tmp_path / "tree"
    shutil.copytree(TREE, tree, symlinks=True)
    (tree / FIRST / "power/runtime_status").write_text("suspended\n")
    outcome = run(xe.collector(), Root(str(tree)))

    assert {"card0": 1, "card1": 0} == readings(outcome, gpu_sleep.SUSPENDED, "gpu")
    assert {"card1": 2400e6} == readings(outcome, drm.FREQUENCY, "gpu")
    assert {"card1"} == {
        str(key).partition("/")[0] for key in readings(outcome, throttle.ACTIVE, "device")
    }
    assert 8 + 8 + 15 == len(readings(outcome, throttle.OBSERVED, "device"))


def test_waking_up_throttled_is_a_beginning(tmp_path: Path) -> None:
    """Active, asleep, active and throttled in both: the second time it was seen to begin."""
    tree = tmp_path / "tree"
    shutil.copytree(TREE, tree, symlinks=True)
    collector = xe.collector()
    for status in ("active", "suspended", "active"):
        (tree / FIRST / "power/runtime_status").write_text(f"{status}\n")
        outcome = run(collector, Root(str(tree)))

    assert {"card0/tile0/gt0/pl2": 1} == {
        key: value for key, value in readings(outcome, throttle.OBSERVED, "device").items() if value
    }


def test_one_bad_file_costs_only_itself(mounted: Mounted) -> None:
    """The first reason of the first GPU fails; the other seven are told."""
    path = "sys/devices/pci0000:00/0000:00:02.0/tile0/gt0/freq0/throttle/reason_pl1"
    outcome = run(xe.collector(), Root(str(mounted(TREE, Faults({path: errno.EIO})))))

    assert [f"{FIRST}/tile0/gt0/freq0/throttle/reason_pl1"] == failed(outcome)
    assert 7 + 8 + 15 == len(readings(outcome, throttle.ACTIVE, "device"))


def test_a_folder_that_cannot_be_listed_costs_only_itself(tmp_path: Path) -> None:
    """The frequencies of one GT cannot be looked for (a link in a circle); all else is told."""
    tree = tmp_path / "tree"
    shutil.copytree(TREE, tree, symlinks=True)
    shutil.rmtree(tree / FIRST / "tile0/gt0/freq0")
    (tree / FIRST / "tile0/gt0/freq0").symlink_to("freq0")
    outcome = run(xe.collector(), Root(str(tree)))

    freq = f"{FIRST}/tile0/gt0/freq0"
    assert [freq, f"{freq}/throttle"] == failed(outcome)
    assert {("card0", "tile0/gt1"), ("card1", "tile0/gt0")} == readings(
        outcome, drm.FREQUENCY, "gpu", "gt"
    ).keys()


def test_a_card_that_cannot_be_listed_costs_only_itself(tmp_path: Path) -> None:
    """The first card's tile is a link in a circle; the second card is told."""
    tree = tmp_path / "tree"
    shutil.copytree(TREE, tree, symlinks=True)
    shutil.rmtree(tree / FIRST / "tile0")
    (tree / FIRST / "tile0").symlink_to("tile0")
    outcome = run(xe.collector(), Root(str(tree)))

    assert [FIRST] == failed(outcome)
    assert {"card1": 2400e6} == readings(outcome, drm.FREQUENCY, "gpu")


def test_a_gpu_without_throttle_files_has_frequencies(make_tree: MakeTree) -> None:
    """A virtual function has no throttle folder, no idling and no power status."""
    tree = make_tree({f"{FIRST}/tile0/gt0/freq0/act_freq": "500\n"})
    outcome = run(xe.collector(), Root(str(tree)))

    assert ("ok", [], 1) == (outcome.status, outcome.failures, len(outcome.samples))


def test_other_cards_are_absent() -> None:
    """A NUC with i915 has none of the files."""
    with pytest.raises(NoData, match="no card"):
        list(xe.collector().discover(ReplayRoot(str(board_root("nuc13-i915")))))


@given(st.text() | st.integers().map(str))
def test_any_text_is_a_frequency_or_refused(text: str) -> None:
    """Any input gives 0 to 100 GHz, or ValueError."""
    try:
        value = drm.hertz(text)
    except ValueError:
        return
    assert 0 <= value <= 1e11
