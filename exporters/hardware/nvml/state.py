"""
The state of NVML as a metric, so that a GPU which is silent does not look like none.

Reports of the states from the field: NVIDIA/nvidia-container-toolkit issues 48 and 1227 (Unknown
Error after a daemon-reload), NVIDIA/dcgm-exporter issue 348 (a lost GPU).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from exporters.core import Kind, Metric, Root, Sample, Unit
from exporters.hardware.nvml.errors import Code, NvmlError
from exporters.hardware.nvml.session import Session

STATE = Metric(
    "nvml_state",
    Kind.GAUGE,
    Unit.NONE,
    "1 for the present state of NVML, 0 for the others; lost also where one GPU of several is.",
    ("state",),
)
PROBLEM = Metric(
    "nvml_problem", Kind.INFO, Unit.NONE, "Why the state is not ok.", ("state", "reason")
)
LAST_SUCCESS = Metric(
    "nvml_last_success_timestamp",
    Kind.GAUGE,
    Unit.SECONDS,
    "When all GPUs answered last, in seconds since the epoch.",
)

METRICS = (STATE, PROBLEM, LAST_SUCCESS)

OK = "ok"
_OF_CODE: Mapping[int, str] = {
    Code.LIBRARY_NOT_FOUND: "absent",
    Code.DRIVER_NOT_LOADED: "driver_not_loaded",
    Code.LIB_RM_VERSION_MISMATCH: "version_mismatch",
    Code.GPU_IS_LOST: "lost",
    Code.GPU_NOT_FOUND: "lost",
    Code.RESET_REQUIRED: "lost",
    Code.UNINITIALIZED: "uninitialized",
    Code.NO_PERMISSION: "no_permission",
}
_ANY_OTHER = "unknown_error"
STATES = (OK, *dict.fromkeys(_OF_CODE.values()), _ANY_OTHER)

_ADVICE = {
    "absent": "install the driver, or have the container runtime mount its library",
    "driver_not_loaded": "load the kernel module nvidia; see dmesg",
    "version_mismatch": "the driver was upgraded: reboot, or load the new module and restart",
    "lost": "see dmesg for Xids; reset the GPU or power-cycle the node",
    "uninitialized": "it is initialised anew by itself",
    "no_permission": "give access to /dev/nvidia*",
    _ANY_OTHER: (
        "in a container: its devices were taken, as by a systemd daemon-reload; recreate it"
    ),
}
# One may be a passing fault; two mean that initialising anew does not help.
_ATTEMPTS = 2


def state_of(error: NvmlError | None) -> str:
    """Return the state that an error stands for."""
    return _OF_CODE.get(error.code, _ANY_OTHER) if error else OK


class StateSensor:
    """Read after all GPUs, whose troubles make the state."""

    where = "nvml state"

    def __init__(self, session: Session, on_lost: Callable[[str], None] | None) -> None:
        self._session = session
        self._on_lost = on_lost
        self._last_success: float | None = None

    def read(self, root: Root) -> Sequence[Sample]:
        """Give the state; tell whoever wants to know when it is lost for good."""
        trouble = self._session.trouble()
        if trouble is None:
            self._session.settle()
            self._last_success = root.now()
        elif self._session.worked and self._session.attempts >= _ATTEMPTS:
            self._tell(trouble)
        return tuple(self._samples(trouble))

    def _tell(self, trouble: NvmlError) -> None:
        on_lost, self._on_lost = self._on_lost, None
        if on_lost:
            on_lost(reason(trouble))

    def _samples(self, trouble: NvmlError | None) -> Iterator[Sample]:
        present = state_of(trouble)
        for state in STATES:
            yield STATE.sample(int(state == present), state=state)
        if trouble:
            yield PROBLEM.sample(1, state=present, reason=reason(trouble))
        if self._last_success is not None:
            yield LAST_SUCCESS.sample(self._last_success)


def reason(error: NvmlError) -> str:
    """Return what NVML said, and what to do about it."""
    return f"{error.strerror}: {_ADVICE[state_of(error)]}"
