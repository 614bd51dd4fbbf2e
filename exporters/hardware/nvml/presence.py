"""Whether a node has an NVIDIA GPU at all, whatever NVML says."""

from exporters.core import Root

_NVIDIA = "0x10de"
# Base class 3, display controllers; a GPU brings audio and USB controllers of NVIDIA, too.
_DISPLAY = "0x03"


def on_the_bus(root: Root) -> bool:
    """Say whether the kernel lists an NVIDIA GPU on PCI; what cannot be read does not count."""
    for device in root.glob("sys/bus/pci/devices/*"):
        try:
            if root.read(f"{device}/vendor") == _NVIDIA and root.read(f"{device}/class").startswith(
                _DISPLAY
            ):
                return True
        except OSError:
            continue
    return False
