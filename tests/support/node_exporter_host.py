"""Families of node_exporter about the node's load, and what they are called here."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from exporters.host import (
    cpu,
    disk,
    interrupts,
    memory,
    network_counters,
    numa,
    pressure,
    softirqs,
    vmstat,
)
from exporters.host.disk_stats import FIELDS
from exporters.host.meminfo import BYTES
from tests.support.boards import board_root
from tests.support.node_exporter import Key, Labels, Pair

COLLECTORS = (
    cpu.collector(), disk.collector(), interrupts.collector(), memory.COLLECTOR,
    network_counters.collector(), numa.COLLECTOR, pressure.COLLECTOR, softirqs.collector(),
    vmstat.COLLECTOR,
)  # fmt: skip
FLAGS = (
    *(f"--collector.{name}" for name in (
        "cpu", "stat", "stat.softirq", "meminfo", "meminfo_numa", "vmstat", "pressure",
        "diskstats", "interrupts", "netdev",
    )),
    # All that it can; 1.5.0 chooses a few by default.
    "--collector.vmstat.fields=.*",
    # It asks the kernel of this machine otherwise.
    "--no-collector.netdev.netlink",
)  # fmt: skip

BOARD = board_root("node-exporter")
INTERFACES = {"lo": "", "eth0": "", "wlan0": "", "bond0": "bond", "docker0": "bridge"}
"""The kinds of interfaces of the node; those that are hardware have none."""


def add_what_the_board_lacks(tree: Path) -> None:
    """Give a copy of the board interfaces, and softirqs that sum up to what /proc/stat says."""
    lines = ["Inter-|   Receive  |  Transmit", " face |bytes packets errs drop |bytes"]
    for number, (name, kind) in enumerate(INTERFACES.items(), start=1):
        lines.append(f"{name:>6}: " + " ".join(str(number * 10**at) for at in range(16)))
        folder = tree / "sys/class/net" / name
        folder.mkdir(parents=True)
        (folder / "uevent").write_text(f"DEVTYPE={kind}\nINTERFACE={name}\n" if kind else "")
        if not kind and name != "lo":
            (folder / "device").mkdir()
    (tree / "proc/net").mkdir()
    (tree / "proc/net/dev").write_text("\n".join(lines) + "\n")
    (tree / "proc/softirqs").write_text("\n".join(_softirqs()) + "\n")


def node(folder: Path) -> Path:
    """Return a copy of the board with what it lacks."""
    tree = folder / "node"
    shutil.copytree(BOARD, tree, symlinks=True)
    add_what_the_board_lacks(tree)
    return tree


VECTORS = ("HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER",
           "RCU")  # fmt: skip


def _softirqs() -> Iterator[str]:
    """Yield the lines of ``/proc/softirqs`` on two CPUs."""
    line = re.search(r"^softirq \d+ (.*)$", (BOARD / "proc/stat").read_text(), re.MULTILINE)
    assert line
    yield "                    CPU0       CPU1"
    for vector, count in zip(VECTORS, line[1].split(), strict=True):
        yield f"{vector:>12}: {int(count) // 3} {int(count) - int(count) // 3}"


def whole(_labels: Labels) -> Key:
    """Return the key of what there is one of."""
    return ()


def by(*names: str) -> Callable[[Labels], Key]:
    """Return what takes labels that both sides call the same."""
    return lambda labels: tuple(labels[name] for name in names)


def numa_node(labels: Labels) -> Key:
    """Return the number of a NUMA node."""
    return (labels.get("numa_node") or labels["node"],)


def interrupt(labels: Labels) -> Key:
    """Return which interrupt it is, of all CPUs together."""
    return (labels.get("interrupt") or labels["type"],)


def vector(labels: Labels) -> Key:
    """Return which softirq it is, by the name that /proc/softirqs has for it."""
    if "type" in labels:
        return (labels["type"],)
    return (labels["vector"].replace("block_iopoll", "irq_poll").upper(),)


def fields(file: str) -> list[str]:
    """Return the first words of a file's lines."""
    return [line.split()[0].rstrip(":") for line in (BOARD / file).read_text().splitlines()]


def plain(key: str) -> str:
    """Return a field of meminfo as node_exporter writes it."""
    return key.replace("(", "_").replace(")", "")


