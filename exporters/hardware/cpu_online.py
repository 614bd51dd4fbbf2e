"""
Which CPUs are online, from ``/sys/devices/system/cpu/{online,present}``.

A power mode may leave CPUs off: two of four on a Jetson Nano in its 5 W mode. The lists are read
at every scrape; nothing is asked of a CPU that is off.
https://docs.kernel.org/admin-guide/cputopology.html
"""

from collections.abc import Iterator, Sequence

from exporters.core import Collector, FilesSensor, Kind, Metric, NoData, Root, Sample, Sensor, Unit
from exporters.hardware.cpulist import parse_cpus

FOLDER = "sys/devices/system/cpu"
COUNT = Metric(
    "cpus",
    Kind.GAUGE,
    Unit.NONE,
    "How many CPUs there are: present, and of these online.",
    ("state",),
)
ONLINE = Metric(
    "cpu_online", Kind.GAUGE, Unit.NONE, "Whether a CPU that is present runs.", ("cpu",)
)

MOST_CPUS = 256
"""Beyond as many, only their number is told."""


def parse_online(online: str, present: str | None = None) -> Sequence[Sample]:
    """
    Turn the two lists into samples; without the second, only CPUs that run are known.

    Raises:
        ValueError: they are no lists, no CPU runs, or one that is not present.
    """
    running = frozenset(parse_cpus(online))
    if not running:
        msg = "no CPU is online"
        raise ValueError(msg)
    samples = [COUNT.sample(len(running), state="online")]
    cpus = tuple(sorted(running))
    if present is not None:
        cpus = parse_cpus(present)
        if not running <= frozenset(cpus):
            msg = f"{online[:40]!r} online, though only {present[:40]!r} present"
            raise ValueError(msg)
        samples.append(COUNT.sample(len(cpus), state="present"))
    if len(cpus) <= MOST_CPUS:
        samples += [ONLINE.sample(int(cpu in running), cpu=str(cpu)) for cpu in cpus]
    return samples


def discover(root: Root) -> Iterator[Sensor]:
    """Find the lists."""
    paths = [path for path in (f"{FOLDER}/online", f"{FOLDER}/present") if root.exists(path)]
    if paths[:1] != [f"{FOLDER}/online"]:
        msg = f"no /{FOLDER}/online"
        raise NoData(msg)
    yield FilesSensor(paths[0], tuple(paths), parse_online)


COLLECTOR = Collector(
    "cpu_online",
    (COUNT, ONLINE),
    discover,
    source=f"/{FOLDER}/online",
    advice="every Linux with CONFIG_SMP has it: mount sysfs at /sys",
)
