"""A recorded node answers as the library did."""

import json
from pathlib import Path
from typing import Any

import pytest

from exporters.core.replay import ReplayError, ReplayRoot
from exporters.core.runner import run as run_task
from exporters.core.task import Outcome, Task
from exporters.hardware.nvml import NvmlOptions, parts
from exporters.recordings import check_recording
from tests.support.collect import run, values

UUID = "GPU-00000000-0000-0000-0000-000000000001"
POWER = f'tailsight_gpu_power_watts{{gpu="{UUID}"}}'
OK = 'tailsight_nvml_state{state="ok"}'
LOST = 'tailsight_nvml_state{state="lost"}'


class Player(ReplayRoot):
    """A replay whose time a test sets."""

    seconds = 0.0

    def elapsed(self) -> float:
        """Return the time that was set."""
        return self.seconds

    def monotonic(self) -> float:
        """Return the same: the recording has a clock."""
        return self.seconds


@pytest.fixture
def record(tmp_path: Path) -> Any:
    """Write a recording of NVML, and give its root."""

    def write(document: object) -> Player:
        folder = tmp_path / "replay"
        folder.mkdir(exist_ok=True)
        (folder / "nvml.json").write_text(json.dumps(document), encoding="utf-8")
        return Player(str(tmp_path))

    return write


def gpu(**more: object) -> dict[str, object]:
    """Return the recording of a GPU."""
    return {"nvmlDeviceGetUUID": UUID, "nvmlDeviceGetPowerUsage": 26200, **more}


def scrapes(root: Player, *moments: float) -> list[Outcome]:
    """Run one collector at these seconds of the replay; what is due is looked for after a run."""
    task = Task(parts(NvmlOptions()).collectors[0], root, 60.0)
    outcomes = []
    for root.seconds in moments:
        outcomes.append(Outcome())
        run_task(task, outcomes[-1], root)
        if task.is_due():
            task.search()
    return outcomes


def test_a_root_without_recording_is_absent(tmp_path: Path) -> None:
    """Nothing of the host's NVML may show under --root."""
    outcome = run(parts(NvmlOptions()).collectors[0], ReplayRoot(str(tmp_path)))
    assert ("absent", "the recording has no replay/nvml.json") == (outcome.status, outcome.reason)


def test_answers_and_what_is_not_supported(record: Any) -> None:
    """What is recorded is exported; what is not is absent, without failure."""
    outcome = run(parts(NvmlOptions()).collectors[0], record({"devices": [gpu()]}))
    told = values(outcome)
    assert ([], 1, 26.2) == (outcome.failures, told[OK], told[POWER])
    assert f'tailsight_gpu_temperature_celsius{{gpu="{UUID}"}}' not in told


def test_a_gpu_that_is_lost_for_a_minute(record: Any) -> None:
    """At 30 s the GPU is lost, at 90 s it is back; the scrape after the next search shows it."""
    lost = [{"at": 0, "value": UUID}, {"at": 30, "error": 15}, {"at": 90, "value": UUID}]
    root = record({"devices": [gpu(nvmlDeviceGetUUID=lost)]})
    told = [values(outcome) for outcome in scrapes(root, 0, 31, 45, 100, 115)]
    assert [(1, 0), (0, 1), (0, 1), (0, 1), (1, 0)] == [(one[OK], one[LOST]) for one in told]
    assert [26.2, None, None, None, 26.2] == [one.get(POWER) for one in told]


def test_xids_come_when_their_time_does(record: Any) -> None:
    """An Xid is counted from its moment on."""
    root = record({"devices": [gpu()], "xids": [{"at": 10, "device": 0, "number": 79}]})
    name = f'tailsight_gpu_xid_errors_total{{gpu="{UUID}",xid="79"}}'
    told = [values(outcome).get(name) for outcome in scrapes(root, 9, 11, 12)]
    assert [None, 1, 1] == told


