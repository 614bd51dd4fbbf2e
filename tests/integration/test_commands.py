"""The commands, as a user has them: real processes, real signals."""

import json
import os
import re
import shlex
import socket
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conftest import Mounted
from tests.support.agent import COMMAND, clean_environment, serving, tailsight
from tests.support.boards import board_root
from tests.support.faults import Faults
from tests.support.mount import mounted_tree
from tests.support.nvml_stub.captures import L40S as CAPTURE
from tests.support.nvml_stub.stub import Script, build

ORIN = "jetson-orin-nano-jp6"
VOLATILE = re.compile(r"tailsight_(collector_duration|scrape_duration)_seconds")


def root_of(board: str) -> str:
    """Return the flag for a recorded board, without its faults."""
    return f"--root={board_root(board)}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("serve", "--no-such-flag"), "unrecognized arguments: --no-such-flag"),
        (("serve", "--listen", "nowhere"), "listen wants HOST:PORT"),
        (("serve", "--collector.termal"), "unrecognized arguments: --collector.termal"),
        (("serve", "--scrape.timeout", "soon"), "scrape.timeout wants a length of time"),
        (("once", "--root", "/no/such"), "--root /no/such: no such folder"),
        (("once", "--root", "no\nsuch"), r"--root no\nsuch: no such folder"),
        (("once", "--root", ""), "root wants a text, not nothing"),
        (("serve", "--config.file", "/no/such"), "/no/such: cannot be read"),
        (("serve", "--web.config.file", "/no/such"), "/no/such"),
        (("serve", "--otlp.endpoint", "grpc://x"), "otlp.endpoint"),
        (("once", "--output", "/no/such/x.prom"), "--output /no/such/x.prom"),
        ((), "the following arguments are required: COMMAND"),
        (("frobnicate",), "invalid choice"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments: tuple[str, ...], message: str) -> None:
    """What is wrong and what to do, on one line, without a traceback."""
    done = tailsight(*arguments)

    assert (2, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith("tailsight: ")
    assert message in done.stderr
    assert 1 == done.stderr.count("\n")


def test_a_taken_port_is_one_line_and_status_2() -> None:
    """Another server on the port is said, with the address."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        done = tailsight("serve", "--listen", address, root_of(ORIN))

    assert 2 == done.returncode
    assert address in done.stderr
    assert 1 == done.stderr.count("\n")


def test_once_is_sorted_and_stable() -> None:
    """Two runs differ in durations only; families and series are in order."""
    first, second = (tailsight("once", root_of(ORIN)) for _ in range(2))
    assert 0 == first.returncode

    def steady(text: str) -> list[str]:
        return [line for line in text.splitlines() if not VOLATILE.match(line)]

    families = re.findall(r"^# TYPE (\S+)", first.stdout, re.MULTILINE)
    assert steady(first.stdout) == steady(second.stdout)
    assert sorted(families) == families
    assert 'sensor="cpu"' in first.stdout


def test_once_writes_a_file_all_at_once(tmp_path: Path) -> None:
    """--output leaves the file and nothing beside it."""
    done = tailsight("once", root_of(ORIN), "--output", str(tmp_path / "x.prom"))

    assert (0, "") == (done.returncode, done.stdout)
    assert ["x.prom"] == [path.name for path in tmp_path.iterdir()]
    assert "tailsight_build_info" in (tmp_path / "x.prom").read_text()


def test_a_closed_pipe_is_no_traceback() -> None:
    """``tailsight once | head -1`` ends quietly."""
    once = shlex.join((*COMMAND, "once", root_of(ORIN)))
    done = subprocess.run(
        ["bash", "-c", f"{once} | head -1"],
        env=clean_environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert "Traceback" not in done.stderr
    assert done.stdout.startswith("# HELP")


def test_check_as_json_has_a_verdict_for_every_collector() -> None:
    """On a recorded Orin: thermal is ok, RAPL is absent with what to do."""
    done = tailsight("check", "--json", root_of(ORIN))
    sources = json.loads(done.stdout)["sources"]
    verdicts = {row["collector"]: row["verdict"] for row in sources if not row["paths"]}

    assert ("ok", "absent") == (verdicts["thermal"], verdicts["rapl"])
    assert all(row["reason"] and row["fix"] for row in sources if row["verdict"] == "absent")
    assert {"ok", "absent", "denied", "broken"} >= set(verdicts.values())


def test_check_names_denied_paths(mounted: Mounted) -> None:
    """RAPL that only root may read is denied, with capability and path; the status says so."""
    done = tailsight("check", f"--root={mounted('nuc13-i915')}")

    assert 1 == done.returncode
    assert "DENIED" in done.stdout
    assert "energy_uj" in done.stdout
    assert "CAP_DAC_READ_SEARCH" in done.stdout


def test_serve_answers_and_ends_well() -> None:
    """Metrics, health, readiness and the page; SIGTERM gives status 0."""
    with serving(root_of(ORIN)) as agent:
        pages = {path: agent.get(path)[0] for path in ("/metrics", "/-/healthy", "/-/ready", "/")}
        status, log = agent.stop()

    assert {"/metrics": 200, "/-/healthy": 200, "/-/ready": 200, "/": 200} == pages
    assert 0 == status
    assert "Traceback" not in log


def test_a_sensor_that_hangs_costs_only_itself(tmp_path: Path) -> None:
    """Behind a read that never returns, the other zones are there at every scrape."""
    hung = "sys/devices/virtual/thermal/thermal_zone0/temp"
    with ExitStack() as mount:
        faults = Faults(hangs=frozenset({hung}))
        root = mount.enter_context(mounted_tree(board_root(ORIN), tmp_path / "root", faults))
        with serving(f"--root={root}", "--scrape.timeout=1s") as agent:
            status, text = agent.get()
            # A thread in such a read cannot be ended, not by SIGKILL either: see docs/adr/0002.
            mount.close()

    assert 200 == status
    assert 'tailsight_collector_status{collector="thermal",status="timeout"} 1' in text
    # The three zones of the camera rail, off in this recording, fail besides.
    assert 'tailsight_collector_failed_sensors{collector="thermal"} 4' in text
    assert 'sensor="gpu"} 46.843' in text  # thermal_zone1, behind the one that hangs


def test_serve_ends_within_two_seconds_though_a_collector_hangs(tmp_path: Path) -> None:
    """A call into a driver that never returns does not hold up the end."""
    script = Script(tmp_path / "script")
    script.gpu(0, CAPTURE, "GPU-00000000-0000-0000-0000-000000000001")
    library = build(tmp_path)
    script.set("0", nvmlDeviceGetPowerUsage="hang")
    environment = {"LD_LIBRARY_PATH": str(library.parent), "NVML_STUB_SCRIPT": str(script.path)}
    with serving("--scrape.timeout=1s", **environment) as agent:
        text = agent.get()[1]
        begun = time.monotonic()
        code, _ = agent.stop()
        took = time.monotonic() - begun

    assert 'tailsight_collector_status{collector="nvml",status="timeout"} 1' in text
    assert 0 == code
    assert took < 2


def test_no_value_of_the_host_in_a_replay() -> None:
    """Under --root neither this machine's name nor its kernel is shown."""
    text = tailsight("once", root_of(ORIN), NODE_NAME="").stdout

    assert f'"{socket.gethostname()}"' not in text
    assert Path("/proc/sys/kernel/osrelease").read_text().strip() not in text


def test_collectors_can_be_chosen() -> None:
    """Defaults off and one on: only that one runs."""
    text = tailsight(
        "once", root_of(ORIN), "--collector.disable-defaults", "--collector.thermal"
    ).stdout

    assert {"thermal"} == set(re.findall(r'collector_success\{collector="(\w+)"', text))


def test_environment_settings_reach_the_command() -> None:
    """TAILSIGHT_* is read by the real process; a typing error there is one line."""
    done = tailsight("once", TAILSIGHT_ROOTS="/x")

    assert 2 == done.returncode
    assert "did you mean TAILSIGHT_ROOT?" in done.stderr


def shell(line: str) -> "subprocess.CompletedProcess[str]":
    """Run a line of shell in which ``"$@"`` is the command."""
    return subprocess.run(
        ["sh", "-c", line, "sh", *COMMAND],
        env=clean_environment(PYTHONUNBUFFERED=""),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_an_output_that_is_full_is_one_line() -> None:
    """What could not be written is said, and the status tells a script."""
    done = shell('"$@" --version > /dev/full')

    assert (1, "tailsight: standard output: No space left on device\n") == (
        done.returncode,
        done.stderr,
    )


def test_a_closed_output_is_nothing_to_write_to() -> None:
    """A daemon's child may have no standard streams at all."""
    root = shlex.quote(root_of(ORIN))

    assert (0, "") == (
        (done := shell(f'"$@" once {root} --log.level error >&-')).returncode,
        done.stderr,
    )
    assert (2, "") == (
        (done := shell('"$@" once --root /no/such 2>&-')).returncode,
        done.stdout,
    )


def test_output_replaces_files_only(tmp_path: Path) -> None:
    """As root, ``--output /dev/null`` would take the device from the whole machine."""
    os.mkfifo(tmp_path / "device")

    done = tailsight("once", root_of(ORIN), f"--output={tmp_path}/device", "--log.level=error")

    assert (2, f"tailsight: --output {tmp_path}/device: is no file that could be replaced\n") == (
        done.returncode,
        done.stderr,
    )
    assert (tmp_path / "device").is_fifo()


def test_output_follows_a_link_and_leaves_nothing_beside(tmp_path: Path) -> None:
    """A link to the collector's folder stays one."""
    (tmp_path / "node.prom").write_text("old")
    (tmp_path / "link.prom").symlink_to("node.prom")

    done = tailsight("once", root_of(ORIN), f"--output={tmp_path}/link.prom")

    assert 0 == done.returncode
    assert ["link.prom", "node.prom"] == sorted(path.name for path in tmp_path.iterdir())
    assert (tmp_path / "link.prom").is_symlink()
    assert "tailsight_node_info" in (tmp_path / "node.prom").read_text()
