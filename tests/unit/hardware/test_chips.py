"""Sensor chips keep their names when the kernel numbers them anew."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from exporters.core import Failure, NoData, Root
from exporters.core.replay import ReplayRoot
from exporters.hardware.chips import find_chips
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.faults import Faults

MakeTree = Callable[[dict[str, str | bytes]], Path]


def names(root: Root) -> list[tuple[str, str]]:
    """Return the name and device of each chip."""
    return [(c.name, c.device) for c in find_chips(root) if not isinstance(c, Failure)]


def link(tree: Path, number: int, device: str) -> None:
    """Make ``/sys/class/hwmon/hwmon<number>`` for a chip below a device."""
    place = tree / "sys/class/hwmon"
    place.mkdir(parents=True, exist_ok=True)
    (place / f"hwmon{number}").symlink_to(f"../../devices/{device}")


def test_chips_of_the_node_exporter_fixture() -> None:
    """Twins differ by device; a chip without a name is called by its device or its folder."""
    found = names(ReplayRoot(str(board_root("node-exporter"))))

    phy = "platform/soc/18000000.wifi/ieee80211/phy0"
    assert [
        ("coretemp", "platform/coretemp.0"),
        ("coretemp", "platform/coretemp.1"),
        ("applesmc", "platform/applesmc.768"),
        ("nct6779", "platform/nct6775.656"),
        ("hwmon4", "hwmon4"),
        ("bogus", "platform/bogus.0"),
        ("asus", "platform/asus-nb-wmi"),
        ("asus_wmi_sensors", "platform/asus-nb-wmi"),
        ("mt7996_phy0_0", phy),
        ("mt7996_phy0_1", phy),
        ("mt7996_phy0_2", phy),
    ] == found


def test_identity_survives_new_numbers(tmp_path: Path) -> None:
    """A chip that was hwmon4 and is hwmon2 after a boot is the same chip (thinkfan#17)."""
    found = []
    for boot, number in (("first", 4), ("second", 2)):
        tree = tmp_path / boot
        place = tree / f"sys/devices/platform/39c0000.tachometer/hwmon/hwmon{number}"
        place.mkdir(parents=True)
        (place / "name").write_text("pwm_tach\n")
        (place / "rpm").write_text("717\n")
        link(tree, number, f"platform/39c0000.tachometer/hwmon/hwmon{number}")
        found.append(names(Root(str(tree))))

    assert [[("pwm_tach", "platform/39c0000.tachometer")]] * 2 == found


def test_twins_on_one_device_get_numbers_of_their_own(tmp_path: Path) -> None:
    """One name twice on one device: the second in the kernel's order is #2 (hwmon10 after 9)."""
    for number in (10, 9):
        place = tmp_path / f"sys/devices/pci0000:00/0000:00:1f.0/hwmon/hwmon{number}"
        place.mkdir(parents=True)
        (place / "name").write_text("phy\n")
        (place / "temp1_input").write_text(f"{number}000\n")
        link(tmp_path, number, f"pci0000:00/0000:00:1f.0/hwmon/hwmon{number}")

    chips = [c for c in find_chips(Root(str(tmp_path))) if not isinstance(c, Failure)]

    assert [
        ("pci0000:00/0000:00:1f.0", "sys/class/hwmon/hwmon9"),
        ("pci0000:00/0000:00:1f.0#2", "sys/class/hwmon/hwmon10"),
    ] == [(c.device, c.folder) for c in chips]


def test_chip_of_a_thermal_zone_lies_on_the_zone() -> None:
    """Newer kernels leave out the folder between device and chip."""
    found = names(ReplayRoot(str(board_root("nuc13-i915"))))

    assert ("acpitz", "virtual/thermal/thermal_zone0") in found
    assert ("nvme", "pci0000:00/0000:00:06.0/0000:01:00.0/nvme/nvme0") in found


def test_name_that_cannot_be_read_hides_no_other_chip(
    mounted: Mounted, make_tree: MakeTree
) -> None:
    """The first chip's name fails: it is a failure, and the second is found."""
    tree = make_tree(
        {
            "sys/class/hwmon/hwmon0/name": "bad\n",
            "sys/class/hwmon/hwmon0/temp1_input": "1000\n",
            "sys/class/hwmon/hwmon1/name": "good\n",
            "sys/class/hwmon/hwmon1/temp1_input": "2000\n",
        }
    )
    root = Root(str(mounted(tree, Faults({"sys/class/hwmon/hwmon0/name": errno.EIO}))))

    first, second = find_chips(root)

    assert isinstance(first, Failure)
    assert errno.EIO == getattr(first.error, "errno", None)
    assert not isinstance(second, Failure)
    assert "good" == second.name


def test_dangling_link_is_a_chip_without_files(tmp_path: Path) -> None:
    """A device that went away between two looks is no error."""
    link(tmp_path, 0, "platform/gone/hwmon/hwmon0")

    (chip,) = find_chips(Root(str(tmp_path)))

    assert not isinstance(chip, Failure)
    assert {} == chip.files


def test_node_without_chips_says_so(make_tree: MakeTree) -> None:
    """No chip at all is an answer."""
    root = Root(str(make_tree({"sys/class/.keep": ""})))

    with pytest.raises(NoData, match="no hwmon chip"):
        list(find_chips(root))
