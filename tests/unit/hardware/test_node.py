"""What a node says of itself."""

import errno
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.hardware.facts import LONGEST
from exporters.hardware.node import INFO, PLACE, collector, identity, parse_release
from exporters.otlp.resource import NODE_ATTRIBUTES
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed

MakeTree = Callable[[dict[str, str | bytes]], Path]
UNKNOWN: Mapping[str, str] = dict.fromkeys(INFO.labels, "")


def labels(root: Root, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the labels of the one sample that the collector gives."""
    (sample,) = run(collector(environment), root).samples
    assert 1 == sample.value
    return dict(zip(INFO.labels, sample.series.values, strict=True))


def test_labels_are_those_of_the_contract_and_of_otlp() -> None:
    """Each label has its resource attribute, and each attribute its label."""
    assert set(NODE_ATTRIBUTES) == set(INFO.labels)
    assert set(PLACE) < set(INFO.labels)


@pytest.mark.parametrize(
    ("board", "said"),
    [
        # proc/device-tree, etc/nv_tegra_release; GPUs: NVIDIA's module data sheets.
        (
            "jetson-orin-nano-jp6",
            {
                "board": "NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super",
                "hardware_type": "jetson-orin-nano",
                "accelerator": "NVIDIA GA10B",
                "driver": "L4T 36.4.3",
            },
        ),
        (
            "jetson-orin-agx-jp5",
            {
                "board": "Jetson AGX Orin",
                "hardware_type": "jetson-agx-orin",
                "accelerator": "NVIDIA GA10B",
                "driver": "L4T 35.1.0",
            },
        ),
        (
            "jetson-nano-jp4",
            {
                "board": "NVIDIA Jetson Nano Developer Kit",
                "hardware_type": "jetson-nano",
                "accelerator": "NVIDIA GM20B",
                "driver": "L4T 32.7.6",
            },
        ),
        # No DMI, no /proc/version: intel_pstate says x86, the PCI numbers which GPU.
        (
            "nuc13-i915",
            {"hardware_type": "x86", "accelerator": "Intel a7a0", "driver": "i915"},
        ),
        ("node-exporter", {"hardware_type": "x86"}),
    ],
)
def test_recorded_boards(board: str, said: dict[str, str]) -> None:
    """A recording says this, and nothing of the machine that shows it."""
    root = ReplayRoot(str(board_root(board)))

    assert {**UNKNOWN, **said} == labels(root, {})


def test_the_environment_names_and_places_the_node(make_tree: MakeTree) -> None:
    """NODE_NAME wins over the host name; NODE_REGION, NODE_RACK, NODE_ZONE say where it is."""
    tree = make_tree({"proc/sys/kernel/hostname": "container\n"})
    environment = {
        "NODE_NAME": "edge-7", "NODE_REGION": "eu", "NODE_RACK": "r12\n", "NODE_ZONE": "hall 3",
    }  # fmt: skip

    assert {
        **UNKNOWN, "node": "edge-7", "region": "eu", "rack": "r12", "zone": "hall 3",
    } == identity(ReplayRoot(str(tree)), environment)  # fmt: skip


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"proc/sys/kernel/hostname": "a\n", "etc/hostname": "b\n"}, "a"),
        ({"etc/hostname": "b\n"}, "b"),
        # A kernel whose host name nobody has set (DEFAULT_HOSTNAME of init/Kconfig).
        ({"proc/sys/kernel/hostname": "(none)\n", "etc/hostname": "b\n"}, "b"),
        ({"proc/sys/kernel/hostname": "\n"}, ""),
    ],
)
def test_host_names(make_tree: MakeTree, files: dict[str, str | bytes], name: str) -> None:
    """The running kernel's host name counts before the configured one."""
    assert name == identity(ReplayRoot(str(make_tree(files))), {"NODE_NAME": ""})["node"]


@pytest.mark.parametrize(
    ("files", "release"),
    [
        ({"proc/sys/kernel/osrelease": "5.15.148-tegra\n", "proc/version": "x"}, "5.15.148-tegra"),
        (
            {"proc/version": "Linux version 6.8.0-45-generic (buildd@host) (gcc 13) #45 SMP\n"},
            "6.8.0-45-generic",
        ),
    ],
)
def test_kernels(make_tree: MakeTree, files: dict[str, str | bytes], release: str) -> None:
    """The release stands in osrelease, and for recordings without it in version."""
    assert release == identity(ReplayRoot(str(make_tree(files))), {})["kernel"]


def test_what_cannot_be_understood_is_a_failure(make_tree: MakeTree) -> None:
    """The label is empty, the reason is counted, and the other labels stand."""
    tree = make_tree({"proc/version": "FreeBSD 14", "etc/hostname": "b"})
    outcome = run(collector({}), ReplayRoot(str(tree)))

    assert ["proc/version"] == failed(outcome)
    assert "b" == identity(ReplayRoot(str(tree)), {})["node"]


def test_one_file_that_cannot_be_read(mounted: Mounted) -> None:
    """The device tree's names refuse: one failure each, though read twice; the rest is told."""
    path = "proc/device-tree/compatible"
    root = ReplayRoot(str(mounted("jetson-orin-nano-jp6", Faults({path: errno.EIO}))))
    outcome = run(collector({}), root)

    assert [path] == failed(outcome)
    assert 1 == len(outcome.samples)
    told = identity(root, {})
    # The model names the type as well; only the number of its GPU is not to be had.
    assert ("jetson-orin-nano", "L4T 36.4.3") == (told["hardware_type"], told["driver"])


def test_the_running_machine() -> None:
    """Python's own uname says the same of this machine as its files do."""
    told = identity(Root(), {})

    assert (os.uname().nodename, os.uname().release) == (told["node"], told["kernel"])


@given(st.text() | st.text().map(lambda text: f"Linux version {text}"))
def test_any_version_gives_a_release_or_valueerror(text: str) -> None:
    """Linux may call itself anything; a label must bear it."""
    try:
        release = parse_release(text)
    except ValueError:
        return

    assert release.isprintable()
    assert len(release) <= LONGEST
