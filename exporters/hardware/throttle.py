"""
One vocabulary for throttling, whoever does it: which domain was slowed, by what cause.

What counts as throttling, for each platform, is the table in docs/throttling.md. Never count a
fan's state, a warning such as hot-surface-alert, the crossing of a trip point, or a clock that
is low because nothing is to be done.
"""

from exporters.core import Kind, Metric, Unit

_LABELS = ("domain", "cause", "source", "device")
# domain: cpu, gpu, soc, cv, memory, board
# cause: thermal, power, over_current, under_voltage, prochot, reliability, ... (lower case)
# source: the kernel or driver interface that says so: soctherm_oc, thermal_throttle,
#         cooling_device, interrupts, nvml, i915, xe
# device: which one of that source; a GPU's is its ``gpu`` label

EVENTS = Metric(
    "throttle_events",
    Kind.COUNTER,
    Unit.NONE,
    "Throttle events counted by the hardware or its driver since boot; take its increase.",
    _LABELS,
)
ACTIVE = Metric(
    "throttle_active",
    Kind.GAUGE,
    Unit.NONE,
    "Whether the domain is being slowed for this cause at the time of the scrape.",
    _LABELS,
)
SECONDS = Metric(
    "throttled",
    Kind.COUNTER,
    Unit.SECONDS,
    "Time spent throttled, as counted by the hardware or its driver.",
    _LABELS,
)
OBSERVED = Metric(
    "throttle_observed",
    Kind.COUNTER,
    Unit.NONE,
    "Beginnings of throttling that scrapes happened to see: a lower bound.",
    _LABELS,
)
