"""
What a block device is: a disk, or a part of one, or memory; and which disk.

The kernel says what is a partition. Where ``/sys`` is not to be seen, names tell: those of
partitions end in a number, after a ``p`` where the disk's name does, too.
"""

import re

from exporters.core import Kind, Metric, Root, Unit
from exporters.hardware.facts import Facts, tidy

FOLDER = "sys/class/block"

INFO = Metric(
    "disk",
    Kind.INFO,
    Unit.NONE,
    "What a disk is, and where: path is its bus address, which stays when disks are renumbered.",
    ("device", "name", "model", "firmware", "path", "rotational"),
)

# Files, memory and floppy drives.
_LEFT_OUT = re.compile(r"(?a:(loop|z?ram|fd)\d+)")
_PARTITION = re.compile(r"(?a:(h|s|v|xv)d[a-z]+\d+|(nvme\d+n|mmcblk|nbd|md)\d+p\d+)")
# The kernel gives these numbers in the order in which it meets the devices.
_NUMBERED = re.compile(
    r"(?a:/(ata\d+|host\d+|virtio\d+|nvme|nvme-subsystem|mmc_host|block)(/.*)?$)"
)
_VIRTUAL = "sys/devices/virtual/"


def folder(name: str) -> str:
    """Return the folder of a device; where its name has a slash, the folder's has not."""
    return f"{FOLDER}/{name.replace('/', '!')}"


def is_disk(root: Root, name: str) -> bool:
    """Whether a block device is a whole disk, or made of some (dm, md)."""
    if _LEFT_OUT.fullmatch(name):
        return False
    if root.exists(folder(name)):
        return not root.exists(f"{folder(name)}/partition")
    return _PARTITION.fullmatch(name) is None


def is_hardware(root: Root, name: str) -> bool:
    """Whether a disk has a device behind it."""
    return root.exists(f"{folder(name)}/device")


def bus_path(path: str) -> str:
    """
    Return where on its bus a disk is, from its folder; empty where it is on none.

    ``sys/devices/pci0000:00/0000:00:1d.0/0000:02:00.0/nvme/nvme0/nvme0n1`` is at
    ``pci0000:00/0000:00:1d.0/0000:02:00.0``. Disks of one SATA controller share a path.
    """
    if not path.startswith("sys/devices/") or path.startswith(_VIRTUAL):
        return ""
    return _NUMBERED.sub("", path).removeprefix("sys/devices").removeprefix("/")


def describe(facts: Facts, name: str) -> dict[str, str]:
    """
    Return the labels of INFO; empty where nothing tells. Serial numbers are left out on purpose.

    Models: ``device/model`` of SCSI, SATA and NVMe, ``device/name`` of MMC and SD. Name: what a
    device mapper's table is called, which its number does not tell.
    """
    at = folder(name)
    return {
        "device": tidy(name),
        "name": facts.first(f"{at}/dm/name"),
        "model": facts.first(f"{at}/device/model", f"{at}/device/name"),
        "firmware": facts.first(
            f"{at}/device/firmware_rev", f"{at}/device/fwrev", f"{at}/device/rev"
        ),
        "path": tidy(bus_path(facts.root.resolve(at))),
        "rotational": facts.first(f"{at}/queue/rotational"),
    }