def test_instances_and_processes(record: Any) -> None:
    """Instances lie in their GPU, lists and structures are as in the C interface."""
    instance = {
        "nvmlDeviceGetUUID": "MIG-1",
        "nvmlDeviceGetName": "MIG 1g.10gb",
        "nvmlDeviceGetGpuInstanceId": 7,
        "nvmlDeviceGetComputeInstanceId": 0,
        "nvmlDeviceGetMemoryInfo_v2": {"total": 10, "reserved": 1, "free": 6, "used": 3},
    }
    processes = [{"pid": 21, "usedGpuMemory": 5}, {"pid": 22, "usedGpuMemory": None}]
    told = values(
        run(
            parts(NvmlOptions()).collectors[0],
            record(
                {
                    "devices": [
                        gpu(
                            nvmlDeviceGetMigMode=[1, 1],
                            mig=[instance],
                            nvmlDeviceGetComputeRunningProcesses=processes,
                        )
                    ]
                }
            ),
        )
    )
    name = "tailsight_gpu_instance_memory_used_bytes"
    assert 3 == told[f'{name}{{gpu="{UUID}",gi="7",ci="0"}}']
    assert 2 == told[f'tailsight_gpu_processes{{gpu="{UUID}"}}']
    assert 5 == told[f'tailsight_gpu_process_memory_bytes{{gpu="{UUID}",pid="21"}}']


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ([], "wants an object"),
        ({"devices": {}}, "'devices' wants to be a list"),
        ({"devices": [{"x": [{"at": 0}]}]}, 'a version of x wants "at"'),
        ({"devices": [{"x": [{"at": 5, "value": 1}, {"at": 1, "value": 2}]}]}, "do not rise"),
        ({"xids": [{"at": 0, "device": 0}]}, "an Xid wants"),
        ({"devices": [], "xids": [{"at": 0, "device": 0, "number": 1}]}, "no device 0"),
    ],
)
def test_a_recording_that_cannot_be_understood(document: object, text: str, record: Any) -> None:
    """It is refused with what is wrong, instead of played in part."""
    outcome = run(parts(NvmlOptions()).collectors[0], record(document))
    assert "error" == outcome.status
    assert text in outcome.reason


@pytest.mark.parametrize(
    "answers",
    [
        {"nvmlDeviceGetMigMode": 1},
        {"nvmlDeviceGetMigMode": ["x", "y"]},
        {"nvmlDeviceGetMigMode": [{"at": 0, "value": {"pid": 1}}]},
        {"nvmlDeviceGetCudaComputeCapability": True},
        {"nvmlDeviceGetComputeRunningProcesses": [1]},
        {"nvmlDeviceGetComputeRunningProcesses": [{"pid": 1, "usedGpuMemory": "x"}]},
        {"nvmlDeviceGetPowerUsage": {"error": "lost"}},
        {"nvmlDeviceGetPowerUsage": [{"at": True, "value": 1}]},
        {"nvmlDeviceGetUUID": None},
        {"mig": [{"nvmlDeviceGetUUID": 1}]},
    ],
)
def test_an_answer_of_the_wrong_kind_is_refused(record: Any, answers: dict[str, object]) -> None:
    """A slip in a recording is said at the start; it neither hides a GPU nor becomes a value."""
    root = record({"devices": [gpu(), gpu(**answers)]})

    with pytest.raises(ReplayError, match=r"/replay/nvml\.json: \S+ "):
        check_recording(root)


def test_more_gpus_than_there_are_is_refused(record: Any) -> None:
    """A count is one of GPUs, not of how long the agent works."""
    root = record({"system": {"nvmlDeviceGetCount": 1_000_000_000}, "devices": [gpu()]})

    with pytest.raises(ReplayError, match="nvmlDeviceGetCount wants a count, at most 64"):
        check_recording(root)


def test_a_recording_that_is_right_is_taken(record: Any) -> None:
    """What NVML answers passes the check, errors and versions included."""
    root = record(
        {
            "system": {"nvmlDeviceGetCount": [{"at": 0, "value": 1}, {"at": 5, "error": 999}]},
            "devices": [gpu(nvmlDeviceGetMigMode=[0, 0], nvmlDeviceGetMemoryInfo={"error": 3})],
            "xids": [{"at": 1.5, "device": 0, "number": 79}],
        }
    )

    check_recording(root)
