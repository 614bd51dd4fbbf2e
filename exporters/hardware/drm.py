"""
The cards of ``/sys/class/drm``, and what i915 and xe tell of a GT: the part of a GPU with a clock.

https://docs.kernel.org/gpu/drm-uapi.html
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from exporters.core import Failure, Kind, Metric, Root, Unit
from exporters.hardware import throttle
from exporters.hardware.gpu_sleep import SUSPENDED, Sleep
from exporters.hardware.numbers import scaled

LABELS = ("gpu", "device", "gt")

FREQUENCY = Metric(
    "gpu_gt_frequency",
    Kind.GAUGE,
    Unit.HERTZ,
    "Frequency that a GT of an Intel GPU runs at; 0 while it idles in RC6.",
    LABELS,
)
REQUESTED = Metric(
    "gpu_gt_requested_frequency",
    Kind.GAUGE,
    Unit.HERTZ,
    "Frequency that a GT was asked to run at, by its driver or firmware or at the power unit.",
    (*LABELS, "at"),
)
FREQUENCY_LIMIT = Metric(
    "gpu_gt_frequency_limit",
    Kind.GAUGE,
    Unit.HERTZ,
    "Limit of a GT's frequency: min, max and boost as set, the rp ones as the hardware has them.",
    (*LABELS, "limit"),
)
IDLE = Metric(
    "gpu_gt_idle",
    Kind.COUNTER,
    Unit.SECONDS,
    "Time that a GT has spent switched off because it was idle (RC6).",
    LABELS,
)
METRICS = (
    FREQUENCY, REQUESTED, FREQUENCY_LIMIT, IDLE, SUSPENDED, throttle.ACTIVE, throttle.OBSERVED,
)  # fmt: skip
"""What the collectors of both drivers give."""

megahertz = scaled(1, 0, 100_000)
seconds = scaled(1000, 0, 2**64)
"""Milliseconds of idling."""
_CARD = re.compile(r"card\d+")
FASTEST_IDLING = 1.5
"""Seconds of idling in a second: no more than one, with room for the scrape's own time."""


def hertz(text: str) -> float:
    """Turn megahertz into hertz; raises ValueError for what is no frequency of a GPU."""
    return megahertz(text) * 1e6


@dataclass(frozen=True, slots=True)
class Card:
    """A GPU, as its driver shows it to user space."""

    folder: str
    name: str
    """Such as card0; another GPU may have it after the next boot."""
    device: str
    """The path of its device below ``/sys/devices``, which stays."""

    def sleep(self, root: Root) -> tuple[Sleep, bool]:
        """Return its sleep, and whether the kernel tells of it."""
        where = f"{self.folder}/device/power/runtime_status"
        series = SUSPENDED.series(gpu=self.name, device=self.device)
        return Sleep(series, where), root.exists(where)

    def labels(self, gt: str) -> dict[str, str]:
        """Return the labels of a GT."""
        return {"gpu": self.name, "device": self.device, "gt": gt}


def find_cards(root: Root) -> Iterator[Card]:
    """Yield the cards; not their outputs, such as card0-HDMI-A-1."""
    for name in root.names("sys/class/drm"):
        if _CARD.fullmatch(name):
            folder = f"sys/class/drm/{name}"
            device = root.resolve(f"{folder}/device").removeprefix("sys/devices/")
            yield Card(folder, name, device)


def names(root: Root, folder: str) -> tuple[frozenset[str], list[Failure]]:
    """Return what is in a folder, and the failure to look into it."""
    try:
        return frozenset(root.names(folder)), []
    except OSError as error:
        return frozenset(), [Failure(folder, error)]
