"""How busy a GPU is, how full its memory, and how fast it is clocked."""

from exporters.core import Kind, Metric, Unit
from exporters.hardware.nvml.reading import Call, Part, Row, item, member, number, ratio, row

UTILIZATION = Metric(
    "gpu_utilization",
    Kind.GAUGE,
    Unit.RATIO,
    "Share of the last sample period, of up to a second, in which a kernel ran on the GPU.",
    ("gpu",),
)
CONTROLLER = Metric(
    "gpu_memory_controller_utilization",
    Kind.GAUGE,
    Unit.RATIO,
    "Share of the last sample period in which GPU memory was read or written.",
    ("gpu",),
)
ENCODER = Metric(
    "gpu_encoder_utilization", Kind.GAUGE, Unit.RATIO, "How busy the video encoder is.", ("gpu",)
)
DECODER = Metric(
    "gpu_decoder_utilization", Kind.GAUGE, Unit.RATIO, "How busy the video decoder is.", ("gpu",)
)
MEMORY_TOTAL = Metric(
    "gpu_memory_total", Kind.GAUGE, Unit.BYTES, "Memory that the GPU has.", ("gpu",)
)
MEMORY_FREE = Metric(
    "gpu_memory_free", Kind.GAUGE, Unit.BYTES, "GPU memory that can be allocated.", ("gpu",)
)
MEMORY_USED = Metric(
    "gpu_memory_used",
    Kind.GAUGE,
    Unit.BYTES,
    "GPU memory that is allocated; drivers before 510 add what they keep for themselves.",
    ("gpu",),
)
MEMORY_RESERVED = Metric(
    "gpu_memory_reserved",
    Kind.GAUGE,
    Unit.BYTES,
    "GPU memory that driver and firmware keep for themselves.",
    ("gpu",),
)
CLOCK = Metric("gpu_clock", Kind.GAUGE, Unit.HERTZ, "Clock of a part of the GPU.", ("gpu", "type"))
CLOCK_MAX = Metric(
    "gpu_clock_max", Kind.GAUGE, Unit.HERTZ, "The highest clock of it.", ("gpu", "type")
)
PSTATE = Metric(
    "gpu_performance_state",
    Kind.GAUGE,
    Unit.NONE,
    "Performance state of the GPU: from 0, the fastest, to 15.",
    ("gpu",),
)
PERSISTENCE = Metric(
    "gpu_persistence_mode",
    Kind.GAUGE,
    Unit.NONE,
    "Whether the driver stays loaded while nobody uses the GPU.",
    ("gpu",),
)

METRICS = (
    UTILIZATION, CONTROLLER, ENCODER, DECODER, MEMORY_TOTAL, MEMORY_FREE, MEMORY_USED,
    MEMORY_RESERVED, CLOCK, CLOCK_MAX, PSTATE, PERSISTENCE,
)  # fmt: skip

_CLOCKS = (("graphics", 0), ("sm", 1), ("memory", 2), ("video", 3))
_megahertz = number(times=1_000_000, highest=100e9)
_bytes = number(highest=2**50)

MEMORY_CALLS = (Call("nvmlDeviceGetMemoryInfo_v2"), Call("nvmlDeviceGetMemoryInfo"))
"""The first tells reserved memory apart; the older one counts it as used."""
MEMORY = Row(
    MEMORY_CALLS,
    (
        Part(MEMORY_TOTAL, member("total", _bytes)),
        Part(MEMORY_FREE, member("free", _bytes)),
        Part(MEMORY_USED, member("used", _bytes)),
        Part(MEMORY_RESERVED, member("reserved", _bytes)),
    ),
)

ROWS = (
    row(
        "nvmlDeviceGetUtilizationRates",
        parts=(
            Part(UTILIZATION, member("gpu", ratio)),
            Part(CONTROLLER, member("memory", ratio)),
        ),
    ),
    MEMORY,
    row("nvmlDeviceGetEncoderUtilization", parts=(Part(ENCODER, item(0, ratio)),)),
    row("nvmlDeviceGetDecoderUtilization", parts=(Part(DECODER, item(0, ratio)),)),
    *(
        row(f"nvmlDeviceGet{which}", number_, parts=(Part(metric, _megahertz, {"type": name}),))
        for which, metric in (("ClockInfo", CLOCK), ("MaxClockInfo", CLOCK_MAX))
        for name, number_ in _CLOCKS
    ),
    # 32 stands for unknown.
    row("nvmlDeviceGetPerformanceState", parts=(Part(PSTATE, number(highest=15)),)),
    row("nvmlDeviceGetPersistenceMode", parts=(Part(PERSISTENCE, number(highest=1)),)),
)
