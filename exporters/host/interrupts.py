"""
Interrupts by number or name, from ``/proc/interrupts``, summed over CPUs.

A name stands for what has no device: LOC is the local timer, IPI0 and RES reschedule other CPUs,
TRM and THR tell of heat, ERR of faults of the interrupt controller. What a number is for is told
by its controller and its devices (kernel/irq/proc.c, arch/*/kernel/{irq,smp}.c).
"""

import re
from collections.abc import Hashable, Mapping, Sequence

from exporters.core import Collector, Kind, Metric, Root, Sample, Series, Unit
from exporters.core.root import MAX_BYTES
from exporters.hardware.facts import tidy
from exporters.host.columns import Columns, Row
from exporters.host.files import MOUNT, sensor_of
from exporters.host.totals import Member, Totals

INTERRUPTS = "proc/interrupts"
MOST = 128
"""Interrupts that have series of their own: all with names, and the most frequent numbers."""
OTHER = "other"

COUNT = Metric(
    "interrupts",
    Kind.COUNTER,
    Unit.NONE,
    "Interrupts handled by all CPUs; those beyond the first 128 together are interrupt other.",
    ("interrupt", "info", "devices"),
)
_REST = COUNT.series(interrupt=OTHER, info="", devices="")

# Controller, its own number for it, trigger, devices; old kernels print controller-trigger.
_ABOUT = re.compile(
    r"(?P<chip>\S+)(?:\s+\d+(?=[\s-]|$))?(?:\s*-(?P<flow>\S+)|\s+(?P<trigger>Level|Edge)\b)?"
    r"\s*(?P<devices>.*)"
)
# Root.read cuts there, and strips.
_CUT = MAX_BYTES - 4096

Key = tuple[str, str]
"""Name of an interrupt and what stands behind its counts: together they say which one it is."""


def describe(name: str, about: str) -> tuple[str, str]:
    """
    Return controller with trigger, and devices, of a numbered interrupt.

    The controller's own number is left out. Of one with a name return what it is for.
    """
    match = _ABOUT.fullmatch(about) if name.isdecimal() else None
    if match is None:
        return tidy(about), ""
    words = match["chip"], match["flow"] or match["trigger"] or ""
    return tidy(" ".join(words)), tidy(match["devices"])


class Interrupts:
    """The file, its series, and its sums so far."""

    where = INTERRUPTS

    def __init__(self) -> None:
        self._columns = Columns()
        self._others = Totals()
        self._known: set[Key] = set()
        self._series: dict[Key, Series] = {}

    def read(self, root: Root) -> Sequence[Sample]:
        """Read the file."""
        text = root.read(INTERRUPTS)
        if len(text) > _CUT:
            msg = f"more than {_CUT} bytes, of which the last may be missing"
            raise ValueError(msg)
        found = self._columns.look(text, root.monotonic())
        rows = {(name, row.about): row for name, row in found.items()}
        if rows.keys() != self._known:
            self._admit(rows)
        return self._samples(rows)

    def _admit(self, rows: Mapping[Key, Row]) -> None:
        """Give series to newcomers as long as there is room: the others' sum would fall by them."""
        self._series = {key: series for key, series in self._series.items() if key in rows}
        fresh = sorted(
            rows.keys() - self._known, key=lambda key: (key[0].isdecimal(), -rows[key].total, key)
        )
        for key in fresh[: MOST - len(self._series)]:
            info, devices = describe(*key)
            self._series[key] = COUNT.series(interrupt=key[0], info=info, devices=devices)
        self._known = set(rows)

    def _samples(self, rows: Mapping[Key, Row]) -> Sequence[Sample]:
        samples = [Sample(series, rows[key].total) for key, series in self._series.items()]
        rest: dict[Hashable, Member] = {
            # By name alone: the kernel counts on when a number gets another device.
            key[0]: Member(OTHER, (row.total,))
            for key, row in rows.items()
            if key not in self._series
        }
        if rest:
            samples.append(Sample(_REST, self._others.look(rest)[OTHER][0]))
        return samples


def collector() -> Collector:
    """Return the collector; it remembers how far each interrupt has come."""
    return Collector(
        "interrupts",
        (COUNT,),
        sensor_of(Interrupts()),
        source=f"/{INTERRUPTS}",
        advice=MOUNT,
    )
