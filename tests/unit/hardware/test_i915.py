"""GPUs with the i915 driver."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from exporters.core import NoData, Root
from exporters.core.replay import ReplayRoot
from exporters.hardware import drm, gpu_sleep, i915, throttle
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.clock import ClockRoot
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
CARD = "sys/class/drm/card0"
GT = f"{CARD}/gt/gt0"
STATUS = f"{CARD}/device/power/runtime_status"


def gt(folder: str = GT, **files: str) -> dict[str, str | bytes]:
    """Return files of a GT."""
    return {f"{folder}/{name}": f"{text}\n" for name, text in files.items()}


def test_frequencies_of_a_nuc() -> None:
    """It idles at 0 MHz, asked for 300, and may run from 100 to 1500 (the tree's files)."""
    outcome = run(i915.collector(), ReplayRoot(str(board_root("nuc13-i915"))))
    labels = ("gpu", "device", "gt")
    nuc = ("card0", "pci0000:00/0000:00:02.0", "gt0")

    assert {nuc: 0.0} == readings(outcome, drm.FREQUENCY, *labels)
    assert {"driver": 300e6, "punit": 300e6} == readings(outcome, drm.REQUESTED, "at")
    assert {nuc: 918273.645} == readings(outcome, drm.IDLE, *labels)
    # boost and rp1 are not in gt0 there: the card's files say them.
    assert {
        "min": 100e6, "max": 1500e6, "boost": 1500e6, "rp0": 1500e6, "rp1": 400e6, "rpn": 100e6,
    } == readings(outcome, drm.FREQUENCY_LIMIT, "limit")  # fmt: skip


def test_throttling_of_a_nuc() -> None:
    """Only PL1 holds it back, although the status is 1, too, which is no reason (SOURCES.md)."""
    outcome = run(i915.collector(), ReplayRoot(str(board_root("nuc13-i915"))))
    active = readings(outcome, throttle.ACTIVE, "domain", "cause", "source", "device")

    assert 8 == len(active)
    assert {("gpu", "power", "i915", "card0/gt0/pl1"): 1} == {
        key: value for key, value in active.items() if value
    }
    assert {0} == set(readings(outcome, throttle.OBSERVED, "device").values())


def test_beginnings_between_scrapes_are_counted(make_tree: MakeTree) -> None:
    """Off, on, on, off, on in five scrapes: the hardware counts nothing, two were seen."""
    collector = i915.collector()
    for level in "01101":
        root = Root(str(make_tree(gt(throttle_reason_thermal=level))))
        outcome = run(collector, root)

    assert {"card0/gt0/thermal": 2} == readings(outcome, throttle.OBSERVED, "device")
    assert {"card0/gt0/thermal": 1} == readings(outcome, throttle.ACTIVE, "device")


def test_a_reason_of_a_later_kernel_keeps_its_name(make_tree: MakeTree) -> None:
    """It is found by its file's name."""
    tree = make_tree(gt(throttle_reason_moon_phase="1", throttle_reason_status="1"))
    outcome = run(i915.collector(), Root(str(tree)))

    assert {("moon_phase", "card0/gt0/moon_phase"): 1} == readings(
        outcome, throttle.ACTIVE, "cause", "device"
    )


def test_the_status_alone_is_no_reason(make_tree: MakeTree) -> None:
    """It is the sum of the reasons; a GPU without any is not said to be slowed."""
    tree = make_tree(gt(throttle_reason_status="1", rps_act_freq_mhz="300"))
    outcome = run(i915.collector(), Root(str(tree)))

    assert {} == readings(outcome, throttle.ACTIVE, "device")


def test_kernels_before_gt_folders(make_tree: MakeTree) -> None:
    """Linux 5.15 has the files on the card, and the idling in its folder ``power``."""
    tree = make_tree(
        {
            **gt(CARD, gt_act_freq_mhz="350", gt_cur_freq_mhz="400", gt_RPn_freq_mhz="300"),
            f"{CARD}/power/rc6_residency_ms": "1500\n",
            f"{CARD}-HDMI-A-1/status": "connected\n",
        }
    )
    outcome = run(i915.collector(), Root(str(tree)))

    assert {("card0", "gt0"): 350e6} == readings(outcome, drm.FREQUENCY, "gpu", "gt")
    assert {"driver": 400e6} == readings(outcome, drm.REQUESTED, "at")
    assert {"rpn": 300e6} == readings(outcome, drm.FREQUENCY_LIMIT, "limit")
    assert {"gt0": 1.5} == readings(outcome, drm.IDLE, "gt")


def test_of_two_gts_each_tells_for_itself(make_tree: MakeTree) -> None:
    """The card's files are extremes over both, and are not told again."""
    tree = make_tree(
        {
            **gt(rps_act_freq_mhz="700"),
            **gt(f"{CARD}/gt/gt1", rps_act_freq_mhz="900"),
            **gt(CARD, gt_act_freq_mhz="900", gt_boost_freq_mhz="1500"),
        }
    )
    outcome = run(i915.collector(), Root(str(tree)))

    assert {"gt0": 700e6, "gt1": 900e6} == readings(outcome, drm.FREQUENCY, "gt")
    assert {} == readings(outcome, drm.FREQUENCY_LIMIT, "gt")


def test_a_gts_own_files_come_first(make_tree: MakeTree) -> None:
    """Where both are there, the card's file is the older name."""
    tree = make_tree({**gt(rps_act_freq_mhz="700"), **gt(CARD, gt_act_freq_mhz="650")})

    assert {"gt0": 700e6} == readings(run(i915.collector(), Root(str(tree))), drm.FREQUENCY, "gt")


def test_a_sleeping_gpu_is_not_woken(make_tree: MakeTree, mounted: Mounted) -> None:
    """While it is suspended nothing is read: files that would fail do not. The count stays."""
    files = gt(throttle_reason_pl1="1", rps_act_freq_mhz="300", rc6_residency_ms="1")
    collector = i915.collector()
    run(collector, Root(str(make_tree({**files, STATUS: "active\n"}))))
    tree = make_tree({STATUS: "suspended\n"})
    outcome = run(collector, Root(str(mounted(tree, Faults(dict.fromkeys(files, errno.EIO))))))

    assert [] == outcome.failures
    assert {"card0": 1} == readings(outcome, gpu_sleep.SUSPENDED, "gpu")
    assert {"card0/gt0/pl1": 0} == readings(outcome, throttle.OBSERVED, "device")
    assert 2 == len(outcome.samples)


def test_the_32_bits_of_idling_wrap(make_tree: MakeTree) -> None:
    """After 49.7 days of idling it begins at 0: 2**32 - 1000 ms and 500 ms are 1.5 s apart."""
    collector = i915.collector()
    root = ClockRoot(str(make_tree(gt(rc6_residency_ms=str(2**32 - 1000)))))
    run(collector, root)
    make_tree(gt(rc6_residency_ms="500"))
    root.seconds = 15.0

    assert {"gt0": pytest.approx(4294967.796, rel=0, abs=1e-3)} == readings(
        run(collector, root), drm.IDLE, "gt"
    )


def test_a_reloaded_driver_does_not_set_idling_back(make_tree: MakeTree) -> None:
    """From 1000 s to 2 s within 15 s is a reload: the total goes on at 1002 s."""
    collector = i915.collector()
    root = ClockRoot(str(make_tree(gt(rc6_residency_ms="1000000"))))
    run(collector, root)
    make_tree(gt(rc6_residency_ms="2000"))
    root.seconds = 15.0

    assert {"gt0": 1002.0} == readings(run(collector, root), drm.IDLE, "gt")


def test_one_bad_file_costs_only_itself(make_tree: MakeTree) -> None:
    """A frequency is empty and the first reason garbage; all others are told."""
    tree = make_tree(
        gt(
            throttle_reason_pl1="<unknown>",
            throttle_reason_pl2="0",
            rps_act_freq_mhz="300",
            rps_cur_freq_mhz="",
        )
    )
    outcome = run(i915.collector(), Root(str(tree)))

    assert [f"{GT}/rps_cur_freq_mhz", f"{GT}/throttle_reason_pl1"] == failed(outcome)
    assert {"card0/gt0/pl2": 0} == readings(outcome, throttle.ACTIVE, "device")
    assert {"gt0": 300e6} == readings(outcome, drm.FREQUENCY, "gt")


def test_other_cards_are_absent(make_tree: MakeTree) -> None:
    """A card of another driver has none of the files."""
    tree = make_tree({f"{CARD}/device/gpu_busy_percent": "3\n"})
    with pytest.raises(NoData, match="no card"):
        list(i915.collector().discover(Root(str(tree))))
