"""What the collector says of recorded GPUs is what nvidia-smi said of them."""

import pytest

from tests.support.nvml_stub import captures
from tests.support.nvml_stub.captures import IDLE, L40S, LOAD, MIG, info, processes, smi
from tests.support.nvml_stub.stub import Script
from tests.unit.hardware.nvml.conftest import Start

UUID = "GPU-3e8f1a52-0000-0000-0000-000000004080"

# Name and more labels of ours, name of nvidia-smi's.
SAME = (
    ("gpu_utilization_ratio", "", "utilization_gpu_ratio"),
    ("gpu_memory_controller_utilization_ratio", "", "utilization_memory_ratio"),
    ("gpu_encoder_utilization_ratio", "", "utilization_encoder_ratio"),
    ("gpu_decoder_utilization_ratio", "", "utilization_decoder_ratio"),
    ("gpu_memory_total_bytes", "", "memory_total_bytes"),
    ("gpu_memory_free_bytes", "", "memory_free_bytes"),
    ("gpu_memory_used_bytes", "", "memory_used_bytes"),
    ("gpu_memory_reserved_bytes", "", "memory_reserved_bytes"),
    ("gpu_clock_hertz", ',type="graphics"', "clocks_current_graphics_clock_hz"),
    ("gpu_clock_hertz", ',type="sm"', "clocks_current_sm_clock_hz"),
    ("gpu_clock_hertz", ',type="memory"', "clocks_current_memory_clock_hz"),
    ("gpu_clock_hertz", ',type="video"', "clocks_current_video_clock_hz"),
    ("gpu_clock_max_hertz", ',type="graphics"', "clocks_max_graphics_clock_hz"),
    ("gpu_clock_max_hertz", ',type="sm"', "clocks_max_sm_clock_hz"),
    ("gpu_clock_max_hertz", ',type="memory"', "clocks_max_memory_clock_hz"),
    ("gpu_temperature_celsius", "", "temperature_gpu"),
    ("gpu_memory_temperature_celsius", "", "temperature_memory"),
    ("gpu_power_watts", "", "power_draw_watts"),
    ("gpu_power_instant_watts", "", "power_draw_instant_watts"),
    ("gpu_power_limit_watts", "", "enforced_power_limit_watts"),
    ("gpu_fan_speed_ratio", ',fan="0"', "fan_speed_ratio"),
    ("gpu_performance_state", "", "pstate"),
    ("gpu_persistence_mode", "", "persistence_mode"),
    ("gpu_pcie_link_generation", "", "pcie_link_gen_current"),
    ("gpu_pcie_link_generation_max", "", "pcie_link_gen_max"),
    ("gpu_pcie_link_width", "", "pcie_link_width_current"),
    ("gpu_pcie_link_width_max", "", "pcie_link_width_max"),
    ("gpu_clock_event_reasons", "", "clocks_event_reasons_active"),
    ("gpu_ecc_errors_total", ',error="corrected"', "ecc_errors_corrected_volatile_total"),
    ("gpu_ecc_errors_total", ',error="uncorrected"', "ecc_errors_uncorrected_volatile_total"),
    (
        "gpu_ecc_errors_lifetime_total",
        ',error="uncorrected"',
        "ecc_errors_uncorrected_aggregate_total",
    ),
    ("gpu_remapped_rows_total", ',error="corrected"', "remapped_rows_correctable"),
    ("gpu_remapped_rows_pending", "", "remapped_rows_pending"),
    ("gpu_row_remapping_failed", "", "remapped_rows_failure"),
    ("gpu_processes", "", "compute_apps"),
    ("gpu_mig_mode", "", "mig_mode_current"),
)


@pytest.mark.parametrize("capture", [IDLE, LOAD, L40S, MIG])
def test_every_reading_is_that_of_nvidia_smi(capture: str, script: Script, start: Start) -> None:
    """A reading that nvidia-smi had is the same; one that it had not is absent, not 0."""
    script.gpu(0, capture, UUID)
    told = start()("scrape")
    expected = {
        f'tailsight_{name}{{gpu="{UUID}"{labels}}}': smi(capture).get(theirs)
        for name, labels, theirs in SAME
    }
    assert [] == told["failures"]
    assert expected == {series: told["values"].get(series) for series in expected}


def test_who_the_gpu_is(script: Script, start: Start) -> None:
    """Names and versions are labels of one info metric."""
    script.gpu(0, IDLE, UUID)
    series = (
        f'tailsight_gpu_info{{gpu="{UUID}",name="{info(IDLE)["name"]}",driver_version="595.71.05",'
        'cuda_version="13.2",pci_bus_id="00000000:01:00.0",minor="0",'
        'vbios_version="95.03.44.00.B2",compute_capability="8.9"}'
    )
    values = start()("scrape")["values"]
    assert 1 == values[series]
    assert 1 == values[f'tailsight_gpu_compute_mode_info{{gpu="{UUID}",mode="default"}}']
    assert 1 == values['tailsight_nvml_state{state="ok"}']


def test_the_power_cap_of_the_l40s(script: Script, start: Start) -> None:
    """It was power-capped for 204.642816 s, as the counter in nanoseconds says, and is no more."""
    script.gpu(0, L40S, UUID)
    labels = f'{{domain="gpu",cause="power",source="nvml",device="{UUID}"}}'
    values = start()("scrape")["values"]
    assert 204.642816 == pytest.approx(values[f"tailsight_throttled_seconds_total{labels}"])
    assert 0 == values[f"tailsight_throttle_active{labels}"]