MEMINFO = fields("proc/meminfo")
VMSTAT = fields("proc/vmstat")
NUMA_MEMORY = {
    line.split()[2].rstrip(":")
    for line in (BOARD / "sys/devices/system/node/node0/meminfo").read_text().splitlines()
}
# Parts of a disk, which it knows by sd and nvme names only.
PARTITIONS = frozenset({("mmcblk0p1",), ("mmcblk0p2",)})
PAIRS = (
    Pair("node_cpu_seconds_total", cpu.SECONDS.name, by("cpu", "mode")),
    Pair("node_cpu_guest_seconds_total", cpu.GUEST_SECONDS.name, by("cpu", "mode")),
    *(
        Pair(name, cpu.COUNTS[key].name, whole)
        for key, name in {
            "btime": "node_boot_time_seconds", "ctxt": "node_context_switches_total",
            "intr": "node_intr_total", "processes": "node_forks_total",
            "procs_blocked": "node_procs_blocked", "procs_running": "node_procs_running",
        }.items()
    ),
    Pair("node_softirqs_total", softirqs.COUNT.name, vector),
    # It takes lines with a count for each CPU only.
    Pair("node_interrupts_total", interrupts.COUNT.name, interrupt, summed=True,
         lost=((("ERR",), 0.0), (("MIS",), 0.0))),
    *(
        Pair(f"node_memory_{plain(key)}{'_bytes' if key in BYTES else ''}", metric.name, whole)
        for key, metric in memory.FIELDS.items() if key in MEMINFO
    ),
    *(
        Pair(f"node_memory_numa_{plain(key)}", metric.name, numa_node)
        for key, metric in numa.MEMORY.items() if key in NUMA_MEMORY
    ),
    *(
        Pair(f"node_memory_numa_{key}_total", metric.name, numa_node)
        for key, metric in numa.STAT.items()
    ),
    *(
        Pair(f"node_vmstat_{key}", metric.name, whole)
        for key, metric in vmstat.PLAIN_METRICS.items() if key in VMSTAT
    ),
    Pair("node_vmstat_allocstall", vmstat.ZONED_METRICS["allocstall"].name, whole),
    *(
        Pair(f"node_vmstat_{key}_{zone}", vmstat.ZONED_METRICS[key].name, whole, {"zone": zone})
        for key in ("pgscan_direct", "pgsteal_direct")
        for zone in ("dma", "dma32", "normal", "movable")
    ),
    *(
        Pair(f"node_pressure_{resource}_waiting_seconds_total", pressure.WAITING.name, whole,
             {"resource": resource})
        for resource in ("cpu", "io", "memory")
    ),
    *(
        Pair(f"node_pressure_{resource}_stalled_seconds_total", pressure.STALLED.name, whole,
             {"resource": resource}, newer=resource == "irq")
        for resource in ("io", "memory", "irq")
    ),
    *(
        Pair(field.name.replace("tailsight", "node"), field.name, by("device"),
             left_out=PARTITIONS)
        for field in FIELDS if field.subject != "disk_discarded"
    ),
    *(
        Pair(f"node_network_{theirs}_total", f"tailsight_network_{ours}_total", by("device"),
             left_out=frozenset({("docker0",)}))
        for theirs, ours in {
            "receive_bytes": "receive_bytes", "receive_packets": "receive_packets",
            "receive_errs": "receive_errors", "receive_drop": "receive_drops",
            "receive_fifo": "receive_fifo_errors", "receive_frame": "receive_frame_errors",
            "receive_multicast": "receive_multicast_packets",
            "transmit_bytes": "transmit_bytes", "transmit_packets": "transmit_packets",
            "transmit_errs": "transmit_errors", "transmit_drop": "transmit_drops",
            "transmit_fifo": "transmit_fifo_errors", "transmit_colls": "transmit_collisions",
            "transmit_carrier": "transmit_carrier_errors",
        }.items()
    ),
)  # fmt: skip
# What node_exporter has and tailsight has not; docs/node-exporter-differences.md says why.
LEFT_OUT = (
    # In bytes here, and compared as such.
    "node_disk_discarded_sectors_total",
    # Serial numbers; the rest is in tailsight_disk_info.
    "node_disk_info",
    "node_memory_Bounce_bytes",
    "node_memory_DirectMap*_bytes",
    "node_memory_NFS_Unstable_bytes",
    "node_memory_VmallocChunk_bytes",
    "node_memory_VmallocTotal_bytes",
    "node_memory_WritebackTmp_bytes",
    "node_memory_numa_Active_*",
    "node_memory_numa_Bounce",
    "node_memory_numa_Inactive_*",
    "node_memory_numa_NFS_Unstable",
    "node_memory_numa_WritebackTmp",
    "node_network_receive_compressed_total",
    "node_network_transmit_compressed_total",
    "node_vmstat_*",
)
