"""Which accelerator a node has, and with which driver."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core.replay import ReplayRoot
from exporters.hardware.accelerator import driver, name, parse_l4t, parse_nvidia_version
from exporters.hardware.facts import Facts

MakeTree = Callable[[dict[str, str | bytes]], Path]
PCI = "sys/devices/pci0000:00/0000:00:0"
COMPATIBLE = "proc/device-tree/compatible"
# /proc/driver/nvidia/version of the proprietary and of the open modules.
PROPRIETARY = (
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024\n"
    "GCC version:  gcc version 12.3.0 (Ubuntu 12.3.0-1ubuntu1~22.04)\n"
)
OPEN = (
    "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  540.4.0  Release Build\n"
    "GCC version:  collect2: error: ld returned 1 exit status\n"
)


def facts_of(tree: Path) -> Facts:
    """Return the facts of a tree."""
    return Facts(ReplayRoot(str(tree)))


def add_card(
    tree: Path, number: int, used: str, ids: tuple[str, str] | None = None, *, renders: bool = False
) -> None:
    """Add a card of ``/sys/class/drm`` with its device and driver."""
    device = tree / f"{PCI}{number}.0"
    (device / f"drm/card{number}").mkdir(parents=True)
    (device / f"drm/card{number}/device").symlink_to("../..")
    if renders:
        (device / f"drm/renderD{128 + number}").mkdir()
    for file, text in zip(("vendor", "device"), ids or (), strict=False):
        (device / file).write_text(f"{text}\n")
    module = tree / f"sys/bus/pci/drivers/{used}"
    module.mkdir(parents=True, exist_ok=True)
    (device / "driver").symlink_to(f"../../../bus/pci/drivers/{used}")
    cards = tree / "sys/class/drm"
    cards.mkdir(parents=True, exist_ok=True)
    (cards / f"card{number}").symlink_to(
        f"../../devices/pci0000:00/0000:00:0{number}.0/drm/card{number}"
    )


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic, EABI: aarch64", "36.4.3"),
        ("# R32 (release), REVISION: 7.6, GCID: 0, BOARD: t210ref", "32.7.6"),
        ("# R38 (release), REVISION: 2.0, GCID: 0, BOARD: generic", "38.2.0"),
    ],
)
def test_jetson_linux(text: str, release: str) -> None:
    """Release and revision make what NVIDIA calls Jetson Linux 36.4.3."""
    assert release == parse_l4t(text)


@pytest.mark.parametrize(("text", "version"), [(PROPRIETARY, "550.54.14"), (OPEN, "540.4.0")])
def test_nvidia_versions(text: str, version: str) -> None:
    """The first line has the driver's version, whichever kind of module; others do not count."""
    assert version == parse_nvidia_version(text)


@given(st.text() | st.from_regex(r"# R\d+ \(release\), REVISION: \S*"))
def test_any_text_gives_a_version_or_valueerror(text: str) -> None:
    """A version is numbers with dots; all else is refused."""
    for parse in (parse_l4t, parse_nvidia_version):
        try:
            version = parse(text)
        except ValueError:
            continue
        assert all(part.isdecimal() for part in version.split("."))


def test_a_discrete_gpu_by_its_driver(make_tree: MakeTree) -> None:
    """The model that NVIDIA's driver lists comes before the Intel GPU of the same machine."""
    tree = make_tree(
        {
            "proc/driver/nvidia/gpus/0000:01:00.0/information": (
                "Model: \t\t NVIDIA GeForce RTX 4080 SUPER\nIRQ:   \t\t 142\n"
            ),
            "proc/driver/nvidia/version": PROPRIETARY,
        }
    )
    add_card(tree, 0, "i915", ("0x8086", "0xa7a0"), renders=True)

    assert "NVIDIA GeForce RTX 4080 SUPER" == name(facts_of(tree))
    assert "nvidia 550.54.14" == driver(facts_of(tree))


def test_a_discrete_gpu_by_a_recording_of_nvml(make_tree: MakeTree) -> None:
    """A recording may have NVML's answers and no file of the driver."""
    answers = {
        "system": {"nvmlSystemGetDriverVersion": "595.71.05"},
        "devices": [{"nvmlDeviceGetUUID": "GPU-1", "nvmlDeviceGetName": "NVIDIA L40S"}],
    }
    facts = facts_of(make_tree({"replay/nvml.json": json.dumps(answers)}))

    assert ("NVIDIA L40S", "nvidia 595.71.05") == (name(facts), driver(facts))


