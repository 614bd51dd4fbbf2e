"""The node that the benchmark makes has what it says, and nothing twice."""

from pathlib import Path

from tests.bench.roots import multiply
from tests.support.boards import board_root

BOARD = board_root("node-exporter")


def chips(root: Path) -> list[Path]:
    """Return where each hwmon chip really lies."""
    return [entry.resolve() for entry in (root / "sys/class/hwmon").iterdir()]


def test_three_times_the_sensors(tmp_path: Path) -> None:
    """Each chip, zone, RAPL domain and CPU is there three times, at a place of its own."""
    root = multiply(BOARD, 3, tmp_path / "3x")
    assert 3 * len(chips(BOARD)) == len(chips(root)) == len(set(chips(root)))
    assert all(chip.is_dir() and chip.is_relative_to(root) for chip in chips(root))
    for pattern in (
        "class/thermal/thermal_zone*",
        "class/powercap/*:*",
        "devices/system/cpu/cpu?*",
    ):
        have = [path for path in (BOARD / "sys").glob(pattern) if path.name != "cpufreq"]
        made = [path for path in (root / "sys").glob(pattern) if path.name != "cpufreq"]
        assert 3 * len(have) == len(made)


def test_links_hold(tmp_path: Path) -> None:
    """A chip's link to its device leads to the device of the copy."""
    root = multiply(BOARD, 2, tmp_path / "2x")
    links = [chip / "device" for chip in chips(root) if (chip / "device").is_symlink()]
    assert 16 == len(links)  # eight of the recorded chips have one
    assert all(link.resolve() == link.parent.parents[1] for link in links)


def test_packages_differ(tmp_path: Path) -> None:
    """Four CPUs in two packages become eight in four, or their throttle counts would merge."""
    root = multiply(BOARD, 2, tmp_path / "2x")
    ids = (root / "sys/devices/system/cpu").glob("cpu*/topology/physical_package_id")
    assert {"0", "1", "2", "3"} == {path.read_text().strip() for path in ids}
