"""What goes wrong in a GPU's memory, and how much of it was taken out of use for that."""

from exporters.core import Kind, Metric, Unit
from exporters.hardware.nvml.reading import Part, item, number, row

ECC = Metric(
    "gpu_ecc_errors",
    Kind.COUNTER,
    Unit.NONE,
    "Memory errors that were found since the driver was loaded, corrected or not.",
    ("gpu", "error"),
)
ECC_LIFETIME = Metric(
    "gpu_ecc_errors_lifetime",
    Kind.COUNTER,
    Unit.NONE,
    "Memory errors that were found over the life of the GPU.",
    ("gpu", "error"),
)
RETIRED = Metric(
    "gpu_retired_pages",
    Kind.COUNTER,
    Unit.NONE,
    "Pages of GPU memory out of use, for errors of one bit again and again or of two at once.",
    ("gpu", "cause"),
)
RETIREMENT_PENDING = Metric(
    "gpu_retired_pages_pending",
    Kind.GAUGE,
    Unit.NONE,
    "Whether pages wait for the next reboot to be taken out of use.",
    ("gpu",),
)
REMAPPED = Metric(
    "gpu_remapped_rows",
    Kind.COUNTER,
    Unit.NONE,
    "Rows of GPU memory replaced by spare ones, for errors that could be corrected or not.",
    ("gpu", "error"),
)
REMAPPING_PENDING = Metric(
    "gpu_remapped_rows_pending",
    Kind.GAUGE,
    Unit.NONE,
    "Whether rows wait for the next reset of the GPU to be replaced.",
    ("gpu",),
)
REMAPPING_FAILED = Metric(
    "gpu_row_remapping_failed",
    Kind.GAUGE,
    Unit.NONE,
    "Whether a row could not be replaced: the GPU needs repair.",
    ("gpu",),
)

METRICS = (
    ECC, ECC_LIFETIME, RETIRED, RETIREMENT_PENDING, REMAPPED, REMAPPING_PENDING, REMAPPING_FAILED,
)  # fmt: skip

_ERRORS = (("corrected", 0), ("uncorrected", 1))
_COUNTERS = ((ECC, 0), (ECC_LIFETIME, 1))
# NVML_FI_DEV_RETIRED_SBE and _DBE.
_RETIRED = (("single_bit", 29), ("double_bit", 30))
_RETIRED_PENDING = 31
_count = number()
_flag = number(highest=1)

ROWS = (
    *(
        row(
            "nvmlDeviceGetTotalEccErrors",
            error,
            counter,
            parts=(Part(metric, _count, {"error": name}),),
        )
        for name, error in _ERRORS
        for metric, counter in _COUNTERS
    ),
    *(
        row("nvmlDeviceGetFieldValues", field, parts=(Part(RETIRED, _count, {"cause": name}),))
        for name, field in _RETIRED
    ),
    row("nvmlDeviceGetFieldValues", _RETIRED_PENDING, parts=(Part(RETIREMENT_PENDING, _flag),)),
    row(
        "nvmlDeviceGetRemappedRows",
        parts=(
            Part(REMAPPED, item(0, _count), {"error": "corrected"}),
            Part(REMAPPED, item(1, _count), {"error": "uncorrected"}),
            Part(REMAPPING_PENDING, item(2, _flag)),
            Part(REMAPPING_FAILED, item(3, _flag)),
        ),
    ),
)
