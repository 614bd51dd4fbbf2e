"""Recorded GPUs (tests/fixtures/nvml-captures), as what NVML answered to produce them."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "fixtures" / "nvml-captures"
IDLE = "linux-x86_64__nvidia-geforce-rtx-4080-super__595.71.05__idle"
LOAD = "linux-x86_64__nvidia-geforce-rtx-4080-super__595.71.05__load"
MIG = "linux-x86_64__nvidia-h100-mig__590.48.01__load"
L40S = "linux-x86_64__nvidia-l40s__595.80__load"

_LINE = re.compile(r"nvidia_smi_(\w+)(?:\{(.*)\})? (\S+)")
_LABEL = re.compile(r'(\w+)="([^"]*)"')

# What nvidia-smi calls it, NVML's call, and how many of NVML's units make one.
_SCALARS = (
    ("clocks_current_graphics_clock_hz", "nvmlDeviceGetClockInfo(0)", 1e-6),
    ("clocks_current_sm_clock_hz", "nvmlDeviceGetClockInfo(1)", 1e-6),
    ("clocks_current_memory_clock_hz", "nvmlDeviceGetClockInfo(2)", 1e-6),
    ("clocks_current_video_clock_hz", "nvmlDeviceGetClockInfo(3)", 1e-6),
    ("clocks_max_graphics_clock_hz", "nvmlDeviceGetMaxClockInfo(0)", 1e-6),
    ("clocks_max_sm_clock_hz", "nvmlDeviceGetMaxClockInfo(1)", 1e-6),
    ("clocks_max_memory_clock_hz", "nvmlDeviceGetMaxClockInfo(2)", 1e-6),
    ("temperature_gpu", "nvmlDeviceGetTemperature(0)", 1),
    ("temperature_memory", "nvmlDeviceGetFieldValues(82)", 1),
    ("power_draw_watts", "nvmlDeviceGetPowerUsage", 1e3),
    ("power_draw_instant_watts", "nvmlDeviceGetFieldValues(186)", 1e3),
    ("enforced_power_limit_watts", "nvmlDeviceGetEnforcedPowerLimit", 1e3),
    ("fan_speed_ratio", "nvmlDeviceGetFanSpeed_v2(0)", 100),
    ("pstate", "nvmlDeviceGetPerformanceState", 1),
    ("persistence_mode", "nvmlDeviceGetPersistenceMode", 1),
    ("compute_mode", "nvmlDeviceGetComputeMode", 1),
    ("pcie_link_gen_current", "nvmlDeviceGetCurrPcieLinkGeneration", 1),
    ("pcie_link_gen_max", "nvmlDeviceGetMaxPcieLinkGeneration", 1),
    ("pcie_link_width_current", "nvmlDeviceGetCurrPcieLinkWidth", 1),
    ("pcie_link_width_max", "nvmlDeviceGetMaxPcieLinkWidth", 1),
    ("clocks_event_reasons_active", "nvmlDeviceGetCurrentClocksThrottleReasons", 1),
    (
        "clocks_event_reasons_counters_sw_power_cap_seconds",
        "nvmlDeviceGetFieldValues(74)",
        1e9,
    ),
    ("ecc_errors_corrected_volatile_total", "nvmlDeviceGetTotalEccErrors(0,0)", 1),
    ("ecc_errors_corrected_aggregate_total", "nvmlDeviceGetTotalEccErrors(0,1)", 1),
    ("ecc_errors_uncorrected_volatile_total", "nvmlDeviceGetTotalEccErrors(1,0)", 1),
    ("ecc_errors_uncorrected_aggregate_total", "nvmlDeviceGetTotalEccErrors(1,1)", 1),
)
_GROUPS = (
    (("utilization_gpu_ratio", "utilization_memory_ratio"), "nvmlDeviceGetUtilizationRates", 100),
    (("utilization_encoder_ratio",), "nvmlDeviceGetEncoderUtilization", 100),
    (("utilization_decoder_ratio",), "nvmlDeviceGetDecoderUtilization", 100),
    (
        (
            "memory_total_bytes", "memory_reserved_bytes", "memory_free_bytes",
            "memory_used_bytes",
        ),
        "nvmlDeviceGetMemoryInfo_v2",
        1,
    ),
    (("mig_mode_current", "mig_mode_pending"), "nvmlDeviceGetMigMode", 1),
    (
        (
            "remapped_rows_correctable", "remapped_rows_uncorrectable", "remapped_rows_pending",
            "remapped_rows_failure",
        ),
        "nvmlDeviceGetRemappedRows",
        1,
    ),
)  # fmt: skip


def smi(capture: str) -> Mapping[str, float]:
    """Return the numbers that nvidia-smi showed, by name."""
    return {name: value for name, _, value in _lines(capture)}


def info(capture: str) -> Mapping[str, str]:
    """Return the labels of the GPU's info metric."""
    return next(labels for name, labels, _ in _lines(capture) if name == "gpu_info")


def processes(capture: str) -> Mapping[str, float]:
    """Return the memory of the processes, by pid."""
    name = "compute_app_used_memory_bytes"
    return {labels["pid"]: value for one, labels, value in _lines(capture) if one == name}


def answers(capture: str, uuid: str) -> dict[str, str]:
    """Return NVML's answers by call; the UUID is ours, as all are zeroed in the captures."""
    shown, told = smi(capture), info(capture)
    found = {
        "nvmlDeviceGetUUID": uuid,
        "nvmlDeviceGetName": told["name"],
        "nvmlDeviceGetVbiosVersion": told["vbios_version"],
        "nvmlDeviceGetPciInfo": told["pci_bus_id"],
        "nvmlDeviceGetMinorNumber": "0",
        "nvmlDeviceGetCudaComputeCapability": told["compute_cap"].replace(".", " "),
    }
    for names, call, times in (
        *(((name,), call, times) for name, call, times in _SCALARS),
        *_GROUPS,
    ):
        if all(name in shown for name in names):
            found[call] = " ".join(str(round(shown[name] * times)) for name in names)
    listed = [f"{pid} {memory:.0f}" for pid, memory in processes(capture).items()]
    return found | {"nvmlDeviceGetComputeRunningProcesses": " ".join(listed)}


def system(capture: str) -> dict[str, str]:
    """Return what NVML says of the driver."""
    major, minor = info(capture)["cuda_version"].split(".")
    return {
        "nvmlSystemGetDriverVersion": info(capture)["driver_version"],
        "nvmlSystemGetCudaDriverVersion": str(int(major) * 1000 + int(minor) * 10),
    }


def _lines(capture: str) -> Iterator[tuple[str, dict[str, str], float]]:
    for line in (FOLDER / f"{capture}.metrics").read_text(encoding="utf-8").splitlines():
        if match := _LINE.fullmatch(line):
            yield match[1], dict(_LABEL.findall(match[2] or "")), float(match[3])
