"""What a GPU is: names and versions, which do not change while it is there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from exporters.core import Kind, Metric, Root, Sample, Series, Unit
from exporters.hardware.nvml.errors import NvmlError
from exporters.hardware.nvml.gpu import Gpu, supported, where
from exporters.hardware.nvml.reading import Call

INFO = Metric(
    "gpu",
    Kind.INFO,
    Unit.NONE,
    "A GPU that NVML lists, with its driver and the newest CUDA version that this driver runs.",
    (
        "gpu", "name", "driver_version", "cuda_version", "pci_bus_id", "minor", "vbios_version",
        "compute_capability",
    ),
)  # fmt: skip
COMPUTE_MODE = Metric(
    "gpu_compute_mode",
    Kind.INFO,
    Unit.NONE,
    "Whether processes may share the GPU: default, prohibited, exclusive_process.",
    ("gpu", "mode"),
)
UNIFIED = Metric(
    "gpu_memory_unified",
    Kind.INFO,
    Unit.NONE,
    "The GPU has no memory of its own, so that NVML tells of none: it uses that of the host.",
    ("gpu",),
)

METRICS = (INFO, COMPUTE_MODE, UNIFIED)

_UUID = Call("nvmlDeviceGetUUID")
_COMPUTE_MODE = Call("nvmlDeviceGetComputeMode")
_COMPUTE_MODES = {0: "default", 1: "exclusive_thread", 2: "prohibited", 3: "exclusive_process"}


@dataclass(frozen=True, slots=True)
class Presence:
    """Whether the GPU is still there. Read before its other sensors, which it gives a chance."""

    where: str
    gpu: Gpu
    samples: Sequence[Sample]

    def read(self, root: Root) -> Sequence[Sample]:  # noqa: ARG002  # the contract of sensors
        """Ask the GPU who it is; a lost one does not say."""
        self.gpu.begin()
        try:
            self.gpu.nvml.ask(_UUID.name, self.gpu.handle)
        except NvmlError as error:
            self.gpu.trouble = error
            raise
        return self.samples


@dataclass(frozen=True, slots=True)
class ComputeMode:
    """Who may use the GPU, which an administrator can change at any time."""

    where: str
    gpu: Gpu

    def read(self, root: Root) -> Sequence[Sample]:  # noqa: ARG002  # the contract of sensors
        """Ask for the mode."""
        if self.gpu.trouble:
            return ()
        mode = self.gpu.ask(_COMPUTE_MODE)
        if mode not in _COMPUTE_MODES:
            msg = f"no such compute mode: {mode!r}"
            raise ValueError(msg)
        return (COMPUTE_MODE.sample(1, gpu=self.gpu.uuid, mode=_COMPUTE_MODES[mode]),)


def presence(gpu: Gpu) -> Presence:
    """Return the sensor that exports the info metric of a GPU."""
    return Presence(where(gpu.uuid, _UUID), gpu, (Sample(_info(gpu), 1),))


def compute_mode(gpu: Gpu) -> Iterator[ComputeMode]:
    """Yield the sensor of a GPU's compute mode, where it has one."""
    if supported(gpu, [_COMPUTE_MODE]):
        yield ComputeMode(where(gpu.uuid, _COMPUTE_MODE), gpu)


@dataclass(frozen=True, slots=True)
class Unified:
    """That the GPU shares the memory of its host, found when NVML was asked for it in vain."""

    where: str
    gpu: Gpu

    def read(self, root: Root) -> Sequence[Sample]:  # noqa: ARG002  # the contract of sensors
        """Say so, while the GPU is there."""
        return () if self.gpu.trouble else (UNIFIED.sample(1, gpu=self.gpu.uuid),)


def unified(gpu: Gpu) -> Unified:
    """Return the sensor of a GPU without memory of its own."""
    return Unified(where(gpu.uuid, "memory"), gpu)


def _info(gpu: Gpu) -> Series:
    def device(call: str) -> Any:
        return _told(gpu, call, gpu.handle)

    cuda = _told(gpu, "nvmlSystemGetCudaDriverVersion")
    bus = device("nvmlDeviceGetPciInfo")
    capability = device("nvmlDeviceGetCudaComputeCapability")
    return INFO.series(
        gpu=gpu.uuid,
        name=_text(device("nvmlDeviceGetName")),
        driver_version=_text(_told(gpu, "nvmlSystemGetDriverVersion")),
        # 1000 * major + 10 * minor
        cuda_version=f"{cuda // 1000}.{cuda % 1000 // 10}" if isinstance(cuda, int) else "",
        pci_bus_id=_text(bus.get("busId")) if isinstance(bus, dict) else "",
        minor=_text(device("nvmlDeviceGetMinorNumber")),
        vbios_version=_text(device("nvmlDeviceGetVbiosVersion")),
        compute_capability=".".join(map(_text, capability or ())),
    )


def _told(gpu: Gpu, call: str, *arguments: Any) -> Any:
    """Return an answer, or None where the GPU has none or refuses: a label is then empty."""
    try:
        return gpu.nvml.ask(call, *arguments)
    except NvmlError:
        return None


def _text(answer: Any) -> str:
    return "" if answer is None else str(answer)
