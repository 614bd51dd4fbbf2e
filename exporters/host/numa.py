"""
Memory of each NUMA node, and from where allocations got theirs, from ``/sys/devices/system/node``.

Counts are pages. Boards such as a Jetson have one node, or none that the kernel tells of.
https://docs.kernel.org/admin-guide/numastat.html
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from exporters.core import (
    Collector,
    Failure,
    Kind,
    Metric,
    NoData,
    Root,
    Sample,
    Sensor,
    Unit,
)
from exporters.hardware.cpulist import parse_cpus, show_cpus
from exporters.hardware.facts import tidy
from exporters.hardware.known import Known
from exporters.hardware.numbers import whole
from exporters.host.files import file
from exporters.host.meminfo import BYTES, NODE_BYTES, PAGES, parse_meminfo

FOLDER = "sys/devices/system/node"
MOST_NODES = 64
"""Nodes that are told of; how many more there are is a failure."""

INFO = Metric(
    "numa_node",
    Kind.INFO,
    Unit.NONE,
    "A NUMA node, its CPUs, and its distance to each node (10 is its own).",
    ("numa_node", "cpus", "distances"),
)
COUNTERS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "numa_hit": ("numa_hit", "Pages allocated on this node as intended."),
        "numa_miss": ("numa_miss", "Pages allocated on this node though another was preferred."),
        "numa_foreign": ("numa_foreign", "Pages meant for this node and allocated on another."),
        "interleave_hit": ("numa_interleave_hit", "Interleaved pages allocated as intended."),
        "local_node": ("numa_local_node", "Pages allocated here by a CPU of this node."),
        "other_node": ("numa_other_node", "Pages allocated here by a CPU of another node."),
    }
)
"""Subject and help of a metric by the kernel's key in ``numastat``."""

STAT = {
    key: Metric(subject, Kind.COUNTER, Unit.NONE, sentence, ("numa_node",))
    for key, (subject, sentence) in COUNTERS.items()
}
# What else meminfo has is of the whole machine.
_MEMORY = (
    "MemTotal", "MemFree", "MemUsed", "Active", "Inactive", "FilePages", "AnonPages", "Mapped",
    "Shmem", "Dirty", "Writeback", "Unevictable", "Mlocked", "Slab", "SReclaimable", "SUnreclaim",
    "KernelStack", "PageTables", "AnonHugePages", "HugePages_Total", "HugePages_Free",
    "HugePages_Surp",
)  # fmt: skip
MEMORY = {
    key: Metric(
        f"numa_memory_{subject}", Kind.GAUGE, unit, f"On a NUMA node: {text}", ("numa_node",)
    )
    for table, unit in ((BYTES, Unit.BYTES), (NODE_BYTES, Unit.BYTES), (PAGES, Unit.NONE))
    for key, (subject, text) in table.items()
    if key in _MEMORY
}

_count = whole()


def parse_numastat(text: str) -> dict[str, float]:
    """
    Return the pages by the kernel's keys.

    Raises:
        ValueError: no key that is known, or what it counts is no number.
    """
    found = {}
    for line in text.split("\n"):
        key, _, number = line.partition(" ")
        if key in STAT:
            found[key] = _count(number)
    if not found:
        msg = f"no counter of numastat in {text[:80]!r}"
        raise ValueError(msg)
    return found


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the nodes; CPUs and distances are looked up now, since both hardly ever change."""
    folders = root.glob(f"{FOLDER}/node[0-9]*")
    if not folders:
        msg = f"no /{FOLDER}/node*: the kernel knows of no NUMA nodes"
        raise NoData(msg)
    for folder in folders[:MOST_NODES]:
        node = folder.rpartition("/node")[2]
        yield _info(root, folder, node)
        yield _sensor(f"{folder}/numastat", STAT, node, parse_numastat)
        yield _sensor(f"{folder}/meminfo", MEMORY, node, _parse_memory)
    if len(folders) > MOST_NODES:
        error = ValueError(f"{len(folders)} nodes, of which {MOST_NODES} are told of")
        yield Failure(FOLDER, error)


def _info(root: Root, folder: str, node: str) -> Sensor | Failure:
    try:
        cpus = show_cpus(parse_cpus(root.read(f"{folder}/cpulist")))
        near = f"{folder}/distance"
        distances = tidy(root.read(near)) if root.exists(near) else ""
    except (OSError, ValueError) as error:
        return Failure(folder, error)
    labels = {"numa_node": node, "cpus": tidy(cpus), "distances": distances}
    return Known(folder, (INFO.sample(1, **labels),))


def _parse_memory(text: str) -> Mapping[str, float]:
    return parse_meminfo(text, MEMORY)


def _sensor(
    path: str,
    metrics: Mapping[str, Metric],
    node: str,
    parse: Callable[[str], Mapping[str, float]],
) -> Sensor:
    """Return the sensor of a node's file, whose values the parser gives by key."""
    series = {key: metric.series(numa_node=node) for key, metric in metrics.items()}

    def samples(text: str) -> Sequence[Sample]:
        return [Sample(series[key], value) for key, value in parse(text).items()]

    return file(path, samples)


COLLECTOR = Collector(
    "numa",
    (INFO, *STAT.values(), *MEMORY.values()),
    discover,
    source=f"/{FOLDER}/node*",
    advice="needs CONFIG_NUMA and /sys; kernels for boards with one node may be built without it",
)
