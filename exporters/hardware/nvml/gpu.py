"""One GPU: whom to ask, and whether asking has a point."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from exporters.core import Failure, Root, Sample, Series
from exporters.hardware.nvml.errors import ABSENT, GONE, Code, NvmlError
from exporters.hardware.nvml.interface import Nvml
from exporters.hardware.nvml.reading import Call, Row, Take

# One call alone may have an unknown error for reasons of its own.
_UNKNOWN_ERRORS = 2


@dataclass(slots=True, eq=False)
class Gpu:
    """
    A GPU that NVML has listed.

    Once it is lost it is not asked again in the same scrape: there would be one failure, and
    perhaps a wait, for each of its readings, and they all say the same.
    """

    nvml: Nvml
    handle: Any
    uuid: str
    trouble: NvmlError | None = None
    """Why it cannot answer at all."""
    _answered: bool = False
    _unknown: set[str] = field(default_factory=set)

    def begin(self) -> None:
        """Give it a new chance, at the begin of a scrape."""
        self.trouble = None
        self._answered = False
        self._unknown.clear()

    def ask(self, call: Call, handle: Any = None) -> Any:
        """
        Return what it, or an instance of it, answers.

        Raises:
            NvmlError: it refuses.
        """
        try:
            answer = self.nvml.ask(call.name, handle or self.handle, *call.arguments)
        except NvmlError as error:
            if error.code == Code.UNKNOWN:
                self._unknown.add(str(call))
            doubtful = not self._answered and len(self._unknown) >= _UNKNOWN_ERRORS
            if error.code in GONE or doubtful:
                self.trouble = error
            raise
        self._answered = True
        return answer


@dataclass(frozen=True, slots=True)
class CallSensor:
    """One call and the series that its answer feeds."""

    where: str
    gpu: Gpu
    handle: Any
    call: Call
    parts: Sequence[tuple[Series, Take]]

    def read(self, root: Root) -> Sequence[Sample]:  # noqa: ARG002  # the contract of sensors
        """Ask, unless the GPU is lost; what the GPU does not have is no failure."""
        if self.gpu.trouble:
            return ()
        try:
            answer = self.gpu.ask(self.call, self.handle)
        except NvmlError as error:
            if error.code in ABSENT:
                return ()
            raise
        found = ((series, take(answer)) for series, take in self.parts)
        return [Sample(series, value) for series, value in found if value is not None]


def where(uuid: str, call: Call | str) -> str:
    """Return how a failure names what was asked."""
    return f"nvml {uuid} {call}"


def supported(gpu: Gpu, calls: Sequence[Call], handle: Any = None) -> Call | None:
    """
    Return the first of these calls that the GPU has; None where it has none of them.

    One that fails otherwise is there, and its sensor will tell what is wrong.
    """
    for call in calls:
        if gpu.trouble:
            return call
        try:
            gpu.ask(call, handle)
        except NvmlError as error:
            if error.code in ABSENT:
                continue
        return call
    return None


def sensors(gpu: Gpu, rows: Sequence[Row]) -> Iterator[CallSensor]:
    """Yield a sensor for each row of a table that the GPU has."""
    for row in rows:
        call = supported(gpu, row.calls)
        if call:
            parts = [(part.series(gpu.uuid), part.take) for part in row.parts]
            yield CallSensor(where(gpu.uuid, call), gpu, gpu.handle, call, parts)


def listed(nvml: Nvml) -> Iterator[Gpu | Failure]:
    """
    Yield the GPUs that NVML lists; one that cannot even say who it is does not hide the others.

    Raises:
        NvmlError: they cannot be counted.
    """
    for index in range(nvml.ask("nvmlDeviceGetCount")):
        try:
            handle = nvml.ask("nvmlDeviceGetHandleByIndex", index)
            yield Gpu(nvml, handle, nvml.ask("nvmlDeviceGetUUID", handle))
        except NvmlError as error:
            yield Failure(f"nvml GPU {index}", error)
