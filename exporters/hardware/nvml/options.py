"""What a user may choose about NVML."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NvmlOptions:
    """How much to ask of NVML, and what to do when it is gone for good."""

    pulses: bool = False
    """Sample memory, utilisation and PCIe throughput in the background, between scrapes."""
    pulses_hertz: float = 20.0
    """How often to sample for pulses."""
    pcie_throughput: bool = False
    """Measure PCIe throughput once a second; each direction of each GPU takes 20 ms."""
    max_processes: int = 16
    """Processes of one GPU that have a series of their own; the rest is one, ``other``."""
    on_lost: Callable[[str], None] | None = None
    """Called once, with the reason, when NVML did work and cannot be brought back."""
