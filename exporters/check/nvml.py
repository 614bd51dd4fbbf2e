"""What NVML says of itself, which is no reading of a GPU, and why its library does not load."""

import ctypes
from collections.abc import Sequence
from dataclasses import replace

from exporters.check.advice import Meaning, verdict_of_state
from exporters.check.row import Row
from exporters.core.metric import Sample
from exporters.core.root import Root
from exporters.hardware.nvml import state
from exporters.hardware.nvml.library import SONAME
from exporters.hardware.nvml.presence import on_the_bus

COLLECTOR = "nvml"
# What glibc and musl say of a library that is not there; of one whose own need is not met they
# say the same with another name before it.
_MISSING = (
    f"{SONAME}: cannot open shared object file: No such file",
    f"Error loading shared library {SONAME}: No such file",
)


def readings(samples: Sequence[Sample]) -> Sequence[Sample]:
    """Return the samples that are readings, without those on the state of NVML."""
    return [sample for sample in samples if sample.series.metric not in state.METRICS]


def trouble(samples: Sequence[Sample]) -> Meaning | None:
    """Return what NVML has to complain of, also where some of its GPUs still answer."""
    for series, _ in samples:
        if series.metric is state.PROBLEM:
            present, reason = series.values
            said, _, advice = reason.partition(": ")
            return Meaning(verdict_of_state(present), f"{present}: {said}", advice)
    return None


def load_error() -> str | None:
    """Return what the dynamic loader has against the library, or None where it loads."""
    try:
        ctypes.CDLL(SONAME)
    except OSError as error:
        return str(error)
    return None


def explain_library(row: Row, root: Root, error: str | None) -> Row:
    """Tell apart, where NVML is absent, a node without it and one whose library is no good."""
    if row.collector != COLLECTOR or row.verdict != "absent" or error is None:
        return row
    if not error.startswith(_MISSING):
        fix = (
            "reinstall the driver; in a container let NVIDIA's runtime mount the host's library"
            " and have none in the image (an empty file is what a runtime without driver leaves)"
        )
        return replace(row, verdict="broken", reason=f"the library is no good: {error}", fix=fix)
    if on_the_bus(root):
        reason = f"a GPU of NVIDIA is on the PCI bus, but there is no {SONAME}"
        return replace(row, verdict="broken", reason=reason)
    return replace(row, reason=f"no {SONAME}, and no GPU of NVIDIA on the PCI bus")
