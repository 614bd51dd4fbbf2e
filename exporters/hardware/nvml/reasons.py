"""
Why a GPU is slower than it could be, and for how long it was.

Reasons: https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html. Not counted
are 0x1 (idle), 0x2 (a clock that was set), 0x10 (sync boost) and 0x100 (display): nothing is
wrong then. Times are nanoseconds (nvmlViolationTime_t in nvml.h); the fields are the same
counters, and GeForce boards answer those only.

There are counters for hardware slowdown, too, but their field numbers moved from 251 to 269 and
on between releases of nvml.h, and mean power smoothing in the other: they are not asked for.
"""

from exporters.core import Kind, Metric, Unit
from exporters.hardware.nvml.reading import Call, Part, Row, bit, member, number
from exporters.hardware.throttle import ACTIVE, SECONDS

REASONS = Metric(
    "gpu_clock_event_reasons",
    Kind.GAUGE,
    Unit.NONE,
    "The bit mask of clock event reasons as NVML gives it, harmless ones included.",
    ("gpu",),
)

METRICS = (REASONS, ACTIVE, SECONDS)

_CAUSES = (
    ("power", 0x4),
    ("hw_slowdown", 0x8),
    ("thermal", 0x20),
    ("hw_thermal", 0x40),
    ("power_brake", 0x80),
)
# Cause, field NVML_FI_DEV_PERF_POLICY_*, policy NVML_PERF_POLICY_*.
_TIMES = (
    ("power", 74, 0),
    ("thermal", 75, 1),
    ("board_limit", 77, 3),
    ("reliability", 79, 5),
)
_nanoseconds = number(over=1_000_000_000)


def _labels(cause: str) -> dict[str, str]:
    return {"domain": "gpu", "cause": cause, "source": "nvml"}


def _time(answer: object) -> float | None:
    """Take the time from a field, or from the structure that the older call gives."""
    if isinstance(answer, dict):
        return member("violationTime", _nanoseconds)(answer)
    return _nanoseconds(answer)


ROWS = (
    Row(
        (
            Call("nvmlDeviceGetCurrentClocksEventReasons"),
            # Its name before driver 535.
            Call("nvmlDeviceGetCurrentClocksThrottleReasons"),
        ),
        (
            Part(REASONS, number()),
            *(Part(ACTIVE, bit(mask), _labels(cause), "device") for cause, mask in _CAUSES),
        ),
    ),
    *(
        Row(
            (
                Call("nvmlDeviceGetFieldValues", (field,)),
                Call("nvmlDeviceGetViolationStatus", (policy,)),
            ),
            (Part(SECONDS, _time, _labels(cause), "device"),),
        )
        for cause, field, policy in _TIMES
    ),
)
