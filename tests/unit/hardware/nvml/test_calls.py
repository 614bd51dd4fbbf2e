"""One call that fails, lies, hangs or is not there costs only its own reading."""

import time

from tests.support.nvml_stub.captures import IDLE, MIG
from tests.support.nvml_stub.stub import Script
from tests.unit.hardware.nvml.conftest import Start, power, state

FIRST = "GPU-00000000-0000-0000-0000-000000000001"
SECOND = "GPU-00000000-0000-0000-0000-000000000002"


def test_one_call_that_fails_does_not_cost_the_others(script: Script, start: Start) -> None:
    """An error of one reading is a failure with NVML's text, and no number."""
    script.gpu(0, IDLE, FIRST)
    script.set("0", nvmlDeviceGetUtilizationRates="!999")
    told = start()("scrape")
    assert "ok" == state(told)
    assert [
        [f"nvml {FIRST} nvmlDeviceGetUtilizationRates", "Unknown Error (NVML error 999)", 999]
    ] == told["failures"]
    assert f'tailsight_gpu_utilization_ratio{{gpu="{FIRST}"}}' not in told["values"]
    assert 26.2 == told["values"][power(FIRST)]


def test_a_sentinel_is_no_number(script: Script, start: Start) -> None:
    """4294967295 stands for "not available"; it is a failure, not 4.3 MW."""
    script.gpu(0, IDLE, FIRST)
    script.set("0", nvmlDeviceGetPowerUsage="4294967295")
    told = start()("scrape")
    assert [f"nvml {FIRST} nvmlDeviceGetPowerUsage"] == [where for where, *_ in told["failures"]]
    assert power(FIRST) not in told["values"]


def test_not_supported_is_remembered_until_discovery(script: Script, start: Start) -> None:
    """What a GPU has not is not asked for at each scrape, but again when all is looked for."""
    script.gpu(0, MIG, FIRST)
    agent = start()
    agent("scrape")
    asked = agent("calls", "nvmlDeviceGetFanSpeed")
    agent("scrape")
    assert asked == agent("calls", "nvmlDeviceGetFanSpeed")
    script.set("0", nvmlDeviceGetFanSpeed="30")
    agent("rediscover")
    assert (
        0.3 == agent("scrape")["values"][f'tailsight_gpu_fan_speed_ratio{{gpu="{FIRST}",fan="0"}}']
    )


def test_a_child_process_begins_anew(script: Script, start: Start) -> None:
    """NVML's state does not survive a fork; the child initialises it for itself."""
    script.gpu(0, IDLE, FIRST)
    agent = start()
    agent("scrape")
    child = agent("fork")
    assert 0 == child["early"]
    assert "ok" == state(child)
    assert 26.2 == child["values"][power(FIRST)]
    assert 26.2 == agent("scrape")["values"][power(FIRST)]


def test_a_call_that_hangs(script: Script, start: Start) -> None:
    """The scrape ends in time and says so; when the call returns, all is well again."""
    script.gpu(0, IDLE, FIRST)
    agent = start(timeout=1.0)
    agent("scrape")
    script.set("0", nvmlDeviceGetPowerUsage="hang")
    first, second = agent("scrape"), agent("scrape")
    assert ["timeout", "timeout"] == [first["status"], second["status"]]
    assert power(FIRST) not in first["values"]
    script.set("0", nvmlDeviceGetPowerUsage="26200")
    deadline = time.monotonic() + 10
    while (told := agent("scrape"))["status"] != "ok":
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert 26.2 == told["values"][power(FIRST)]


def test_xids_are_counted_by_number(script: Script, start: Start) -> None:
    """Each Xid counts once, also over an initialisation anew; unwatched GPUs have no series."""
    script.gpu(0, IDLE, FIRST)
    script.gpu(1, IDLE, SECOND)
    script.set("0", xids="")
    agent = start()
    quiet = agent("scrape")["values"]
    script.set("0", xids="31 31 79")
    loud = agent("scrape")["values"]
    name = "tailsight_gpu_xid_errors_total"
    assert 0 == quiet[f'{name}{{gpu="{FIRST}",xid="other"}}']
    assert f'{name}{{gpu="{FIRST}",xid="31"}}' not in quiet
    assert 2 == loud[f'{name}{{gpu="{FIRST}",xid="31"}}']
    assert 1 == loud[f'{name}{{gpu="{FIRST}",xid="79"}}']
    assert f'tailsight_gpu_last_xid_timestamp_seconds{{gpu="{FIRST}",xid="79"}}' in loud


def test_xids_are_watched_again_after_a_loss(script: Script, start: Start) -> None:
    """What was registered is void once NVML was shut down; counts go on where they were."""
    script.gpu(0, IDLE, FIRST)
    script.set("0", xids="31")
    agent = start()
    agent("scrape")
    script.set("0", nvmlDeviceGetUUID="!15")
    agent("scrape")
    script.set("0", nvmlDeviceGetUUID=FIRST, xids="31 31")
    agent("advance", 11)
    values = agent("scrape")["values"]
    assert 2 == values[f'tailsight_gpu_xid_errors_total{{gpu="{FIRST}",xid="31"}}']


def test_xids_that_cannot_be_watched_are_a_failure_until_they_can(
    script: Script, start: Start
) -> None:
    """A refusal (4, no permission) is said as long as it lasts, and no count is told."""
    script.gpu(0, IDLE, FIRST)
    script.set("0", xids="!4")
    agent = start()
    series = f'tailsight_gpu_xid_errors_total{{gpu="{FIRST}",xid="other"}}'
    for _ in range(2):
        agent("rediscover")
        refused = agent("scrape")
        assert [4] == [code for *_, code in refused["failures"]]
        assert series not in refused["values"]
    script.set("0", xids="")
    agent("rediscover")
    told = agent("scrape")
    assert ([], 0) == (told["failures"], told["values"][series])


def test_a_gpu_that_answers_nothing_is_one_failure(script: Script, start: Start) -> None:
    """It still has a handle and a name, but every reading is lost: that is said once."""
    script.gpu(0, IDLE, FIRST)
    agent = start()
    agent("scrape")
    script.break_all("0", 15)
    script.set("0", nvmlDeviceGetUUID=FIRST, nvmlDeviceGetHandleByIndex="0")
    for _ in range(2):
        told = agent("scrape")
        assert "lost" == state(told)
        assert [
            [f"nvml {FIRST} nvmlDeviceGetUtilizationRates", "GPU is lost (NVML error 15)", 15]
        ] == told["failures"]
        assert power(FIRST) not in told["values"]
