"""What nodes that are not recorded say of themselves, in small trees of their shape."""

from collections.abc import Callable
from pathlib import Path

import pytest

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.hardware import node

MakeTree = Callable[[dict[str, str | bytes]], Path]
DMI = "sys/class/dmi/id"


def device_tree(model: str, *compatible: str) -> dict[str, str | bytes]:
    """Return the files of a device tree, which end in NUL bytes."""
    return {
        "proc/device-tree/model": f"{model}\0",
        "proc/device-tree/compatible": "".join(f"{name}\0" for name in compatible),
    }


def dmi(**texts: str | bytes) -> dict[str, str | bytes]:
    """Return the files of DMI."""
    return {f"{DMI}/{file}": text for file, text in texts.items()}


# Model and compatible strings as the device trees of Linux and of Jetson Linux have them; names of
# systems as their makers sell them.
SHAPES: dict[str, tuple[dict[str, str | bytes], tuple[str, str]]] = {
    "xavier-nx-jp4": (
        device_tree(
            "NVIDIA Jetson Xavier NX Developer Kit",
            "nvidia,p3449-0000+p3668-0000",
            "nvidia,tegra194",
        ),
        ("NVIDIA Jetson Xavier NX Developer Kit", "jetson-xavier-nx"),
    ),
    "agx-xavier": (
        device_tree("Jetson-AGX", "nvidia,p2972-0000", "nvidia,tegra194"),
        ("Jetson-AGX", "jetson-agx-xavier"),
    ),
    # A carrier board whose model names another module: the module is what computes.
    "orin-nx-on-nano-carrier": (
        device_tree(
            "NVIDIA Jetson Orin Nano Developer Kit",
            "nvidia,p3768-0000+p3767-0000",
            "nvidia,p3767-0000",
            "nvidia,tegra234",
        ),
        ("NVIDIA Jetson Orin Nano Developer Kit", "jetson-orin-nx"),
    ),
    "thor-jp7": (
        device_tree(
            "NVIDIA Jetson AGX Thor Developer Kit",
            "nvidia,p4071-0000+p3834-0008",
            "nvidia,p3834-0008",
            "nvidia,tegra264",
        ),
        ("NVIDIA Jetson AGX Thor Developer Kit", "jetson-agx-thor"),
    ),
    # A board of another maker on a chip that is known.
    "unknown-orin-board": (
        device_tree("Acme EdgeBox", "acme,edgebox", "nvidia,tegra234"),
        ("Acme EdgeBox", "jetson-orin"),
    ),
    "raspberry-pi-4": (
        device_tree("Raspberry Pi 4 Model B Rev 1.4", "raspberrypi,4-model-b", "brcm,bcm2711"),
        ("Raspberry Pi 4 Model B Rev 1.4", "raspberry-pi-4"),
    ),
    "unknown-arm64": (
        device_tree("Acme Gateway", "acme,gateway", "acme,soc9"),
        ("Acme Gateway", "arm64"),
    ),
    "nuc": (
        dmi(sys_vendor="Intel(R) Client Systems\n", product_name="NUC13ANHi7\n"),
        ("Intel(R) Client Systems NUC13ANHi7", "intel-nuc"),
    ),
    "asus-nuc": (
        dmi(sys_vendor="ASUSTeK COMPUTER INC.\n", product_name="ASUS NUC 14 Pro\n"),
        ("ASUSTeK COMPUTER INC. ASUS NUC 14 Pro", "intel-nuc"),
    ),
    # A workstation from parts: its firmware has fillers, its mainboard a name.
    "self-built": (
        {
            **dmi(
                sys_vendor="To Be Filled By O.E.M.\n",
                product_name="To Be Filled By O.E.M.\n",
                board_vendor="ASRock\n",
                board_name="B650M Pro RS\n",
            ),
            "proc/sys/kernel/arch": "x86_64\n",
        },
        ("ASRock B650M Pro RS", "x86"),
    ),
    "kvm": (
        dmi(sys_vendor="QEMU\n", product_name="Standard PC (Q35 + ICH9, 2009)\n"),
        ("QEMU Standard PC (Q35 + ICH9, 2009)", "virtual-machine"),
    ),
    "nothing": ({"proc/sys/kernel/osrelease": "6.1.0\n"}, ("", "")),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_board_and_type(make_tree: MakeTree, shape: str) -> None:
    """The maker's own words, and one of few types to select by; no board needs code."""
    files, expected = SHAPES[shape]
    labels = node.identity(ReplayRoot(str(make_tree(files))), {})

    assert expected == (labels["board"], labels["hardware_type"])


def test_name_that_is_not_utf_8(make_tree: MakeTree) -> None:
    """A NUC with a Latin-1 trademark sign in DMI has a name (node_exporter#1979, #2504)."""
    tree = make_tree(dmi(sys_vendor=b"Intel\xae\n", product_name=b"NUC8i7BEH\n"))
    labels = node.identity(Root(str(tree)), {})

    assert ("Intel\ufffd NUC8i7BEH", "intel-nuc") == (labels["board"], labels["hardware_type"])


@pytest.mark.parametrize(
    ("files", "accelerator", "driver"),
    [
        # A discrete GPU beside the processor's: NVIDIA's driver names it without NVML.
        (
            {
                "proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  "
                "535.129.03  Thu Oct 19 18:56:32 UTC 2023\nGCC version: gcc 12.2.0\n",
                "proc/driver/nvidia/gpus/0000:01:00.0/information": "Model: \t\t NVIDIA L4\n"
                "IRQ:   \t\t 174\n",
                "sys/class/drm/card0/device/vendor": "0x8086\n",
                "sys/class/drm/card0/device/device": "0x4680\n",
            },
            "NVIDIA L4",
            "nvidia 535.129.03",
        ),
        (
            {
                "proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX Open Kernel Module for "
                "x86_64  560.35.03  Release Build  (root@host)\n",
                "sys/class/drm/card0/device/vendor": "0x10de\n",
                "sys/class/drm/card0/device/device": "0x27b8\n",
            },
            "NVIDIA 27b8",
            "nvidia 560.35.03",
        ),
        # An aspeed BMC shows a console on a server, and is no GPU.
        ({"sys/class/drm/card0/device/vendor": "0x1a03\n"}, "", ""),
        (
            device_tree("Acme", "acme,board", "nvidia,tegra264")
            | {"etc/nv_tegra_release": "# R38 (release), REVISION: 2.0, GCID: 0, BOARD: generic\n"},
            "NVIDIA GB10B",
            "L4T 38.2.0",
        ),
        ({"sys/class/devfreq/fb000000.gpu/cur_freq": "300000000\n"}, "fb000000.gpu", ""),
    ],
)
def test_accelerator_and_driver(
    make_tree: MakeTree, files: dict[str, str | bytes], accelerator: str, driver: str
) -> None:
    """What computes fastest, and the version that a bug report asks for."""
    labels = node.identity(ReplayRoot(str(make_tree(files))), {})

    assert (accelerator, driver) == (labels["accelerator"], labels["driver"])
