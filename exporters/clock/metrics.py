"""What every source of time is asked: is it synchronised, how far off, and how far at most."""

from exporters.core import Kind, Metric, Unit

SOURCES = ("kernel", "ptp4l", "chrony")
"""Values of the label ``source``."""

SYNCHRONIZED = Metric(
    "clock_synchronized",
    Kind.GAUGE,
    Unit.NONE,
    "Whether the source says that the clock follows a reference: 1 for yes, 0 for no.",
    ("source",),
)
OFFSET = Metric(
    "clock_offset",
    Kind.GAUGE,
    Unit.SECONDS,
    "How far the clock is ahead of its reference, by the source; nothing where it has none.",
    ("source",),
)
ERROR_BOUND = Metric(
    "clock_error_bound",
    Kind.GAUGE,
    Unit.SECONDS,
    "The clock is off true time by at most so much, by the source; nothing while that is unknown.",
    ("source",),
)
METRICS = (SYNCHRONIZED, OFFSET, ERROR_BOUND)
