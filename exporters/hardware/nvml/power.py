"""Heat, fans, power and energy of a GPU."""

from exporters.core import Kind, Metric, Unit
from exporters.hardware.nvml.reading import Call, Part, Row, number, row

TEMPERATURE = Metric(
    "gpu_temperature", Kind.GAUGE, Unit.CELSIUS, "Temperature of the GPU's die.", ("gpu",)
)
MEMORY_TEMPERATURE = Metric(
    "gpu_memory_temperature", Kind.GAUGE, Unit.CELSIUS, "Temperature of GPU memory.", ("gpu",)
)
MARGIN = Metric(
    "gpu_temperature_margin",
    Kind.GAUGE,
    Unit.CELSIUS,
    "How much hotter the GPU may become before it slows down.",
    ("gpu",),
)
THRESHOLD = Metric(
    "gpu_temperature_threshold",
    Kind.GAUGE,
    Unit.CELSIUS,
    "Temperature from which on the GPU shuts down, slows down, or is out of its range.",
    ("gpu", "threshold"),
)
FAN = Metric(
    "gpu_fan_speed",
    Kind.GAUGE,
    Unit.RATIO,
    "Speed that the driver wants of a fan, of its full speed; a blocked fan does not show.",
    ("gpu", "fan"),
)
POWER = Metric(
    "gpu_power",
    Kind.GAUGE,
    Unit.WATTS,
    "What the board draws; from Ampere on (but GA100) averaged over a second.",
    ("gpu",),
)
POWER_INSTANT = Metric(
    "gpu_power_instant", Kind.GAUGE, Unit.WATTS, "What the board draws just now.", ("gpu",)
)
POWER_LIMIT = Metric(
    "gpu_power_limit",
    Kind.GAUGE,
    Unit.WATTS,
    "What the driver lets the board draw: the least of all limits.",
    ("gpu",),
)
ENERGY = Metric(
    "gpu_energy",
    Kind.COUNTER,
    Unit.JOULES,
    "Energy that the GPU has used since its driver was loaded.",
    ("gpu",),
)

METRICS = (
    TEMPERATURE, MEMORY_TEMPERATURE, MARGIN, THRESHOLD, FAN, POWER, POWER_INSTANT, POWER_LIMIT,
    ENERGY,
)  # fmt: skip

_THRESHOLDS = (("shutdown", 0), ("slowdown", 1), ("memory_max", 2), ("gpu_max", 3))
_MOST_FANS = 4
_FIELD_MEMORY_TEMPERATURE = 82
_FIELD_POWER_INSTANT = 186
_celsius = number(lowest=-100, highest=250)
# A memory without sensor reads as 0, which none is in use.
_memory_celsius = number(lowest=1, highest=250)
_milliwatts = number(over=1000, highest=10_000)
# The driver may ask a fan for more than its nominal speed.
_percent = number(over=100, highest=2)


def _fan(index: int) -> Row:
    calls = (Call("nvmlDeviceGetFanSpeed_v2", (index,)),)
    older = (Call("nvmlDeviceGetFanSpeed"),) if index == 0 else ()
    return Row((*calls, *older), (Part(FAN, _percent, {"fan": str(index)}),))


ROWS = (
    Row(
        # The second returns an unsigned number.
        (Call("nvmlDeviceGetTemperatureV", (0,)), Call("nvmlDeviceGetTemperature", (0,))),
        (Part(TEMPERATURE, _celsius),),
    ),
    row(
        "nvmlDeviceGetFieldValues",
        _FIELD_MEMORY_TEMPERATURE,
        parts=(Part(MEMORY_TEMPERATURE, _memory_celsius),),
    ),
    row("nvmlDeviceGetMarginTemperature", parts=(Part(MARGIN, _celsius),)),
    *(
        row(
            "nvmlDeviceGetTemperatureThreshold",
            which,
            parts=(Part(THRESHOLD, _celsius, {"threshold": name}),),
        )
        for name, which in _THRESHOLDS
    ),
    *(_fan(index) for index in range(_MOST_FANS)),
    row("nvmlDeviceGetPowerUsage", parts=(Part(POWER, _milliwatts),)),
    row(
        "nvmlDeviceGetFieldValues",
        _FIELD_POWER_INSTANT,
        parts=(Part(POWER_INSTANT, _milliwatts),),
    ),
    row("nvmlDeviceGetEnforcedPowerLimit", parts=(Part(POWER_LIMIT, _milliwatts),)),
    row("nvmlDeviceGetTotalEnergyConsumption", parts=(Part(ENERGY, number(over=1000)),)),
)
