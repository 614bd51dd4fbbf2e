"""
Softirqs by type, from ``/proc/softirqs``, summed over CPUs.

Their time is mode ``softirq`` of the CPUs' seconds; network reception is the usual one to take it.
https://docs.kernel.org/filesystems/proc.html#softirqs
"""

from collections.abc import Sequence

from exporters.core import Collector, Kind, Metric, Root, Sample, Series, Unit
from exporters.hardware.facts import tidy
from exporters.host.columns import Columns
from exporters.host.files import MOUNT, sensor_of

SOFTIRQS = "proc/softirqs"
MOST = 32
"""A CPU notes those that wait in as many bits (``local_softirq_pending``)."""

COUNT = Metric(
    "softirqs",
    Kind.COUNTER,
    Unit.NONE,
    "Softirqs handled by all CPUs, by type: the kernel's name of it.",
    ("type",),
)


class Softirqs:
    """The file, its series, and its sums so far."""

    where = SOFTIRQS

    def __init__(self) -> None:
        self._columns = Columns()
        self._series: dict[str, Series] = {}

    def read(self, root: Root) -> Sequence[Sample]:
        """Read the file."""
        rows = self._columns.look(root.read(SOFTIRQS), root.monotonic())
        if len(rows) > MOST:
            msg = f"{len(rows)} types of softirqs: no kernel has more than {MOST}"
            raise ValueError(msg)
        if rows.keys() != self._series.keys():
            self._series = {name: COUNT.series(type=tidy(name)) for name in rows}
        return [Sample(self._series[name], row.total) for name, row in rows.items()]


def collector() -> Collector:
    """Return the collector; it remembers how far each type has come."""
    return Collector(
        "softirqs",
        (COUNT,),
        sensor_of(Softirqs()),
        source=f"/{SOFTIRQS}",
        advice=MOUNT,
    )
