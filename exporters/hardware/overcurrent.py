"""
Throttling by the over-current protection of NVIDIA Tegra chips, counted by the hardware.

Orin, Thor: ``oc<N>_event_cnt`` and Xavier: ``oc<N>_irq_cnt`` of the hwmon chip soctherm_oc
(NVIDIA linux-nv-oot, drivers/thermal/tegra{234-,-}oc-event.c). Nano with Jetson Linux 4.9: the
interrupts soctherm_edp. Each read asks the chip's boot processor: once for a scrape, not more.
"""

import re
from collections.abc import Iterator

from exporters.core import (
    Collector,
    Failure,
    FileSensor,
    Kind,
    Metric,
    NoData,
    Root,
    Sensor,
    Series,
    Unit,
)
from exporters.hardware import throttle
from exporters.hardware.chips import Chip, find_chips
from exporters.hardware.known import Limit, read_limits
from exporters.hardware.numbers import integer, whole

ENABLED = Metric(
    "overcurrent_throttle_enabled",
    Kind.GAUGE,
    Unit.NONE,
    "Whether the hardware throttles when this over-current alarm rises.",
    ("cause", "device"),
)

# The alarms of Orin and Thor. OC1 tells of a weak supply, not of heat (OE4T/meta-tegra#538).
CAUSES = {
    "1": "under_voltage",
    "2": "over_current_average",
    "3": "over_current_instantaneous",
}
# Xavier's boards wire their six alarms in their own ways.
OTHER_CAUSE = "over_current"
INTERRUPTS = "proc/interrupts"
INTERRUPT = "soctherm_edp"

_EVENTS = re.compile(r"oc(\d+)_(event|irq)_cnt")
_ENABLED = re.compile(r"oc(\d+)_throt_en")


def parse_interrupts(text: str) -> dict[str, int]:
    """
    Return the over-current interrupts by CPU, from ``/proc/interrupts``.

    Raises:
        ValueError: there is no such line, or what it counts is no number.
    """
    lines = text.splitlines()
    cpus = lines[0].split() if lines else []
    for line in lines[1:]:
        words = line.split()
        if words[-1:] == [INTERRUPT]:
            return dict(zip(cpus, map(integer, words[1:]), strict=False))
    msg = f"no line for {INTERRUPT}"
    raise ValueError(msg)


class Interrupts:
    """Sums the counts of all CPUs, also of those that went offline and took their column along."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def total(self, text: str) -> int:
        """
        Return how often the over-current interrupt came, from ``/proc/interrupts``.

        Raises:
            ValueError: as ``parse_interrupts``.
        """
        self._counts |= parse_interrupts(text)
        return sum(self._counts.values())

    def discover(self, root: Root) -> Iterator[Sensor | Failure]:
        """Find the counters: those of the chip, else the interrupts."""
        found = False
        for chip in _chips(root):
            if isinstance(chip, Failure):
                yield chip
            elif any(chip.matches(_EVENTS)):
                found = True
                yield from _counters(chip)
                yield from read_limits(root, chip.folder, _switches(chip))
        if not found:
            _look_for_interrupts(root)
            series = _series(OTHER_CAUSE, "interrupts", INTERRUPT)
            yield FileSensor(series, INTERRUPTS, self.total)


def _chips(root: Root) -> Iterator[Chip | Failure]:
    try:
        yield from find_chips(root)
    except NoData:
        return


def _counters(chip: Chip) -> Iterator[Sensor]:
    for match in chip.matches(_EVENTS):
        number, source = match.groups()
        cause = CAUSES.get(number, OTHER_CAUSE) if source == "event" else OTHER_CAUSE
        series = _series(cause, "soctherm_oc", f"oc{number}")
        yield FileSensor(series, chip.path(match[0]), whole())


def _switches(chip: Chip) -> Iterator[Limit]:
    for match in chip.matches(_ENABLED):
        cause = CAUSES.get(match[1], OTHER_CAUSE)
        series = ENABLED.series(cause=cause, device=f"oc{match[1]}")
        yield series, chip.path(match[0]), whole(0, 1)


def _look_for_interrupts(root: Root) -> None:
    try:
        parse_interrupts(root.read(INTERRUPTS))
    except (OSError, ValueError) as error:
        msg = f"no soctherm_oc chip and no {INTERRUPT} interrupt: not a Tegra, or another kernel"
        raise NoData(msg) from error


def _series(cause: str, source: str, device: str) -> Series:
    return throttle.EVENTS.series(domain="soc", cause=cause, source=source, device=device)


def collector() -> Collector:
    """Return the collector; it remembers the counts of CPUs that went offline."""
    return Collector(
        "overcurrent",
        (throttle.EVENTS, ENABLED),
        Interrupts().discover,
        source="/sys/class/hwmon/hwmon*/oc*_{event,irq}_cnt, /proc/interrupts",
        advice=(
            "Jetson boards have it, with the kernel of Jetson Linux; /proc/interrupts is missing "
            "where /proc is mounted with subset=pid"
        ),
    )
