"""What happens between two scrapes shows in the second."""

import pytest

from tests.support.nvml_stub.captures import IDLE, L40S
from tests.support.nvml_stub.stub import Script
from tests.unit.hardware.nvml.conftest import Start

UUID = "GPU-00000000-0000-0000-0000-000000000001"
MEMORY = "nvmlDeviceGetMemoryInfo_v2"
GIGABYTE = 1_000_000_000
# Total, reserved, free, used.
BEFORE = "17171480576 455081984 16093544448 622854144"
DURING = f"17171480576 455081984 14893544448 {622854144 + 1200000000}"


def series(name: str, labels: str = "") -> str:
    """Return the full name of a series of the GPU."""
    return f'tailsight_{name}{{gpu="{UUID}"{labels}}}'


def test_a_pulse_of_memory_shows(script: Script, start: Start) -> None:
    """1.2 GB are allocated and freed between two scrapes, which both see the same 0.62 GB."""
    script.gpu(0, IDLE, UUID)
    script.set("0", {MEMORY: BEFORE})
    agent = start(pulses=True)
    agent("scrape")
    agent("wait_for", MEMORY, 4)
    agent("scrape")
    script.set("0", {MEMORY: DURING})
    agent("wait_for", MEMORY, 4)
    script.set("0", {MEMORY: BEFORE})
    agent("wait_for", MEMORY, 4)
    values = agent("scrape")["values"]
    assert 622854144 == values[series("gpu_memory_used_bytes")]
    assert 622854144 == values[series("gpu_memory_used_pulse_min_bytes")]
    assert 622854144 + 1200000000 == values[series("gpu_memory_used_pulse_max_bytes")]
    assert 1200000000 == values[series("gpu_memory_used_pulse_largest_step_bytes")]
    assert 6 <= values[series("gpu_pulse_samples", ',quantity="memory_used"')]
    # Of samples of which a share p is high by 1.2 GB it is 1.2 GB * sqrt(p * (1 - p)).
    assert 0 < values[series("gpu_memory_used_pulse_stddev_bytes")] <= 0.6 * GIGABYTE


def test_a_window_ends_with_the_scrape(script: Script, start: Start) -> None:
    """The scrape after the pulse is calm again."""
    script.gpu(0, IDLE, UUID)
    script.set("0", {MEMORY: DURING})
    agent = start(pulses=True)
    agent("scrape")
    agent("wait_for", MEMORY, 2)
    script.set("0", {MEMORY: BEFORE})
    agent("wait_for", MEMORY, 2)
    agent("scrape")
    agent("wait_for", MEMORY, 3)
    values = agent("scrape")["values"]
    assert 622854144 == values[series("gpu_memory_used_pulse_max_bytes")]
    assert 0 == values[series("gpu_memory_used_pulse_stddev_bytes")]


@pytest.mark.parametrize("pulses", [False, True])
def test_pcie_throughput_is_measured_in_the_background(
    pulses: bool,  # noqa: FBT001  # a parameter of the test
    script: Script,
    start: Start,
) -> None:
    """11.9 GB/s in one direction and 3.1 in the other; with pulses there is their extent, too."""
    script.gpu(0, L40S, UUID)
    script.set(
        "0",
        {"nvmlDeviceGetPcieThroughput(0)": "3100000", "nvmlDeviceGetPcieThroughput(1)": "11900000"},
    )
    agent = start(pcie_throughput=True, pulses=pulses)
    agent("scrape")
    agent("wait_for", "nvmlDeviceGetPcieThroughput", 4)
    values = agent("scrape")["values"]
    name = "gpu_pcie_throughput_bytes_per_second"
    assert 3.1 * GIGABYTE == values[series(name, ',direction="tx"')]
    assert 11.9 * GIGABYTE == values[series(name, ',direction="rx"')]
    extent = series("gpu_pcie_throughput_pulse_max_bytes_per_second", ',direction="rx"')
    assert (11.9 * GIGABYTE if pulses else None) == values.get(extent)


def test_nothing_is_sampled_unless_asked_for(script: Script, start: Start) -> None:
    """Pulses and throughput are opt-in."""
    script.gpu(0, L40S, UUID)
    script.set("0", {"nvmlDeviceGetPcieThroughput(0)": "3100000"})
    agent = start()
    values = agent("scrape")["values"]
    assert [] == [name for name in values if "pulse" in name or "throughput" in name]
    assert 0 == agent("calls", "nvmlDeviceGetPcieThroughput")


def test_samplers_end_within_a_second(script: Script, start: Start) -> None:
    """Also while one hangs in a call."""
    script.gpu(0, L40S, UUID)
    script.set("0", {"nvmlDeviceGetPcieThroughput(0)": "3100000"})
    agent = start(pulses=True)
    agent("scrape")
    agent("wait_for", MEMORY, 2)
    script.set("0", {"nvmlDeviceGetPcieThroughput(0)": "hang"})
    agent("wait_for", "nvmlDeviceGetPcieThroughput", 1)
    assert agent("close") < 1.5


def test_samples_that_fail_are_a_failure(script: Script, start: Start) -> None:
    """When no sample of a window could be taken there is no number, but a reason."""
    script.gpu(0, L40S, UUID)
    script.set("0", {MEMORY: "!20", "nvmlDeviceGetUtilizationRates": "!20"})
    agent = start(pulses=True)
    agent("scrape")
    agent("wait_for", MEMORY, 2)
    told = agent("scrape")
    assert f"nvml {UUID} samples" in [where for where, *_ in told["failures"]]
    assert [] == [name for name in told["values"] if "gpu_memory_used_pulse" in name]


def test_sampling_survives_an_initialisation_anew(script: Script, start: Start) -> None:
    """The samplers wait while NVML is shut down, and go on with the new handles."""
    script.gpu(0, IDLE, UUID)
    agent = start(pulses=True)
    agent("scrape")
    agent("wait_for", MEMORY, 2)
    script.break_all("0", 15)
    agent("scrape")
    script.gpu(0, IDLE, UUID)
    script.set("0", nvmlDeviceGetHandleByIndex="0")
    agent("advance", 11)
    agent("scrape")
    agent("wait_for", MEMORY, 3)
    assert series("gpu_memory_used_pulse_max_bytes") in agent("scrape")["values"]
