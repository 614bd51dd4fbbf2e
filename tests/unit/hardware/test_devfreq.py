"""Devices with a frequency of their own, and which of them are GPUs."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.core.task import Outcome
from exporters.hardware import devfreq
from exporters.hardware.cooling import Device
from exporters.hardware.governor import parse_governor
from exporters.hardware.gpu_names import is_gpu
from exporters.hardware.nvml.load import UTILIZATION
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
LOAD = "sys/devices/platform/bus@0/17000000.gpu/load"
FILES = ("cur_freq", "min_freq", "max_freq")


def of_class(name: str, *megahertz: int, governor: str = "") -> dict[str, str | bytes]:
    """Return the files of a device of the class."""
    folder = f"sys/class/devfreq/{name}"
    files: dict[str, str | bytes] = {
        f"{folder}/{file}": f"{mhz}000000\n" for file, mhz in zip(FILES, megahertz, strict=True)
    }
    return files | ({f"{folder}/governor": f"{governor}\n"} if governor else {})


def collect(tree: Path) -> Outcome:
    """Return what the devices of a tree say."""
    return run(devfreq.COLLECTOR, Root(str(tree)))


@pytest.mark.parametrize(
    ("board", "gpu", "frequencies", "load"),
    [
        # current, min, max and load by SOURCES.md of each board
        ("jetson-orin-nano-jp6", "17000000.gpu", (306e6, 306e6, 1020e6), 0.5),
        ("jetson-orin-agx-jp5", "17000000.ga10b", (306e6, 306e6, 1300.5e6), 0.0),
        ("jetson-nano-jp4", "57000000.gpu", (614.4e6, 614.4e6, 614.4e6), 0.0),
    ],
)
def test_gpus_of_jetsons(
    board: str, gpu: str, frequencies: tuple[float, float, float], load: float
) -> None:
    """Each is found by its name, with its load in thousandths, under one label."""
    frequency, lowest, highest = frequencies

    outcome = run(devfreq.COLLECTOR, ReplayRoot(str(board_root(board))))

    assert {gpu: frequency} == readings(outcome, devfreq.FREQUENCY, "gpu")
    assert {(gpu, "min"): lowest, (gpu, "max"): highest} == readings(
        outcome, devfreq.LIMIT, "gpu", "limit"
    )
    assert {(gpu, "nvhost_podgov"): 1} == readings(outcome, devfreq.GOVERNOR, "gpu", "governor")
    assert {gpu: load} == readings(outcome, UTILIZATION, "gpu")
    assert [] == failed(outcome)


def test_target_is_told_where_the_kernel_has_it() -> None:
    """306 MHz on the Orin Nano; the AGX tree has no such file, and that is no failure."""
    orin = run(devfreq.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-nano-jp6"))))
    agx = run(devfreq.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-agx-jp5"))))

    assert {"17000000.gpu": 306e6} == readings(orin, devfreq.TARGET, "device")
    assert {} == readings(agx, devfreq.TARGET, "device")


def test_thor_has_two_clocks_of_its_gpu(make_tree: MakeTree) -> None:
    """gpu-gpc-0 and gpu-nvd-0 belong to the GPU, whose load NVML tells."""
    gpc = of_class("gpu-gpc-0", 1575, 315, 1575, governor="nvhost_podgov")
    tree = make_tree(gpc | of_class("gpu-nvd-0", 1692, 315, 1692))

    outcome = collect(tree)

    assert {"gpu-gpc-0": 1575e6, "gpu-nvd-0": 1692e6} == readings(outcome, devfreq.FREQUENCY, "gpu")
    assert {} == readings(outcome, UTILIZATION, "gpu")


def test_memory_of_another_maker_is_no_gpu(make_tree: MakeTree) -> None:
    """A Rockchip board scales its memory and its GPU; only the latter has the label."""
    tree = make_tree(of_class("dmc", 1560, 528, 2112) | of_class("fb000000.gpu", 300, 300, 1000))

    outcome = collect(tree)

    assert {("dmc", ""): 1560e6, ("fb000000.gpu", "fb000000.gpu"): 300e6} == readings(
        outcome, devfreq.FREQUENCY, "device", "gpu"
    )


def test_numbered_device_has_the_name_of_its_parent(make_tree: MakeTree) -> None:
    """Kernels 4.14 to 4.19 call it devfreq0, which the next boot may give to another."""
    place = "sys/devices/platform/ff9a0000.gpu"
    tree = make_tree({f"{place}/devfreq/devfreq0/cur_freq": "200000000\n"})
    (tree / place / "devfreq/devfreq0/device").symlink_to("../..")
    (tree / "sys/class/devfreq").mkdir(parents=True)
    link = tree / "sys/class/devfreq/devfreq0"
    link.symlink_to("../../devices/platform/ff9a0000.gpu/devfreq/devfreq0")

    outcome = collect(tree)

    assert {("ff9a0000.gpu", "ff9a0000.gpu"): 200e6} == readings(
        outcome, devfreq.FREQUENCY, "device", "gpu"
    )


@pytest.mark.parametrize("link", ["sys/devices/gpu.0", "sys/devices/platform/gpu.0"])
def test_gpu_that_is_not_in_the_class_has_a_load(make_tree: MakeTree, link: str) -> None:
    """Early in the boot a Jetson has no devfreq device yet; 305 of 1000 is 0.305."""
    tree = make_tree({"sys/devices/platform/17000000.gv11b/load": "305\n"})
    (tree / link).symlink_to(tree / "sys/devices/platform/17000000.gv11b")

    outcome = collect(tree)

    assert {"17000000.gv11b": 0.305} == readings(outcome, UTILIZATION, "gpu")


def test_limit_of_zero_is_none(make_tree: MakeTree) -> None:
    """Before kernel 4.20, 0 stood for no limit; a clock that is off shows 0 as well."""
    outcome = collect(make_tree(of_class("57000000.gpu", 0, 0, 0)))

    assert {} == readings(outcome, devfreq.LIMIT, "limit")
    assert {"57000000.gpu": 0.0} == readings(outcome, devfreq.FREQUENCY, "gpu")
    assert [] == failed(outcome)


def test_one_broken_file_costs_only_itself(mounted: Mounted) -> None:
    """The load fails while its rail is off; the frequencies are told."""
    faults = Faults({LOAD: errno.EAGAIN})

    outcome = collect(mounted(board_root("jetson-orin-nano-jp6"), faults))

    assert ["sys/class/devfreq/17000000.gpu/device/load"] == failed(outcome)
    assert {"17000000.gpu": 306e6} == readings(outcome, devfreq.FREQUENCY, "gpu")


@pytest.mark.parametrize("text", ["<unknown>", "", "-1", "1e9", "200000000000"])
def test_what_is_no_frequency_is_a_failure(make_tree: MakeTree, text: str) -> None:
    """Some drivers say so for a clock that they do not know; it is not 0."""
    tree = make_tree(of_class("dmc", 1560, 528, 2112) | {"sys/class/devfreq/dmc/target_freq": text})

    outcome = collect(tree)

    assert {} == readings(outcome, devfreq.TARGET, "device")
    assert ["sys/class/devfreq/dmc/target_freq"] == failed(outcome)


def test_machine_without_such_devices(make_tree: MakeTree) -> None:
    """A PC has none: absent, with a reason."""
    outcome = collect(make_tree({"sys/class/net/.keep": ""}))

    assert "absent" == outcome.status
    assert "/sys/class/devfreq" in outcome.reason


@pytest.mark.parametrize(
    "name",
    [
        "17000000.gpu", "57000000.gpu", "17000000.gp10b", "17000000.gv11b", "17000000.ga10b",
        "gpu-gpc-0", "gpu-nvd-0",
    ],
)  # fmt: skip
def test_what_frequency_and_throttling_call_a_gpu_is_one_name(name: str) -> None:
    """So that throttling by a cooling device joins the GPU's other series."""
    assert is_gpu(name)
    assert ("gpu", name) == (
        Device("cooling_device0", f"devfreq-{name}", twin=False).domain,
        Device("cooling_device0", f"devfreq-{name}", twin=False).throttling()["device"],
    )


@pytest.mark.parametrize("name", ["dmc", "6000c800.actmon", "15340000.vic", "1d84000.ufshc"])
def test_what_is_no_gpu(name: str) -> None:
    """Memory, video and storage controllers change their frequency, too."""
    assert not is_gpu(name)


@given(st.text() | st.integers().map(str))
def test_any_text_is_a_reading_or_a_value_error(text: str) -> None:
    """A frequency up to 100 GHz, a share up to 1, a name without spaces."""
    for parse, highest in ((devfreq.hertz, 1e11), (devfreq.per_mille, 1.0)):
        try:
            value = parse(text)
        except ValueError:
            continue
        assert 0 <= value <= highest
    try:
        name = parse_governor(text)
    except ValueError:
        return
    assert name.isascii()
    assert 1 <= len(name) <= 40
