"""Which processes use a GPU, and how much of its memory."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from exporters.core import Kind, Metric, Root, Sample, Unit
from exporters.hardware.nvml.errors import ABSENT, NvmlError
from exporters.hardware.nvml.gpu import Gpu, supported, where
from exporters.hardware.nvml.reading import Call

PROCESSES = Metric(
    "gpu_processes", Kind.GAUGE, Unit.NONE, "Processes that have a context on the GPU.", ("gpu",)
)
MEMORY = Metric(
    "gpu_process_memory",
    Kind.GAUGE,
    Unit.BYTES,
    "GPU memory of a process; those beyond the largest together are pid other.",
    ("gpu", "pid"),
)

METRICS = (PROCESSES, MEMORY)

_CALLS = (
    Call("nvmlDeviceGetComputeRunningProcesses"),
    Call("nvmlDeviceGetGraphicsRunningProcesses"),
)


@dataclass(frozen=True, slots=True)
class Processes:
    """
    The processes of one GPU, as NVML sees them.

    The numbers are those of the host's PID namespace. A process may be in both lists; NVML then
    counts its memory in both.
    """

    where: str
    gpu: Gpu
    calls: Sequence[Call]
    most: int

    def read(self, root: Root) -> Sequence[Sample]:  # noqa: ARG002  # the contract of sensors
        """Ask for both lists."""
        if self.gpu.trouble:
            return ()
        found: dict[str, int] = {}
        for call in self.calls:
            try:
                listed = self.gpu.ask(call)
            except NvmlError as error:
                if error.code in ABSENT:
                    continue
                raise
            for process in listed:
                pid = str(process["pid"])
                # None where the driver does not tell, as under vGPU.
                memory = process.get("usedGpuMemory") or 0
                found[pid] = max(found.get(pid, 0), memory)
        return tuple(_samples(self.gpu.uuid, found, self.most))


def _samples(uuid: str, found: Mapping[str, int], most: int) -> Iterator[Sample]:
    yield PROCESSES.sample(len(found), gpu=uuid)
    largest = sorted(found.items(), key=lambda process: (-process[1], process[0]))
    for pid, memory in largest[:most]:
        if memory:
            yield MEMORY.sample(memory, gpu=uuid, pid=pid)
    rest = sum(memory for _, memory in largest[most:])
    if rest:
        yield MEMORY.sample(rest, gpu=uuid, pid="other")


def processes(gpu: Gpu, most: int) -> Iterator[Processes]:
    """Yield the sensor of a GPU's processes, where NVML can list them."""
    calls = [call for call in _CALLS if supported(gpu, [call])]
    if calls:
        yield Processes(where(gpu.uuid, "processes"), gpu, calls, most)