@pytest.mark.parametrize(
    ("mask", "causes"),
    [
        (0x4, {"power"}),
        (0x8, {"hw_slowdown"}),
        (0x20, {"thermal"}),
        (0x40, {"hw_thermal"}),
        (0x80, {"power_brake"}),
        (0x1 | 0x2 | 0x10 | 0x100, set()),
        (0x1FF, {"power", "hw_slowdown", "thermal", "hw_thermal", "power_brake"}),
    ],
)
def test_what_counts_as_throttling(
    mask: int, causes: set[str], script: Script, start: Start
) -> None:
    """Idle, set clocks, sync boost and display are no throttling."""
    script.gpu(0, IDLE, UUID)
    script.set("0", nvmlDeviceGetCurrentClocksThrottleReasons=str(mask))
    values = start()("scrape")["values"]
    active = [name for name, value in values.items() if "throttle_active{" in name and value]
    assert causes == {name.partition('cause="')[2].partition('"')[0] for name in active}


def test_times_of_drivers_without_the_fields(script: Script, start: Start) -> None:
    """Where the field is not known, the older violation status gives the same nanoseconds."""
    script.gpu(0, IDLE, UUID)
    script.unset("0", "nvmlDeviceGetFieldValues(74)")
    script.set("0", {"nvmlDeviceGetViolationStatus(0)": "1767225600000000 2500000000"})
    labels = f'{{domain="gpu",cause="power",source="nvml",device="{UUID}"}}'
    assert 2.5 == start()("scrape")["values"][f"tailsight_throttled_seconds_total{labels}"]


def test_processes_of_the_load(script: Script, start: Start) -> None:
    """The largest processes have a series each, the rest is one."""
    script.gpu(0, LOAD, UUID)
    expected = {"5022": 527433728, "5021": 377487360, "other": 26214400}
    assert {"2165": 26214400, "5021": 377487360, "5022": 527433728} == processes(LOAD)
    values = start(max_processes=2)("scrape")["values"]
    name = "tailsight_gpu_process_memory_bytes"
    assert expected == {pid: values[f'{name}{{gpu="{UUID}",pid="{pid}"}}'] for pid in expected}
    assert 3 == sum(series.startswith(name) for series in values)


def test_instances_of_a_divided_h100(script: Script, start: Start) -> None:
    """Instances have memory of their own; a divided GPU has no utilisation."""
    script.gpu(0, MIG, UUID)
    script.set("0", nvmlDeviceGetMaxMigDeviceCount="7")
    for place, instance in enumerate(("1", "5")):
        script.set(
            f"0/{place}",
            nvmlDeviceGetUUID=f"MIG-{instance}",
            nvmlDeviceGetName="NVIDIA H100 80GB HBM3 MIG 3g.40gb",
            nvmlDeviceGetGpuInstanceId=instance,
            nvmlDeviceGetComputeInstanceId="0",
            nvmlDeviceGetMemoryInfo_v2=f"42144366592 0 {42144366592 - 1000} 1000",
        )
    told = start()("scrape")
    labels = f'gpu="{UUID}",gi="5",ci="0"'
    assert [] == told["failures"]
    assert 1 == told["values"][f'tailsight_gpu_mig_mode{{gpu="{UUID}"}}']
    assert 1000 == told["values"][f"tailsight_gpu_instance_memory_used_bytes{{{labels}}}"]
    assert (
        1
        == told["values"][
            f"tailsight_gpu_instance_info{{{labels},"
            'uuid="MIG-5",name="NVIDIA H100 80GB HBM3 MIG 3g.40gb"}'
        ]
    )
    assert "utilization_gpu_ratio" not in captures.smi(MIG)
    assert not any("tailsight_gpu_utilization" in series for series in told["values"])


def test_a_gpu_that_shares_the_memory_of_its_host(script: Script, start: Start) -> None:
    """On a Jetson Thor or GB10 NVML has no memory to tell of: that is said, and no number."""
    script.gpu(0, IDLE, UUID)
    script.unset("0", "nvmlDeviceGetMemoryInfo_v2")
    told = start()("scrape")
    memory = [series for series in told["values"] if "gpu_memory_" in series]
    assert [] == told["failures"]
    assert [
        f'tailsight_gpu_memory_controller_utilization_ratio{{gpu="{UUID}"}}',
        f'tailsight_gpu_memory_unified_info{{gpu="{UUID}"}}',
    ] == memory


def test_memory_of_an_older_library(script: Script, start: Start) -> None:
    """Without the second version of the call the first one answers, which has no reserved."""
    script.gpu(0, IDLE, UUID)
    script.unset("0", "nvmlDeviceGetMemoryInfo_v2")
    script.set("0", nvmlDeviceGetMemoryInfo="17171480576 16093544448 1077936128")
    values = start()("scrape")["values"]
    assert 1077936128 == values[f'tailsight_gpu_memory_used_bytes{{gpu="{UUID}"}}']
    assert f'tailsight_gpu_memory_reserved_bytes{{gpu="{UUID}"}}' not in values
