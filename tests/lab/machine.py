"""Boots a kernel in QEMU and has it do a job in a copy of this machine's file system."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.lab.initramfs import initramfs
from tests.lab.modules import Modules

# What the lab itself needs: the host's files through 9p below an overlay, and a port for answers.
OWN_MODULES = ("virtio_pci", "virtio_console", "9pnet_virtio", "9p", "overlay")
# Without KVM: not every machine has it, and where it is nested, guests may hang.
X86_64 = ("qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max")


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel to boot, as a package holds it, and the machine that it is for."""

    image: Path
    modules: Path
    """The folder ``lib/modules/<release>``."""
    qemu: Sequence[str] = X86_64
    console: str = "ttyS0"

    @property
    def release(self) -> str:
        """What ``uname -r`` says there."""
        return self.modules.name


@dataclass(frozen=True, slots=True)
class Job:
    """What to do in the machine."""

    command: Sequence[str]
    modules: Sequence[str] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Module parameters by module; ``-`` for one that the job loads itself."""
    cmdline: Sequence[str] = ()
    """More words for the kernel's command line."""
    memory_mib: int = 1024
    devices: Sequence[str] = ()
    """More arguments for QEMU."""


@dataclass(frozen=True, slots=True)
class Report:
    """What came out."""

    lines: Sequence[str]
    """What the job wrote to its standard output."""
    exit: int | None
    """The job's exit status; None if the machine did not get so far."""
    console: str
    """What the kernel, and the job's standard error, wrote to the console."""


def find_kernel(packages: Path) -> Kernel | None:
    """Return the newest kernel that was unpacked from packages below a folder."""
    images = sorted(packages.glob("linux-image*/boot/vmlinuz-*"))
    for image in reversed(images):
        release = image.name.removeprefix("vmlinuz-")
        for modules in (image.parents[1] / "lib/modules", image.parents[1] / "usr/lib/modules"):
            if (modules / release).is_dir():
                return Kernel(image, modules / release)
    return None


def run(kernel: Kernel, job: Job, folder: Path, timeout_seconds: float) -> Report:
    """
    Boot the kernel, do the job, and return what came out.

    Args:
        kernel: what to boot.
        job: what to do there; its command sees this machine's files, and may change its copy.
        folder: where to leave initramfs, console and answers.
        timeout_seconds: after that the machine is switched off; the report has no exit status.
    """
    busybox = shutil.which("busybox")
    if busybox is None:
        msg = "busybox is not installed"
        raise LookupError(msg)
    wanted = Modules(kernel.modules).in_order((*OWN_MODULES, *job.modules))
    ram = initramfs(Path(busybox).read_bytes(), wanted, job.parameters, job.command)
    (folder / "initramfs").write_bytes(ram)
    answers, console = folder / "answers", folder / "console"
    command = [*_command(kernel, job, folder), *job.devices]
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(command, check=True, timeout=timeout_seconds, stdin=subprocess.DEVNULL)
    lines = answers.read_text(encoding="utf-8").splitlines()
    status = None
    if lines and lines[-1].startswith("lab: exit "):
        status = int(lines.pop().rpartition(" ")[2])
    return Report(lines, status, console.read_text(encoding="utf-8", errors="replace"))


def _command(kernel: Kernel, job: Job, folder: Path) -> list[str]:
    cmdline = (f"console={kernel.console}", "quiet", "panic=-1", "rdinit=/init", *job.cmdline)
    options = {
        "-m": f"{job.memory_mib}",
        "-smp": "2",
        "-display": "none",
        "-kernel": f"{kernel.image}",
        "-initrd": f"{folder / 'initramfs'}",
        "-append": " ".join(cmdline),
        "-serial": f"file:{folder / 'console'}",
        "-virtfs": "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap",
        "-chardev": f"file,id=answers,path={folder / 'answers'}",
    }
    words = [word for pair in options.items() for word in pair]
    port = ("-device", "virtio-serial", "-device", "virtserialport,chardev=answers,name=lab")
    return [*kernel.qemu, "-nodefaults", "-no-reboot", *words, *port]
