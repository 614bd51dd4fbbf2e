"""The node's memory, from ``/proc/meminfo``: a metric for each field of the tables there."""

from collections.abc import Iterator

from exporters.core import Collector, Kind, Metric, Sample, Unit
from exporters.host.files import MOUNT, file, sensor_of
from exporters.host.meminfo import BYTES, PAGES, parse_meminfo

MEMINFO = "proc/meminfo"

FIELDS = {
    key: Metric(f"memory_{subject}", Kind.GAUGE, unit, sentence)
    for table, unit in ((BYTES, Unit.BYTES), (PAGES, Unit.NONE))
    for key, (subject, sentence) in table.items()
}
"""The metrics by the kernel's name of their field."""

_SERIES = {key: metric.series() for key, metric in FIELDS.items()}


def samples(text: str) -> Iterator[Sample]:
    """
    Turn ``/proc/meminfo`` into samples.

    Raises:
        ValueError: as ``parse_meminfo``.
    """
    for key, value in parse_meminfo(text, _SERIES).items():
        yield Sample(_SERIES[key], value)


COLLECTOR = Collector(
    "memory",
    tuple(FIELDS.values()),
    sensor_of(file(MEMINFO, samples)),
    source=f"/{MEMINFO}",
    advice=MOUNT,
)
