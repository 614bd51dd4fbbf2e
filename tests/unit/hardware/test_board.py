"""What board a node is, by its device tree or by DMI."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core.replay import ReplayRoot
from exporters.hardware.board import compatible, fitting, hardware_type, name
from exporters.hardware.board_types import ARCHITECTURES, INTEGRATED_GPUS, NAMES, ONLY_ON, types
from exporters.hardware.facts import Facts

MakeTree = Callable[[dict[str, str | bytes]], Path]
DMI = "sys/class/dmi/id/"
BASE = "sys/firmware/devicetree/base"
COMPATIBLE = "proc/device-tree/compatible"


def facts_of(tree: Path) -> Facts:
    """Return the facts of a tree."""
    return Facts(ReplayRoot(str(tree)))


def device_tree(model: str, *compatible_with: str) -> dict[str, str | bytes]:
    """Return the files of a device tree; its texts end with NUL."""
    return {
        "proc/device-tree/model": f"{model}\0",
        COMPATIBLE: "".join(f"{text}\0" for text in compatible_with),
    }


@pytest.mark.parametrize(
    ("model", "compatible_with", "kind"),
    [
        # arch/arm64/boot/dts/nvidia of Linux, and Jetson Linux's own trees.
        (
            "NVIDIA Jetson Xavier NX Developer Kit",
            ("nvidia,p3509-0000+p3668-0000", "nvidia,tegra194"),
            "jetson-xavier-nx",
        ),
        (
            "NVIDIA Jetson Xavier NX Developer Kit",
            ("nvidia,p3449-0000+p3668-0000", "nvidia,p3668-0000", "nvidia,tegra194"),
            "jetson-xavier-nx",
        ),
        (
            "NVIDIA Jetson AGX Xavier Developer Kit",
            ("nvidia,p2972-0000", "nvidia,tegra194"),
            "jetson-agx-xavier",
        ),
        (
            "NVIDIA Jetson AGX Thor Developer Kit",
            ("nvidia,p4071-0000+p3834-0008", "nvidia,p3834-0008", "nvidia,tegra264"),
            "jetson-agx-thor",
        ),
        (
            "NVIDIA Jetson Orin NX Engineering Reference Developer Kit",
            ("nvidia,p3768-0000+p3767-0000", "nvidia,p3767-0000", "nvidia,tegra234"),
            "jetson-orin-nx",
        ),
        # A carrier board of somebody else: the module counts, else the chip.
        ("Some Box", ("acme,box", "nvidia,p3767-0003", "nvidia,tegra234"), "jetson-orin-nano"),
        ("Some Box", ("acme,box", "nvidia,tegra234"), "jetson-orin"),
        ("Some Box", ("acme,box", "nvidia,tegra999"), "jetson"),
        # arch/arm64/boot/dts/{broadcom,rockchip,freescale} of Linux.
        (
            "Raspberry Pi 5 Model B Rev 1.0",
            ("raspberrypi,5-model-b", "brcm,bcm2712"),
            "raspberry-pi-5",
        ),
        (
            "Raspberry Pi Compute Module 4 Rev 1.1",
            ("raspberrypi,4-compute-module", "brcm,bcm2711"),
            "raspberry-pi-4",
        ),
        (
            "Raspberry Pi Zero 2 W Rev 1.0",
            ("raspberrypi,model-zero-2-w", "brcm,bcm2837"),
            "raspberry-pi",
        ),
        ("Radxa ROCK 5B", ("radxa,rock-5b", "rockchip,rk3588"), "rockchip-rk3588"),
        ("NXP i.MX8MPlus EVK board", ("fsl,imx8mp-evk", "fsl,imx8mp"), "nxp-imx"),
        ("QEMU virt", ("linux,dummy-virt",), "virtual-machine"),
        # Unknown to the tables: the architecture that has device trees.
        ("New Board", ("acme,new", "acme,chip"), "arm64"),
    ],
)
def test_device_trees(
    make_tree: MakeTree, model: str, compatible_with: tuple[str, ...], kind: str
) -> None:
    """The model is the name; the type comes from what the board is compatible with."""
    facts = facts_of(make_tree(device_tree(model, *compatible_with)))

    assert compatible_with == compatible(facts)
    assert (model, kind) == (name(facts), hardware_type(facts))


def test_the_tree_that_firmware_left(make_tree: MakeTree) -> None:
    """/proc/device-tree is a link to /sys/firmware/devicetree/base; a recording may lack it."""
    facts = facts_of(
        make_tree(
            {
                f"{BASE}/model": "Jetson-AGX\0",
                f"{BASE}/compatible": "nvidia,jetson-xavier\0nvidia,tegra194\0",
            }
        )
    )

    assert ("Jetson-AGX", "jetson-agx-xavier") == (name(facts), hardware_type(facts))


@pytest.mark.parametrize(
    ("dmi", "board", "kind"),
    [
        (
            {"sys_vendor": "Intel(R) Client Systems", "product_name": "NUC13ANHi7"},
            "Intel(R) Client Systems NUC13ANHi7",
            "intel-nuc",
        ),
        (
            {"sys_vendor": "ASUSTeK COMPUTER INC.", "product_name": "NUC14RVH-B"},
            "ASUSTeK COMPUTER INC. NUC14RVH-B",
            "intel-nuc",
        ),
        ({"sys_vendor": "QEMU", "product_name": "Standard PC (Q35 + ICH9, 2009)"},
         "QEMU Standard PC (Q35 + ICH9, 2009)", "virtual-machine"),
        # A mainboard that one buys without a system around it.
        (
            {
                "sys_vendor": "To Be Filled By O.E.M.",
                "product_name": "To Be Filled By O.E.M.",
                "board_vendor": "ASRock",
                "board_name": "X570 Taichi",
            },
            "ASRock X570 Taichi",
            "x86",
        ),
        # A product that already begins with its maker; a filler in another case.
        ({"sys_vendor": "Dell", "product_name": "Dell Edge 5200"}, "Dell Edge 5200", "x86"),
        ({"sys_vendor": "DEFAULT STRING", "product_name": "N100"}, "N100", "x86"),
        ({"sys_vendor": "Acme", "product_name": "Default string"}, "", "x86"),
        ({"product_name": "NVIDIA DGX Spark"}, "NVIDIA DGX Spark", "dgx-spark"),
    ],
)  # fmt: skip
def test_dmi(make_tree: MakeTree, dmi: dict[str, str], board: str, kind: str) -> None:
    """Maker and product, or those of the mainboard where a system has no names."""
    facts = facts_of(make_tree({f"{DMI}{file}": f"{text}\n" for file, text in dmi.items()}))

    assert (board, kind) == (name(facts), hardware_type(facts))
    assert [] == facts.failures


def test_dmi_that_is_no_utf8(make_tree: MakeTree) -> None:
    """Some firmware has bytes there that are no text (node_exporter#1979, #2504)."""
    facts = facts_of(make_tree({f"{DMI}product_name": b"Box\xff\x01 \x7f9\n"}))

    assert "Box\ufffd 9" == name(facts)


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"proc/sys/kernel/arch": "aarch64\n"}, "arm64"),
        ({"proc/sys/kernel/arch": "x86_64\n"}, "x86"),
        ({"proc/sys/kernel/arch": "armv7l\n"}, "arm"),
        ({"proc/cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\n"}, "x86"),
        ({"proc/cpuinfo": "processor\t: 0\nCPU architecture: 8\n"}, "arm64"),
        ({"sys/devices/system/cpu/modalias": "cpu:type:x86,ven0000fam0006mod009E:"}, "x86"),
        ({"sys/class/dmi/id/product_name": "", "proc/sys/kernel/arch": "aarch64"}, "arm64"),
        ({}, ""),
    ],
)
def test_architectures(make_tree: MakeTree, files: dict[str, str | bytes], kind: str) -> None:
    """An unknown board has its architecture as its type; nothing at all has none."""
    assert kind == hardware_type(facts_of(make_tree(files)))


