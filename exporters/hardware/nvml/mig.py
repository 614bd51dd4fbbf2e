"""
The instances that a GPU is divided into (MIG), each with memory of its own.

NVML gives no utilisation for a divided GPU nor for its instances. ``gi`` and ``ci`` are the
numbers of GPU instance and compute instance, as in ``nvidia-smi mig -lgi``.
"""

from collections.abc import Iterator
from typing import Any

from exporters.core import Failure, Kind, Metric, Sensor, Unit
from exporters.hardware.nvml.errors import ABSENT, Code, NvmlError
from exporters.hardware.nvml.gpu import CallSensor, Gpu, supported, where
from exporters.hardware.nvml.load import MEMORY_CALLS
from exporters.hardware.nvml.reading import Call, Take, item, member, number

_LABELS = ("gpu", "gi", "ci")
MODE = Metric(
    "gpu_mig_mode", Kind.GAUGE, Unit.NONE, "Whether the GPU is divided into instances.", ("gpu",)
)
INFO = Metric(
    "gpu_instance",
    Kind.INFO,
    Unit.NONE,
    "An instance of a divided GPU.",
    (*_LABELS, "uuid", "name"),
)
MEMORY_TOTAL = Metric(
    "gpu_instance_memory_total", Kind.GAUGE, Unit.BYTES, "Memory of the instance.", _LABELS
)
MEMORY_FREE = Metric(
    "gpu_instance_memory_free",
    Kind.GAUGE,
    Unit.BYTES,
    "Memory of the instance that can be allocated.",
    _LABELS,
)
MEMORY_USED = Metric(
    "gpu_instance_memory_used",
    Kind.GAUGE,
    Unit.BYTES,
    "Memory of the instance that is allocated.",
    _LABELS,
)

METRICS = (MODE, INFO, MEMORY_TOTAL, MEMORY_FREE, MEMORY_USED)

_MODE = Call("nvmlDeviceGetMigMode")
_UUID = Call("nvmlDeviceGetUUID")
# The present one of the present and the pending mode.
_enabled = item(0, number(highest=1))
_bytes = number(highest=2**50)
_MEMORY = ((MEMORY_TOTAL, "total"), (MEMORY_FREE, "free"), (MEMORY_USED, "used"))


def sensors(gpu: Gpu) -> Iterator[Sensor | Failure]:
    """Yield the sensors of the instances; none where the GPU cannot be divided."""
    if gpu.trouble or not supported(gpu, [_MODE]):
        return
    series = MODE.series(gpu=gpu.uuid)
    yield CallSensor(where(gpu.uuid, _MODE), gpu, gpu.handle, _MODE, [(series, _enabled)])
    try:
        if _enabled(gpu.ask(_MODE)) != 1:
            return
        count = gpu.ask(Call("nvmlDeviceGetMaxMigDeviceCount"))
    except ValueError as error:
        yield Failure(where(gpu.uuid, "MIG"), error)
        return
    except NvmlError as error:
        if error.code not in ABSENT:
            yield Failure(where(gpu.uuid, "MIG"), error)
        return
    for index in range(count):
        try:
            yield from _instance(gpu, index)
        except NvmlError as error:
            # A place that no instance takes.
            if error.code not in {Code.NOT_FOUND, Code.INVALID_ARGUMENT}:
                yield Failure(where(gpu.uuid, f"MIG instance {index}"), error)


def _instance(gpu: Gpu, index: int) -> Iterator[Sensor]:
    handle = gpu.ask(Call("nvmlDeviceGetMigDeviceHandleByIndex", (index,)))

    def ask(name: str) -> str:
        return str(gpu.ask(Call(name), handle))

    labels = {
        "gpu": gpu.uuid,
        "gi": ask("nvmlDeviceGetGpuInstanceId"),
        "ci": ask("nvmlDeviceGetComputeInstanceId"),
    }
    uuid, name = ask("nvmlDeviceGetUUID"), ask("nvmlDeviceGetName")
    info = INFO.sample(1, **labels, uuid=uuid, name=name)
    yield _sensor(gpu, handle, _UUID, uuid, [(info.series, lambda _: 1)])
    call = supported(gpu, MEMORY_CALLS, handle)
    if call:
        memory = [(metric.series(**labels), member(key, _bytes)) for metric, key in _MEMORY]
        yield _sensor(gpu, handle, call, uuid, memory)


def _sensor(
    gpu: Gpu, handle: Any, call: Call, uuid: str, parts: list[tuple[Any, Take]]
) -> CallSensor:
    return CallSensor(where(uuid, call), gpu, handle, call, parts)
