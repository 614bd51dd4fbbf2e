"""What ends ``serve``, and what has it look for devices anew."""

import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

from tests.support.agent import Serving, serving
from tests.support.nvml_stub.captures import L40S
from tests.support.nvml_stub.stub import Script, build

PATIENCE_SECONDS = 20.0
ZONE = "sys/class/thermal/thermal_zone{}"


def test_hang_up_looks_for_devices_anew(
    make_tree: Callable[[dict[str, str | bytes]], Path],
) -> None:
    """A zone that came after the start is told after SIGHUP, long before the next search."""
    files: dict[str, str | bytes] = {"type": "one", "temp": "41000"}
    tree = make_tree({f"{ZONE.format(0)}/{name}": text for name, text in files.items()})
    with serving(f"--root={tree}") as agent:
        make_tree({f"{ZONE.format(1)}/{name}": text for name, text in files.items()})
        before = agent.get()[1]
        agent.process.send_signal(signal.SIGHUP)
        late = time.monotonic() + PATIENCE_SECONDS
        while 'zone="thermal_zone1"' not in (after := agent.get()[1]):
            assert time.monotonic() < late

    assert 'zone="thermal_zone1"' not in before
    assert 'temperature_celsius{zone="thermal_zone1",type="one",sensor="one"} 41.0' in after


def test_a_gpu_lost_for_good_ends_with_status_3(tmp_path: Path) -> None:
    """With --nvml.exit-on-lost the supervisor is told to start anew, and the log says why."""
    script = Script(tmp_path / "script")
    script.gpu(0, L40S, "GPU-00000000-0000-0000-0000-000000000001")
    environment = {
        "LD_LIBRARY_PATH": str(build(tmp_path).parent),
        "NVML_STUB_SCRIPT": str(script.path),
    }
    with serving("--nvml.exit-on-lost", **environment) as agent:
        script.set("0", nvmlDeviceGetUUID="!999")
        status = _scraped_to_its_end(agent)
        log = agent.process.communicate()[1]

    assert 3 == status
    assert "NVML is lost, ending: Unknown Error" in log
    assert "Traceback" not in log


def _scraped_to_its_end(agent: Serving) -> int:
    """Scrape, with a search before each, until the agent has ended; return its status."""
    late = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < late:
        with suppress(OSError, HTTPException):
            agent.process.send_signal(signal.SIGHUP)
            agent.get()
        with suppress(subprocess.TimeoutExpired):
            return agent.process.wait(0.2)
    message = "still serving"
    raise AssertionError(message)
