"""
How long tasks have waited for CPU, memory, I/O or the end of interrupts, of ``/proc/pressure``.

*Waiting* is the kernel's ``some``: at least one task could not go on. *Stalled* is ``full``: no
task could. For the CPU of the whole node ``full`` is undefined, though some kernels print it, so
it is left out. https://docs.kernel.org/accounting/psi.html
"""

import errno
from collections.abc import Callable, Iterator, Sequence

from exporters.core import Collector, FilesSensor, Kind, Metric, NoData, Root, Sample, Sensor, Unit
from exporters.host.psi import parse_pressure

FOLDER = "proc/pressure"
RESOURCES = ("cpu", "memory", "io", "irq")
UNDEFINED = ("cpu", "full")

WAITING = Metric(
    "pressure_waiting",
    Kind.COUNTER,
    Unit.SECONDS,
    "Time in which at least one task waited for the resource (PSI some).",
    ("resource",),
)
STALLED = Metric(
    "pressure_stalled",
    Kind.COUNTER,
    Unit.SECONDS,
    "Time in which no task could go on for want of the resource (PSI full).",
    ("resource",),
)
METRICS = {"some": WAITING, "full": STALLED}


def samples(resource: str) -> Callable[[str], Sequence[Sample]]:
    """Return what turns a resource's file into samples; it raises as ``parse_pressure``."""
    series = {
        kind: metric.series(resource=resource)
        for kind, metric in METRICS.items()
        if (resource, kind) != UNDEFINED
    }

    def parse(text: str) -> Sequence[Sample]:
        found = parse_pressure(text)
        return [Sample(series[kind], value) for kind, value in found.items() if kind in series]

    return parse


def discover(root: Root) -> Iterator[Sensor]:
    """Find the resources whose pressure the kernel measures."""
    paths = {name: f"{FOLDER}/{name}" for name in RESOURCES if root.exists(f"{FOLDER}/{name}")}
    if not paths:
        msg = f"no /{FOLDER}: the kernel measures no pressure (CONFIG_PSI), or it is not mounted"
        raise NoData(msg)
    measured = {name: path for name, path in paths.items() if not _is_off(root, path)}
    if not measured:
        msg = f"/{FOLDER} answers EOPNOTSUPP: pressure is off, boot with psi=1"
        raise NoData(msg)
    for name, path in measured.items():
        yield FilesSensor(path, (path,), samples(name))


def _is_off(root: Root, path: str) -> bool:
    """Whether the kernel can measure it and does not: all with psi=0, irq without irq time."""
    try:
        root.read(path)
    except OSError as error:
        return error.errno == errno.EOPNOTSUPP
    return False


COLLECTOR = Collector(
    "pressure",
    (WAITING, STALLED),
    discover,
    source=f"/{FOLDER}/*",
    advice=(
        "needs CONFIG_PSI, and psi=1 on the kernel command line where it is off by default "
        "(CONFIG_PSI_DEFAULT_DISABLED); irq needs Linux 6.1 and CONFIG_IRQ_TIME_ACCOUNTING"
    ),
)
