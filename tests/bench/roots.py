"""Makes a node with many times the sensors of a recorded one, with links as sysfs has them."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

NUMBER = re.compile(r"\d+")


def multiply(root: Path, factor: int, target: Path) -> Path:
    """
    Copy a root to ``target`` with ``factor`` times its hwmon chips, zones, RAPL domains and CPUs.

    Every copy has a device path, a class number and, where it shows, a package of its own, so
    that nothing looks like the same sensor twice. Returns ``target``.
    """
    shutil.copytree(root, target, symlinks=True)
    for name in ("hwmon", "thermal", "powercap"):
        folder = target / "sys/class" / name
        entries = sorted(folder.iterdir()) if folder.is_dir() else []
        numbers = (int(match[0]) for entry in entries if (match := NUMBER.search(entry.name)))
        step = 1 + max(numbers, default=0)
        for copy in range(1, factor):
            for entry in entries:
                _copy_class_entry(target, entry, copy, step)
    _copy_cpus(target / "sys/devices/system/cpu", factor)
    return target


def _copy_class_entry(root: Path, entry: Path, copy: int, step: int) -> None:
    """Add one more device like a class entry, under a number that is free."""
    new = entry.with_name(_number(entry.name, lambda number: number + copy * step))
    if new == entry:
        return  # intel-rapl, the control type: there is only one
    if not entry.is_symlink():
        _copy_folder(entry, new, copy * step)
        return
    parts = entry.readlink().parts  # ../../devices/platform/coretemp.0/hwmon/hwmon0
    top = parts.index("devices") + 1
    inner = list(parts[top:-1])
    base = root / "sys/devices"
    _copy_branch(base, inner, copy)
    beside = base.joinpath(*inner)
    (beside / parts[-1]).rename(beside / new.name)
    new.symlink_to(Path(*parts[:top], *inner, new.name))
    name = new / "name"
    if name.is_file() and not (new / "device").exists():
        name.write_text(f"{name.read_text().strip()}_{copy}\n")


def _copy_branch(base: Path, inner: list[str], copy: int) -> None:
    """
    Copy what is below sys/devices on the way to a device, once; change ``inner`` to the copy.

    node_exporter knows a chip by its device and the folder above it, or else by its name alone:
    both must differ from the original's, or it would spend its time on reporting collisions.
    """
    above = len(inner) - 3  # as in soc/18000000.wifi/[ieee80211]/phy0/hwmon
    original, inner[0] = inner[0], f"{inner[0]}{copy}"
    if not (base / inner[0]).exists():
        shutil.copytree(base / original, base / inner[0], symlinks=True)
    if above > 0:
        old = base.joinpath(*inner[: above + 1])
        inner[above] = f"{inner[above]}{copy}"
        if old.exists():
            old.rename(base.joinpath(*inner[: above + 1]))


def _copy_folder(entry: Path, new: Path, add: int) -> None:
    shutil.copytree(entry, new, symlinks=True)
    name = new / "name"
    if name.is_file() and name.read_text().startswith("package-"):
        name.write_text(_number(name.read_text(), lambda number: number + add))


def _number(text: str, change: Callable[[int], int]) -> str:
    """Change the first number in a text."""
    return NUMBER.sub(lambda match: str(change(int(match[0]))), text, count=1)


def _copy_cpus(folder: Path, factor: int) -> None:
    cpus = sorted(folder.glob("cpu[0-9]*"))
    if not cpus:
        return
    packages = 1 + max((_read(cpu / "topology/physical_package_id") for cpu in cpus), default=0)
    for copy in range(1, factor):
        for cpu in cpus:
            number = int(cpu.name.removeprefix("cpu")) + copy * len(cpus)
            _copy_cpu(cpu, folder / f"cpu{number}", copy * packages)
    (folder / "online").write_text(f"0-{len(cpus) * factor - 1}\n")


def _copy_cpu(cpu: Path, new: Path, add_package: int) -> None:
    shutil.copytree(cpu, new, symlinks=True)
    package = new / "topology/physical_package_id"
    if package.exists():
        package.write_text(f"{_read(package) + add_package}\n")
    related = new / "cpufreq/related_cpus"
    if related.exists():
        related.write_text(f"{new.name.removeprefix('cpu')}\n")
    bus = cpu.parents[3] / "bus/cpu/devices"
    if (bus / cpu.name).is_symlink():
        (bus / new.name).symlink_to(Path("../../../devices/system/cpu", new.name))


def _read(path: Path) -> int:
    return int(path.read_text()) if path.exists() else 0
