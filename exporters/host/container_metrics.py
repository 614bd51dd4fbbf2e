"""What is told of containers, and under which key each reading comes."""

from typing import NamedTuple

from exporters.core import Kind, Metric, Unit
from exporters.host.cgroup_v2 import EVENTS, MICROSECONDS
from exporters.host.place import Place

LABELS = Place._fields
OTHER = Place(*["other"] * len(LABELS))
"""All containers above the bound, together."""

_NOW = Kind.GAUGE, Unit.NONE
_BYTES = Kind.GAUGE, Unit.BYTES
_COUNTED = Kind.COUNTER, Unit.NONE
_TIME = Kind.COUNTER, Unit.SECONDS

WORKING_SET = Metric(
    "container_memory_working_set",
    *_BYTES,
    "Memory that the kernel cannot take back at once: usage without inactive pages of files.",
    LABELS,
)
USAGE = Metric(
    "container_memory_usage",
    *_BYTES,
    "Memory that is charged to the container, page cache included.",
    LABELS,
)
MEMORY_LIMIT = Metric(
    "container_memory_limit",
    *_BYTES,
    "Memory limit of the container itself; absent where it has none.",
    LABELS,
)
MEMORY_EVENTS = Metric(
    "container_memory_events",
    *_COUNTED,
    "Times that memory was short: limit reached (max), out of memory (oom), kills (oom_kill).",
    (*LABELS, "event"),
)
CPU = Metric(
    "container_cpu",
    *_TIME,
    "CPU time of the container, in user mode or in the kernel for it (system).",
    (*LABELS, "mode"),
)
CPU_LIMIT = Metric(
    "container_cpu_limit",
    *_NOW,
    "CPUs whose time the container's quota allows; absent where it has none.",
    LABELS,
)
PERIODS = Metric(
    "container_cpu_periods",
    *_COUNTED,
    "Periods of the quota in which the container wanted to run.",
    LABELS,
)
THROTTLED_PERIODS = Metric(
    "container_cpu_throttled_periods",
    *_COUNTED,
    "Periods in which the container used up its quota.",
    LABELS,
)
THROTTLED = Metric(
    "container_cpu_throttled",
    *_TIME,
    "Time that the container's tasks waited for the next period, of all CPUs together.",
    LABELS,
)
WAITING = Metric(
    "container_pressure_waiting",
    *_TIME,
    "Time in which at least one task of the container waited for the resource (PSI some).",
    (*LABELS, "resource"),
)
STALLED = Metric(
    "container_pressure_stalled",
    *_TIME,
    "Time in which no task of the container could go on for want of the resource (PSI full).",
    (*LABELS, "resource"),
)
TASKS = Metric("container_tasks", *_NOW, "Threads of the container's processes.", LABELS)
TASKS_LIMIT = Metric(
    "container_tasks_limit",
    *_NOW,
    "Threads that the container may have; absent where that is not limited.",
    LABELS,
)
CONTAINERS = Metric(
    "containers",
    *_NOW,
    "Containers, and services with a limit, that there are; sandboxes of pods are left out.",
)
OTHERS = Metric(
    "containers_other",
    *_NOW,
    "Of tailsight_containers those without series of their own; together they are other.",
)
METRICS = (
    WORKING_SET, USAGE, MEMORY_LIMIT, MEMORY_EVENTS, CPU, CPU_LIMIT, PERIODS, THROTTLED_PERIODS,
    THROTTLED, WAITING, STALLED, TASKS, TASKS_LIMIT, CONTAINERS, OTHERS,
)  # fmt: skip

LEVELS = {"memory_working_set": WORKING_SET, "memory_usage": USAGE, "tasks": TASKS}
"""What can be added up."""
LIMITS = {"memory_limit": MEMORY_LIMIT, "cpu_limit": CPU_LIMIT, "tasks_limit": TASKS_LIMIT}


class Counter(NamedTuple):
    """A reading that only grows."""

    key: str
    metric: Metric
    labels: dict[str, str]
    per_unit: int
    """How many of what was read make one of the metric's unit."""


COUNTERS = (
    *(Counter(f"memory_{event}", MEMORY_EVENTS, {"event": event}, 1) for event in EVENTS),
    *(Counter(f"cpu_{mode}", CPU, {"mode": mode}, MICROSECONDS) for mode in ("user", "system")),
    Counter("cpu_periods", PERIODS, {}, 1),
    Counter("cpu_throttled_periods", THROTTLED_PERIODS, {}, 1),
    Counter("cpu_throttled", THROTTLED, {}, MICROSECONDS),
    *(
        Counter(f"{resource}_{kind}", metric, {"resource": resource}, MICROSECONDS)
        for resource in ("cpu", "memory", "io", "irq")
        for kind, metric in (("some", WAITING), ("full", STALLED))
    ),
)
