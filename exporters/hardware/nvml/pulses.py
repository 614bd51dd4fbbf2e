"""
What happens between scrapes: the extent of memory, utilisation and PCIe throughput.

A scrape sees one moment. A model that is loaded and dropped, or shards that take turns, come and
go within a second. Each window reaches from one scrape to the next, whoever scrapes: with two
scrapers each sees its part, and the larger of both is the extent.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from exporters.core import Kind, Metric, Root, Sample, Unit
from exporters.hardware.nvml.errors import ABSENT, NvmlError
from exporters.hardware.nvml.gpu import where
from exporters.hardware.nvml.load import MEMORY_CALLS
from exporters.hardware.nvml.reading import Call, Take, member, number, ratio
from exporters.hardware.nvml.session import Session
from exporters.hardware.nvml.window import Summary, Window

THROUGHPUT = Metric(
    "gpu_pcie_throughput",
    Kind.GAUGE,
    Unit.BYTES_PER_SECOND,
    "PCIe throughput as the GPU sees it, the mean of the 20 ms samples since the last scrape.",
    ("gpu", "direction"),
)
SAMPLES = Metric(
    "gpu_pulse_samples",
    Kind.GAUGE,
    Unit.NONE,
    "Samples that the pulse metrics of this scrape are made of.",
    ("gpu", "quantity"),
)
_STATISTICS: tuple[tuple[str, str, Callable[[Summary], float]], ...] = (
    ("min", "The least", lambda summary: summary.lowest),
    ("max", "The most", lambda summary: summary.highest),
    ("stddev", "Standard deviation of", lambda summary: summary.deviation),
    ("largest_step", "The largest step, from sample to sample, of", lambda summary: summary.step),
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """What is sampled."""

    name: str
    calls: tuple[Call, ...]
    take: Take
    labels: Mapping[str, str]
    metrics: tuple[Metric, ...]
    """Its pulse metrics, in the order of the statistics."""


def _metrics(name: str, unit: Unit, what: str, labels: tuple[str, ...]) -> tuple[Metric, ...]:
    return tuple(
        Metric(
            f"{name}_pulse_{statistic}",
            Kind.GAUGE,
            unit,
            f"{words} {what} since the last scrape.",
            labels,
        )
        for statistic, words, _ in _STATISTICS
    )


_MEMORY = _metrics("gpu_memory_used", Unit.BYTES, "GPU memory that was allocated", ("gpu",))
_BUSY = _metrics("gpu_utilization", Unit.RATIO, "utilisation of the GPU", ("gpu",))
_PCIE = _metrics(
    "gpu_pcie_throughput", Unit.BYTES_PER_SECOND, "PCIe throughput", ("gpu", "direction")
)
# NVML gives it in "KB/s" (nvmlDeviceGetPcieThroughput), of a thousand bytes.
_kilobytes = number(times=1000, highest=1e12)

FAST = (
    Quantity("memory_used", MEMORY_CALLS, member("used", number(highest=2**50)), {}, _MEMORY),
    Quantity(
        "utilization",
        (Call("nvmlDeviceGetUtilizationRates"),),
        member("gpu", ratio),
        {},
        _BUSY,
    ),
)
"""Cheap to read."""
PCIE = tuple(
    Quantity(
        f"pcie_{direction}",
        (Call("nvmlDeviceGetPcieThroughput", (counter,)),),
        _kilobytes,
        {"direction": direction},
        _PCIE,
    )
    for direction, counter in (("tx", 0), ("rx", 1))
)
"""Each takes 20 ms to read: what NVML measures over."""
METRICS = (THROUGHPUT, SAMPLES, *_MEMORY, *_BUSY, *_PCIE)


class Pulses:
    """Windows by GPU and quantity; ``sample`` fills them in the background."""

    def __init__(self, session: Session, quantities: Sequence[Quantity]) -> None:
        self._session = session
        self._quantities = quantities
        self._windows: dict[tuple[str, str], Window] = {}
        self._errors: dict[str, Exception] = {}

    def sample(self) -> None:
        """Take a sample of everything, while NVML can be asked."""
        with self._session.gate.inside() as entered:
            for gpu in self._session.gpus if entered else ():
                if gpu.trouble:
                    continue
                for quantity in self._quantities:
                    try:
                        value = _measure(gpu.nvml.ask, gpu.handle, quantity)
                    except (NvmlError, ValueError) as error:
                        self._errors[gpu.uuid] = error
                    else:
                        if value is not None:
                            self._window(gpu.uuid, quantity).add(value)

    def take(self, uuid: str) -> Iterator[tuple[Quantity, Summary]]:
        """
        Yield what came of one GPU since the last time.

        Raises:
            NvmlError: every sample failed.
            ValueError: no sample was a reading.
        """
        windows = [(quantity, self._window(uuid, quantity).take()) for quantity in self._quantities]
        error = self._errors.pop(uuid, None)
        if error and not any(summary for _, summary in windows):
            raise error
        for quantity, summary in windows:
            if summary:
                yield quantity, summary

    def _window(self, uuid: str, quantity: Quantity) -> Window:
        return self._windows.setdefault((uuid, quantity.name), Window())


def _measure(ask: Callable[..., object], handle: object, quantity: Quantity) -> float | None:
    for call in quantity.calls:
        try:
            return quantity.take(ask(call.name, handle, *call.arguments))
        except NvmlError as error:
            if error.code not in ABSENT:
                raise
    return None


@dataclass(frozen=True, slots=True)
class PulseSensor:
    """What the samplers saw of one GPU."""

    where: str
    uuid: str
    pulses: Pulses
    full: bool
    """With all statistics, or else only the mean PCIe throughput."""

    def read(self, root: Root) -> Sequence[Sample]:  # noqa: ARG002  # the contract of sensors
        """Take the windows."""
        return [
            sample
            for quantity, summary in self.pulses.take(self.uuid)
            for sample in self._samples(quantity, summary)
        ]

    def _samples(self, quantity: Quantity, summary: Summary) -> Iterator[Sample]:
        labels = {"gpu": self.uuid, **quantity.labels}
        if quantity.labels:
            yield THROUGHPUT.sample(summary.mean, **labels)
        if self.full:
            yield SAMPLES.sample(summary.count, gpu=self.uuid, quantity=quantity.name)
            for metric, (_, _, statistic) in zip(quantity.metrics, _STATISTICS, strict=True):
                yield metric.sample(statistic(summary), **labels)


def sensor(uuid: str, pulses: Pulses, *, full: bool) -> PulseSensor:
    """Return the sensor of one GPU's windows."""
    return PulseSensor(where(uuid, "samples"), uuid, pulses, full)
