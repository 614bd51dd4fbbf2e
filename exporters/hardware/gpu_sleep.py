"""
Whether the kernel has put a GPU to sleep, so that reading the rest would wake it.

i915 and xe take a runtime power reference for most of what they answer (rps_read_mask_mmio,
xe_gt_throttle_get_limit_reasons, idle_residency_ms_show): a scrape every 15 seconds would keep an
idle GPU awake. ``power/runtime_status`` is the kernel's own record and wakes nothing.
https://docs.kernel.org/power/runtime_pm.html
"""

from collections.abc import Sequence
from dataclasses import dataclass

from exporters.core import Kind, Metric, Root, Sample, Sensor, Series, Unit

SUSPENDED = Metric(
    "gpu_suspended",
    Kind.GAUGE,
    Unit.NONE,
    "Whether the GPU sleeps (runtime suspend); nothing else is then read from it: that wakes it.",
    ("gpu", "device"),
)

STATUSES = {
    "active": False,
    "resuming": False,
    "suspending": True,
    "suspended": True,
    "error": False,
    "unsupported": False,
}


def parse_status(text: str) -> bool:
    """
    Return whether a device sleeps, from its ``runtime_status``.

    Raises:
        ValueError: the kernel has no such status.
    """
    if text not in STATUSES:
        msg = f"not a runtime status: {text[:40]!r}"
        raise ValueError(msg)
    return STATUSES[text]


@dataclass(slots=True)
class Sleep:
    """A GPU's sleep, read before its other sensors in each scrape; they ask ``asleep``."""

    series: Series
    where: str
    asleep: bool = False

    def read(self, root: Root) -> Sequence[Sample]:
        """Read it; where that fails, the GPU counts as awake: the failure costs nothing else."""
        self.asleep = False
        self.asleep = parse_status(root.read(self.where))
        return (Sample(self.series, int(self.asleep)),)


@dataclass(frozen=True, slots=True)
class WhileAwake:
    """A sensor that is not read while its GPU sleeps."""

    sensor: Sensor
    sleep: Sleep

    @property
    def where(self) -> str:
        """What is read."""
        return self.sensor.where

    def read(self, root: Root) -> Sequence[Sample]:
        """Read it; nothing while the GPU sleeps."""
        return () if self.sleep.asleep else self.sensor.read(root)
