"""Discrete NVIDIA GPUs, through NVML: the collector and its background parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exporters.core import Collector, Failure, NoData, Root, Sensor
from exporters.core.replay import ReplayRoot
from exporters.hardware.nvml import (
    faults,
    identity,
    load,
    mig,
    pcie,
    power,
    processes,
    pulses,
    reasons,
    state,
    xids,
)
from exporters.hardware.nvml.errors import Code, NvmlError
from exporters.hardware.nvml.gpu import Gpu, listed, sensors, supported, where
from exporters.hardware.nvml.interface import Nvml
from exporters.hardware.nvml.library import SONAME, Library
from exporters.hardware.nvml.options import NvmlOptions
from exporters.hardware.nvml.presence import on_the_bus
from exporters.hardware.nvml.replay import Replay
from exporters.hardware.nvml.sampler import Sampler
from exporters.hardware.nvml.session import Session

_ROWS = (*load.ROWS, *power.ROWS, *faults.ROWS, *pcie.ROWS, *reasons.ROWS)
METRICS = (
    *identity.METRICS, *load.METRICS, *power.METRICS, *faults.METRICS, *pcie.METRICS,
    *reasons.METRICS, *mig.METRICS, *processes.METRICS, *pulses.METRICS, *xids.METRICS,
    *state.METRICS,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NvmlParts:
    """The collector, and the threads behind it."""

    collectors: tuple[Collector, ...]
    samplers: tuple[Sampler, ...]

    def close(self) -> None:
        """
        Stop the threads, within a second each.

        NVML is not shut down: that could hang behind a call that hangs, and the process ends.
        """
        for sampler in self.samplers:
            sampler.close()


def backend(root: Root) -> Nvml:
    """
    Return NVML, or the recording of it under ``--root``.

    Raises:
        NoData: there is no recording.
        ValueError: the recording is not of the schema.
    """
    if not isinstance(root, ReplayRoot):
        return Library()
    document = root.document("nvml.json")
    if document is None:
        msg = "the recording has no replay/nvml.json"
        raise NoData(msg)
    return Replay(root, document)


class Discovery:
    """Finds GPUs; keeps what has to live longer than one discovery."""

    def __init__(self, session: Session, options: NvmlOptions) -> None:
        self._session = session
        self._options = options
        self._state = state.StateSensor(session, options.on_lost)
        self._xids = xids.Xids()
        self._fast = pulses.Pulses(session, pulses.FAST)
        self._pcie = pulses.Pulses(session, pulses.PCIE)
        self.samplers = tuple(self._make_samplers())

    def _make_samplers(self) -> Iterator[Sampler]:
        hertz = self._options.pulses_hertz
        if self._options.pulses:
            yield Sampler("tailsight-nvml-pulses", hertz, self._fast.sample)
        if self._options.pulses or self._options.pcie_throughput:
            rate = hertz if self._options.pulses else 1.0
            yield Sampler("tailsight-nvml-pcie", rate, self._pcie.sample)

    def discover(self, root: Root) -> Iterator[Sensor | Failure]:
        """
        Yield the sensors of every GPU, and the state of NVML behind them.

        Raises:
            NoData: there is neither library nor driver, or no GPU.
        """
        try:
            nvml = self._session.open(root)
            found = list(listed(nvml))
        except NvmlError as error:
            self._absent(root, error)
            self._session.found((), error)
            yield Failure("nvml", error)
            yield self._state
            return
        yield from self._all(nvml, found)

    def _all(self, nvml: Nvml, found: Sequence[Gpu | Failure]) -> Iterator[Sensor | Failure]:
        gpus = [gpu for gpu in found if isinstance(gpu, Gpu)]
        failures = [failure for failure in found if isinstance(failure, Failure)]
        if not found:
            if not self._session.worked:
                msg = "NVML finds no GPU"
                raise NoData(msg)
            failures = [Failure("nvml", NvmlError(Code.GPU_NOT_FOUND, "the GPUs have gone"))]
        missing = next((one.error for one in failures if isinstance(one.error, NvmlError)), None)
        self._session.found(gpus, missing)
        yield from failures
        for gpu in gpus:
            yield from self._sensors(gpu)
        yield from self._watched(nvml, gpus)
        for sampler in self.samplers:
            sampler.start()
        yield self._state

    def _sensors(self, gpu: Gpu) -> Iterator[Sensor | Failure]:
        yield identity.presence(gpu)
        yield from sensors(gpu, _ROWS)
        if not gpu.trouble and not supported(gpu, load.MEMORY_CALLS):
            yield identity.unified(gpu)
        yield from identity.compute_mode(gpu)
        yield from mig.sensors(gpu)
        yield from processes.processes(gpu, self._options.max_processes)
        if self._options.pulses:
            yield pulses.sensor(gpu.uuid, self._fast, full=True)
        if self.samplers:
            yield pulses.sensor(gpu.uuid, self._pcie, full=self._options.pulses)

    def _watched(self, nvml: Nvml, gpus: Sequence[Gpu]) -> Iterator[Sensor | Failure]:
        try:
            if gpus and self._xids.watch(nvml, gpus, self._session.generation):
                yield self._xids
        except NvmlError as error:
            yield Failure(where("all", "Xids"), error)

    def _absent(self, root: Root, error: NvmlError) -> None:
        """Raise NoData where the node never had what the error says is missing."""
        if self._session.worked:
            return
        if error.code == Code.LIBRARY_NOT_FOUND:
            seen = ", though a GPU of NVIDIA is on the bus" if on_the_bus(root) else ""
            msg = f"{SONAME} cannot be loaded{seen}"
            raise NoData(msg)
        if error.code == Code.DRIVER_NOT_LOADED and not on_the_bus(root):
            msg = f"{SONAME} is here, but neither its driver nor a GPU of NVIDIA on the bus"
            raise NoData(msg)


def parts(options: NvmlOptions) -> NvmlParts:
    """Return the collector, with what to close when it is not needed any more."""
    session = Session(backend)
    discovery = Discovery(session, options)
    collector = Collector(
        "nvml",
        METRICS,
        discovery.discover,
        source=SONAME,
        advice=(
            "install NVIDIA's driver; in a container use its runtime (docker: --gpus all, "
            "Kubernetes: runtimeClassName: nvidia) with NVIDIA_VISIBLE_DEVICES=all and "
            "NVIDIA_DRIVER_CAPABILITIES=utility, and recreate it where devices were lost"
        ),
    )
    return NvmlParts((collector,), discovery.samplers)
