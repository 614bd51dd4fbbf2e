"""What is said, and done, when NVML is not there, is lost, or comes back."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.nvml_stub.captures import IDLE, L40S
from tests.support.nvml_stub.stub import Script
from tests.unit.hardware.nvml.conftest import Start, power, state

FIRST = "GPU-00000000-0000-0000-0000-000000000001"
SECOND = "GPU-00000000-0000-0000-0000-000000000002"


def reasons(told: dict[str, Any]) -> list[str]:
    """Return the reasons of all problems."""
    return [name for name in told["values"] if name.startswith("tailsight_nvml_problem_info")]


def test_no_library_is_an_answer_and_costs_no_import(start: Start) -> None:
    """A node without NVML is absent, and pynvml, which costs 2 MB, is not imported."""
    told = start(with_library=False)("scrape")
    assert ("absent", [], {}) == (told["status"], told["failures"], told["values"])
    assert "libnvidia-ml.so.1 cannot be loaded" == told["reason"]
    assert not told["pynvml"]


def test_no_library_though_a_gpu_is_on_the_bus(start: Start, tmp_path: Path) -> None:
    """A GPU without driver is absent, too, but the reason says that it is there."""
    device = tmp_path / "root/sys/bus/pci/devices/0000:01:00.0"
    agent = start(with_library=False)
    device.mkdir(parents=True)
    (device / "vendor").write_text("0x10de\n")
    (device / "class").write_text("0x030000\n")
    told = agent("scrape")
    assert "absent" == told["status"]
    assert told["reason"].endswith("though a GPU of NVIDIA is on the bus")


def test_a_driver_that_is_not_loaded(script: Script, start: Start, tmp_path: Path) -> None:
    """It is a problem where there is a GPU, and absent where there is none."""
    script.set("-", nvmlInit="!9")
    agent = start()
    assert "absent" == agent("scrape")["status"]
    for name, text in (("vendor", "0x10de"), ("class", "0x030200")):
        path = tmp_path / "root/sys/bus/pci/devices/0000:01:00.0" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    agent("advance", 61)
    told = agent("scrape")
    assert "driver_not_loaded" == state(told)
    assert [["nvml", "Driver Not Loaded (NVML error 9)", 9]] == told["failures"]


def test_no_gpu_at_all(start: Start) -> None:
    """A driver without GPUs, as after one was taken out, is absent."""
    told = start()("scrape")
    assert ("absent", "NVML finds no GPU") == (told["status"], told["reason"])


@pytest.mark.parametrize(
    ("error", "expected", "advice"),
    [
        (18, "version_mismatch", "reboot"),
        (999, "unknown_error", "recreate"),
        (4, "no_permission", "/dev/nvidia"),
        (77, "unknown_error", "recreate"),
    ],
)
def test_why_nvml_does_not_start(
    error: int, expected: str, advice: str, script: Script, start: Start
) -> None:
    """The state says what is wrong, and its reason what to do."""
    script.set("-", nvmlInit=f"!{error}")
    told = start()("scrape")
    assert expected == state(told)
    assert [error] == [code for _, _, code in told["failures"]]
    assert [True] == [advice in reason for reason in reasons(told)]


def test_a_lost_gpu_does_not_cost_the_other(script: Script, start: Start) -> None:
    """The first GPU falls off the bus: one failure, no stale number, the second still answers."""
    script.gpu(0, IDLE, FIRST)
    script.gpu(1, L40S, SECOND)
    agent = start()
    assert "ok" == state(agent("scrape"))
    script.break_all("0", 15)
    told = agent("scrape")
    assert "lost" == state(told)
    assert [["nvml GPU 0", "GPU is lost (NVML error 15)", 15]] == told["failures"]
    assert [] == [series for series in told["values"] if FIRST in series and "xid" not in series]
    assert 110.23 == told["values"][power(SECOND)]


def test_a_lost_gpu_is_found_again(script: Script, start: Start) -> None:
    """After a reset NVML is initialised anew, and the GPU is back by itself."""
    script.gpu(0, IDLE, FIRST)
    agent = start()
    before = agent("scrape")
    script.break_all("0", 15)
    lost = agent("scrape")
    script.gpu(0, IDLE, FIRST)
    script.set("0", nvmlDeviceGetHandleByIndex="0")
    agent("advance", 11)
    after = agent("scrape")
    assert ["ok", "lost", "ok"] == [state(told) for told in (before, lost, after)]
    assert 26.2 == after["values"][power(FIRST)]
    assert [] == after["failures"]


def test_unknown_error_after_a_reload_and_recovery(script: Script, start: Start) -> None:
    """All calls fail with 999, as in a container whose devices were taken; then they are back."""
    script.gpu(0, IDLE, FIRST)
    agent = start()
    agent("scrape")
    script.break_all("0", 999)
    script.set("-", nvmlInit="!999")
    told = agent("scrape")
    assert "unknown_error" == state(told)
    assert [["nvml", "Unknown Error (NVML error 999)", 999]] == told["failures"]
    assert [] == [series for series in told["values"] if FIRST in series]
    script.gpu(0, IDLE, FIRST)
    script.set("-", nvmlInit="0")
    script.set("0", nvmlDeviceGetHandleByIndex="0")
    agent("advance", 11)
    again = agent("scrape")
    assert "ok" == state(again)
    assert 26.2 == again["values"][power(FIRST)]


def test_the_last_success_stands_still_while_lost(script: Script, start: Start) -> None:
    """Whoever keeps an old value can see how old it is."""
    name = "tailsight_nvml_last_success_timestamp_seconds"
    script.gpu(0, IDLE, FIRST)
    agent = start()
    first = agent("scrape")["values"][name]
    second = agent("scrape")["values"][name]
    script.break_all("0", 15)
    third = agent("scrape")["values"][name]
    assert first < second == third


def test_lost_for_good_is_told_once(script: Script, start: Start) -> None:
    """Two attempts to initialise anew do not help: the supervisor is to hear of it, once."""
    script.gpu(0, IDLE, FIRST)
    agent = start(exit_on_lost=True)
    agent("scrape")
    script.set("-", nvmlInit="!999")
    script.break_all("0", 999)
    told = [agent("scrape")["lost"]]
    for _ in range(5):
        agent("advance", 61)
        told.append(agent("scrape")["lost"])
    assert [] == told[0]
    assert ["Unknown Error"] == [reason.partition(":")[0] for reason in told[-1]]


def test_what_never_worked_is_not_lost(script: Script, start: Start) -> None:
    """A node whose NVML never answered would otherwise restart for ever."""
    script.set("-", nvmlInit="!999")
    agent = start(exit_on_lost=True)
    for _ in range(5):
        told = agent("scrape")
        agent("advance", 61)
    assert [] == told["lost"]


def test_attempts_become_rarer(script: Script, start: Start) -> None:
    """Initialising takes long on a broken driver: it is tried after 5, 10, 20, 40 and 60 s."""
    script.set("-", nvmlInit="!999")
    agent = start()
    for _ in range(300):
        agent("rediscover")
        agent("scrape")
        agent("advance", 1)
    # At 0, 5, 15, 35, 75, 135, 195 and 255 s.
    assert 8 == agent("calls", "nvmlInit")
