"""
Which processes use a GPU or another accelerator: by what they have open, else by what they map.

A control device alone is no use of the hardware: whoever asks for a name or a temperature opens
``/dev/nvidiactl``, and a display server opens ``/dev/dri/card0`` to switch modes. Nor is a loader
(libOpenCL, libvulkan, libze_loader), which programs link that then find no hardware.
"""

import re

from exporters.core import Root
from exporters.host.process_faults import GONE

DEVICES = (
    # NVIDIA, also Jetson Thor: one for each GPU, and the memory that CUDA shares with it.
    r"nvidia\d+",
    r"nvidia-uvm",
    # Jetson up to Orin: nvgpu, where all else is opened through the control device and then has
    # no name of its own; JetPack 6 has a folder for each GPU. Beside it the accelerators.
    r"nvhost-(?:ctrl-|as-|tsg-)?gpu",
    r"nvhost-(?:ctrl-)?(?:nvdla|pva)\d+",
    r"nvgpu/[\w-]+/(?:ctrl|as|channel|tsg)",
    # Any DRM driver: rendering and computing without a display.
    r"dri/renderD\d+",
    # AMD's compute queues.
    r"kfd",
    # The kernel's own class of accelerators, such as Intel's NPU.
    r"accel/accel\d+",
    # GPUs with drivers of their own: Arm, Qualcomm; accelerators: Coral, Hailo.
    r"mali\d+",
    r"kgsl-3d\d+",
    r"apex_\d+",
    r"hailo\d+",
)
"""Devices below /dev whose holders use the hardware."""

LIBRARIES = (
    r"cuda\.so",  # the driver's, which the CUDA runtime loads at its first call
    r"nvinfer\.so",  # TensorRT
    r"nvidia-opencl\.so",
    r"ze_intel_gpu\.so",  # Level Zero's driver for Intel GPUs
    r"igdrcl\.so",  # Intel's OpenCL driver
    r"hsa-runtime64\.so",  # ROCm
)
"""Libraries, without ``lib``, that are loaded to use the hardware, not to find out about it."""

MOST_FILES = 1024
"""Open files that are looked at; drivers are opened early, and a mapping tells of later ones."""

_DEVICE = rf"/dev/(?:{'|'.join(DEVICES)})"
_OPEN = re.compile(rf"{_DEVICE}(?: \(deleted\))?")
_MAPPED_DEVICE = re.compile(rf" {_DEVICE}$", re.MULTILINE)
_MAPPED_LIBRARY = re.compile(rf"/lib(?:{'|'.join(LIBRARIES)})")


def uses_gpu(root: Root, pid: str) -> bool:
    """
    Whether a process has a device open, or maps one or a library of theirs.

    Raises:
        OSError: it has ended, or this could not be seen: it takes CAP_SYS_PTRACE.
    """
    failed: OSError | None = None
    for sees in (holds_device, maps_gpu):
        try:
            if sees(root, pid):
                return True
        except GONE:
            raise
        except OSError as error:
            failed = failed or error
    if failed:
        raise failed
    return False


def holds_device(root: Root, pid: str) -> bool:
    """
    Whether one of the open files of a process is such a device.

    Raises:
        OSError: they cannot be listed or looked at.
    """
    for number in root.entries(f"proc/{pid}/fd")[:MOST_FILES]:
        try:
            target = root.link(f"proc/{pid}/fd/{number}")
        except GONE:
            continue
        if target.startswith("/dev/") and _OPEN.fullmatch(target):
            return True
    return False


def maps_gpu(root: Root, pid: str) -> bool:
    """
    Whether a process has mapped such a device or library; not where there are no mappings.

    Raises:
        OSError: its mappings cannot be read.
    """
    try:
        maps = root.read(f"proc/{pid}/maps")
    except FileNotFoundError:
        return False
    return bool(_MAPPED_LIBRARY.search(maps) or _MAPPED_DEVICE.search(maps))
