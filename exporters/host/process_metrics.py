"""What is told of the chosen processes: by group, and by pid of those that use a GPU alone."""

from typing import NamedTuple

from exporters.core import Kind, Metric, Unit


class Group(NamedTuple):
    """What processes are counted together by; each empty where it is not known."""

    namespace: str
    pod: str
    container: str
    workload: str
    command: str
    """The name of the program, ``comm``, at most 15 characters."""


OTHER = Group("other", "other", "other", "other", "other")
"""All groups above the bound, together."""

GROUP = Group._fields
_NOW = Kind.GAUGE, Unit.NONE
_COUNTED = Kind.COUNTER, Unit.NONE

PROCESSES = Metric("processes", *_NOW, "Chosen processes of the group that live now.", GROUP)
THREADS = Metric("process_threads", *_NOW, "Threads of the group's processes.", GROUP)
OPEN_FILES = Metric(
    "process_open_files",
    *_NOW,
    "Open file descriptors of the group's processes.",
    GROUP,
)
MEMORY = Metric(
    "process_resident_memory",
    Kind.GAUGE,
    Unit.BYTES,
    "Resident memory of the group's processes; pages that they share count for each of them.",
    GROUP,
)
CPU = Metric(
    "process_cpu",
    Kind.COUNTER,
    Unit.SECONDS,
    "CPU time of the group's processes, in user mode or in the kernel for them (system).",
    (*GROUP, "mode"),
)
FAULTS = Metric(
    "process_page_faults",
    *_COUNTED,
    "Page faults of the group's processes, major where a page had to be read from disk.",
    (*GROUP, "type"),
)
SWITCHES = Metric(
    "process_context_switches",
    *_COUNTED,
    "Switches away from the group's threads, voluntary to wait, involuntary when preempted.",
    (*GROUP, "type"),
)
ALLOWED_CPUS = Metric(
    "process_allowed_cpus",
    *_NOW,
    "CPUs that any thread of the group may run on.",
    GROUP,
)
ALLOWED_NODES = Metric(
    "process_allowed_memory_nodes",
    *_NOW,
    "NUMA nodes that any thread of the group may have memory from.",
    GROUP,
)
ALLOWED = Metric(
    "process_allowed",
    Kind.INFO,
    Unit.NONE,
    "CPUs and NUMA nodes that the group's threads may use, as lists such as 0-3,8.",
    (*GROUP, "cpus", "memory_nodes"),
)
NUMA_MEMORY = Metric(
    "process_numa_memory",
    Kind.GAUGE,
    Unit.BYTES,
    "Resident memory of the group by NUMA node, as each of its processes was read last.",
    (*GROUP, "numa_node"),
)
NUMA_TIME = Metric(
    "process_numa_read_timestamp",
    Kind.GAUGE,
    Unit.SECONDS,
    "When the oldest of the readings that tailsight_process_numa_memory_bytes adds up was made.",
    GROUP,
)
USES_GPU = Metric(
    "process",
    Kind.INFO,
    Unit.NONE,
    "A process that uses a GPU, to join what is told by pid with its group.",
    ("pid", *GROUP),
)
OTHERS = Metric(
    "process_groups_other",
    *_NOW,
    "Groups that have no series of their own, since there were too many; together they are other.",
)
WAITING = Metric(
    "processes_unexamined",
    *_NOW,
    "Processes that no rule was tried on yet: one scrape tries a bounded number.",
)
METRICS = (
    PROCESSES, THREADS, OPEN_FILES, MEMORY, CPU, FAULTS, SWITCHES, ALLOWED_CPUS, ALLOWED_NODES,
    ALLOWED, NUMA_MEMORY, NUMA_TIME, USES_GPU, OTHERS, WAITING,
)  # fmt: skip
