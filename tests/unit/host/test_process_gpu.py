"""Which processes use a GPU."""

from collections.abc import Callable
from pathlib import Path

import pytest

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.host.process_gpu import uses_gpu
from tests.support.process_tree import Proc

MakeTree = Callable[[dict[str, str | bytes]], Path]


@pytest.mark.parametrize(
    "device",
    [
        "/dev/nvidia0",
        "/dev/nvidia15",
        "/dev/nvidia-uvm",
        "/dev/nvhost-ctrl-gpu",
        "/dev/nvhost-as-gpu",
        "/dev/nvhost-gpu",
        "/dev/nvhost-ctrl-nvdla0",
        "/dev/nvgpu/igpu0/ctrl",
        "/dev/dri/renderD128",
        "/dev/kfd",
        "/dev/accel/accel0",
        "/dev/mali0",
        "/dev/apex_0",
        "/dev/hailo0",
        "/dev/nvidia0 (deleted)",
    ],
)
def test_a_holder_of_a_device_uses_it(tmp_path: Path, device: str) -> None:
    """An open file, or a mapping, of a device that computes or renders."""
    proc = Proc(tmp_path)
    proc.put(7, files=["/dev/null", "socket:[7]", device])
    proc.put(8, maps=f"7f00-7f01 rw-s 00000000 00:05 449                        {device}\n")

    assert uses_gpu(Root(str(tmp_path)), "7")
    assert uses_gpu(Root(str(tmp_path)), "8") is not device.endswith(")")


@pytest.mark.parametrize(
    "device",
    [
        "/dev/nvidiactl",  # whoever asks NVML for a name
        "/dev/nvidia-caps/nvidia-cap1",
        "/dev/nvidia-modeset",
        "/dev/dri/card0",  # a display server
        "/dev/nvmap",  # cameras and displays, too
        "/dev/nvhost-vic",
        "/dev/nvgpu/igpu0/power",
        "/home/me/dev/nvidia0",
        "/dev/nvidia0.txt",
        "pipe:[77]",
    ],
)
def test_other_devices_are_no_use_of_a_gpu(tmp_path: Path, device: str) -> None:
    """Control devices, displays and files that are called alike."""
    Proc(tmp_path).put(7, files=[device], maps=f"7f00-7f01 rw-s 0 00:05 449     {device}\n")

    assert not uses_gpu(Root(str(tmp_path)), "7")


@pytest.mark.parametrize(
    ("library", "uses"),
    [
        ("/usr/lib/x86_64-linux-gnu/libcuda.so.550.54.15", True),
        ("/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1", True),
        ("/usr/lib/libnvinfer.so.10.0.1", True),
        ("/usr/lib/libze_intel_gpu.so.1.3", True),
        ("/opt/rocm/lib/libhsa-runtime64.so.1", True),
        ("/usr/lib/libcudart.so.12", False),
        ("/usr/lib/libnvidia-ml.so.550.54.15", False),
        ("/usr/lib/libze_loader.so.1", False),
        ("/usr/lib/libOpenCL.so.1", False),
        ("/usr/lib/libnvinfer_plugin.so.10", False),
        ("/usr/lib/libc.so.6", False),
    ],
)
def test_libraries_that_are_loaded_for_use(tmp_path: Path, library: str, uses: bool) -> None:  # noqa: FBT001  # a table
    """Drivers count; loaders and what only asks do not."""
    maps = (
        f"55d0-55d1 r-xp 00000000 fd:01 42     /usr/bin/app\n7f00-7f01 r-xp 0 fd:01 7 {library}\n"
    )
    Proc(tmp_path).put(7, maps=maps)

    assert uses is uses_gpu(Root(str(tmp_path)), "7")


def test_a_recording_without_links(make_tree: MakeTree) -> None:
    """Where a tool made links small files, they say the same."""
    tree = make_tree({"proc/7/fd/5": "/dev/nvidia-uvm", "proc/7/maps": ""})

    assert uses_gpu(ReplayRoot(str(tree)), "7")


def test_a_file_that_is_closed_meanwhile_is_no_error(tmp_path: Path) -> None:
    """The others are looked at."""
    proc = Proc(tmp_path)
    proc.put(7, files=["/dev/null", "/dev/nvidia0"])

    class Closing(Root):
        """The first file is closed after it was listed."""

        def link(self, path: str) -> str:
            """Close it, then look."""
            if path.endswith("fd/0"):
                (tmp_path / path).unlink()
            return super().link(path)

    assert uses_gpu(Closing(str(tmp_path)), "7")


def test_mappings_tell_where_files_may_not_be_seen(tmp_path: Path) -> None:
    """A user may lack CAP_DAC_READ_SEARCH, which listing takes, and have CAP_SYS_PTRACE."""
    proc = Proc(tmp_path)
    proc.put(7, maps="7f00-7f01 r-xp 0 fd:01 7 /usr/lib/libcuda.so.1\n")
    proc.put(8)

    class Denying(Root):
        """Lists no open files."""

        def entries(self, folder: str) -> list[str]:
            """Refuse."""
            raise PermissionError(13, "Permission denied", folder)

    assert uses_gpu(Denying(str(tmp_path)), "7")
    with pytest.raises(PermissionError):
        uses_gpu(Denying(str(tmp_path)), "8")
