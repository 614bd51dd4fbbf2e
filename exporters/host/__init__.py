"""What the kernel says of the node's load: its CPUs, memory, disks, processes and containers."""

from collections.abc import Callable
from dataclasses import dataclass

from exporters.core.collector import Collector
from exporters.host import (
    cpu,
    interrupts,
    memory,
    numa,
    numa_balancing,
    pressure,
    softirqs,
    vmstat,
)
from exporters.host.options import HostOptions, Kubelet

__all__ = ["HostOptions", "Kubelet", "Parts", "parts"]


@dataclass(frozen=True, slots=True)
class Parts:
    """The collectors, and what ends the threads behind them."""

    collectors: tuple[Collector, ...]
    close: Callable[[], None]


def parts(options: HostOptions) -> Parts:
    """Return all collectors of the host, those that remember something made anew."""
    del options
    collectors = (
        cpu.collector(),
        memory.COLLECTOR,
        pressure.COLLECTOR,
        vmstat.COLLECTOR,
        numa.COLLECTOR,
        numa_balancing.COLLECTOR,
        interrupts.collector(),
        softirqs.collector(),
    )
    return Parts(collectors, lambda: None)