@pytest.mark.parametrize(
    "answers",
    [
        {"devices": []},
        {"devices": [{"nvmlDeviceGetName": {"error": 15}}]},
        {"devices": [{"nvmlDeviceGetHandleByIndex": {"error": 15}}]},
    ],
)
def test_a_recording_in_which_nvml_refuses(make_tree: MakeTree, answers: object) -> None:
    """No GPU, one that has fallen off the bus: nothing is told, and that is no failure here."""
    facts = facts_of(make_tree({"replay/nvml.json": json.dumps(answers)}))

    assert ("", "", []) == (name(facts), driver(facts), facts.failures)


def test_a_recording_that_is_not_of_the_schema(make_tree: MakeTree) -> None:
    """It is a failure, and what files tell stands."""
    tree = make_tree({"replay/nvml.json": '{"devices": 1}'})
    add_card(tree, 0, "amdgpu", ("0x1002", "0x164e"), renders=True)
    facts = facts_of(tree)

    assert "AMD 164e" == name(facts)
    assert ["replay/nvml.json"] == [failure.where for failure in facts.failures]


def test_cards_by_maker(make_tree: MakeTree) -> None:
    """NVIDIA's before AMD's before Intel's, whatever their numbers; a BMC's display is no GPU."""
    tree = make_tree({"sys/module/nvidia/version": "550.54.14\n"})
    add_card(tree, 0, "ast", ("0x1a03", "0x2000"))
    add_card(tree, 1, "i915", ("0x8086", "0xa7a0"), renders=True)
    add_card(tree, 2, "nvidia", ("0x10de", "0x2702"), renders=True)

    assert ("NVIDIA 2702", "nvidia 550.54.14") == (name(facts_of(tree)), driver(facts_of(tree)))


def test_only_a_display(make_tree: MakeTree) -> None:
    """A server's BMC shows a console and computes nothing."""
    tree = make_tree({})
    add_card(tree, 0, "ast", ("0x1a03", "0x2000"))

    assert ("", "") == (name(facts_of(tree)), driver(facts_of(tree)))


def test_an_soc_with_a_render_node(make_tree: MakeTree) -> None:
    """Raspberry Pi: vc4 shows pictures, v3d computes; neither has PCI numbers."""
    tree = make_tree({COMPATIBLE: "raspberrypi,5-model-b\0brcm,bcm2712\0"})
    add_card(tree, 0, "vc4-drm")
    add_card(tree, 1, "v3d", renders=True)

    assert ("v3d", "v3d") == (name(facts_of(tree)), driver(facts_of(tree)))


def test_a_driver_with_a_version_of_its_own(make_tree: MakeTree) -> None:
    """Out-of-tree modules tell one; those of the kernel have the kernel's."""
    tree = make_tree({"sys/module/amdgpu/version": "6.7.0\n"})
    add_card(tree, 0, "amdgpu", ("0x1002", "0x744c"), renders=True)

    assert "amdgpu 6.7.0" == driver(facts_of(tree))


@pytest.mark.parametrize(
    ("chip", "gpu"),
    [("tegra194", "NVIDIA GV11B"), ("tegra264", "NVIDIA GB10B"), ("tegra999", "gpu-gpc-0")],
)
def test_gpus_of_chips(make_tree: MakeTree, chip: str, gpu: str) -> None:
    """By the chip where the table has it, else by the name of the device."""
    tree = make_tree(
        {
            COMPATIBLE: f"acme,box\0nvidia,{chip}\0",
            "sys/class/devfreq/a00000.crypto/cur_freq": "1",
            "sys/class/devfreq/gpu-gpc-0/cur_freq": "1",
        }
    )

    assert gpu == name(facts_of(tree))


def test_a_gpu_that_the_class_only_numbers(make_tree: MakeTree) -> None:
    """Kernels 4.14 to 4.19 call it devfreq0; its name is that of the device behind."""
    tree = make_tree({"sys/devices/platform/e82c0000.mali/uevent": ""})
    (tree / "sys/class/devfreq/devfreq0").mkdir(parents=True)
    (tree / "sys/class/devfreq/devfreq0/device").symlink_to(
        "../../../devices/platform/e82c0000.mali"
    )

    assert "e82c0000.mali" == name(facts_of(tree))


def test_a_release_that_is_none(make_tree: MakeTree) -> None:
    """The driver is Jetson Linux all the same; that its version is not to be had is told."""
    facts = facts_of(make_tree({"etc/nv_tegra_release": "# soon"}))

    assert ("L4T", ["etc/nv_tegra_release"]) == (
        driver(facts), [failure.where for failure in facts.failures],
    )  # fmt: skip