def test_no_row_is_hidden_by_an_earlier_one() -> None:
    """A pattern that an earlier one swallows would never count: order is part of the tables."""
    samples = [(pattern.replace("*", "").replace("[012]", "0"), kind) for pattern, kind in NAMES]

    assert [] == [
        (sample, kind, fitting(NAMES, [sample]))
        for sample, kind in samples
        if "[" not in sample and kind != fitting(NAMES, [sample])
    ]


def test_patterns_are_in_lower_case() -> None:
    """Names are compared in lower case, so that a pattern with a capital would never fit."""
    patterns = [pattern for pattern, _ in (*NAMES, *INTEGRATED_GPUS)]
    patterns += [pattern for _, pattern, _ in ARCHITECTURES]

    assert [] == [pattern for pattern in patterns if pattern != pattern.lower()]


def test_types_are_few_and_plain() -> None:
    """One selects nodes by them: a closed set of words with hyphens."""
    assert {"jetson-orin-nano", "intel-nuc", "x86", "arm64", ""} < types()
    assert {kind for _, kind in (*NAMES, *ONLY_ON)} < types()
    assert all(kind.replace("-", "").isalnum() for kind in types() if kind)


@given(model=st.binary(max_size=300), names=st.binary(max_size=300))
def test_any_device_tree(
    tmp_path_factory: pytest.TempPathFactory, model: bytes, names: bytes
) -> None:
    """Whatever bytes firmware left, the labels are printable, short, and of the closed set."""
    tree = tmp_path_factory.mktemp("tree")
    (tree / "proc/device-tree").mkdir(parents=True)
    (tree / "proc/device-tree/model").write_bytes(model)
    (tree / COMPATIBLE).write_bytes(names)
    facts = facts_of(tree)

    assert name(facts).isprintable()
    assert len(name(facts)) <= 128
    assert hardware_type(facts) in types()
