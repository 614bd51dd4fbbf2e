"""What the kernel says of the node's load: its CPUs, memory, disks, processes and containers."""

from collections.abc import Callable
from dataclasses import dataclass

from exporters.core.collector import Collector
from exporters.host import (
    containers,
    cpu,
    disk,
    interrupts,
    memory,
    network_counters,
    numa,
    numa_balancing,
    pressure,
    processes,
    softirqs,
    vmstat,
)
from exporters.host.identity import Identities
from exporters.host.options import HostOptions, Kubelet

__all__ = ["HostOptions", "Kubelet", "Parts", "parts"]


@dataclass(frozen=True, slots=True)
class Parts:
    """The collectors, and what ends the threads behind them."""

    collectors: tuple[Collector, ...]
    close: Callable[[], None]


def parts(options: HostOptions) -> Parts:
    """Return all collectors of the host, those that remember something made anew."""
    identities = Identities(options.kubelet)
    collectors = (
        cpu.collector(),
        memory.COLLECTOR,
        pressure.COLLECTOR,
        vmstat.COLLECTOR,
        numa.COLLECTOR,
        numa_balancing.COLLECTOR,
        interrupts.collector(),
        softirqs.collector(),
        disk.collector(),
        network_counters.collector(),
        processes.collector(options, identities),
        containers.collector(options, identities),
    )
    return Parts(collectors, identities.close)
