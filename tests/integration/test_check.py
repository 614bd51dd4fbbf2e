"""``tailsight check`` as users and machines run it."""

import json
import os
import pty
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import jsonschema
import pytest

from tests.conftest import Mounted
from tests.golden.check_report import CHECK_GOLDEN, check_reports
from tests.support.agent import COMMAND, clean_environment, tailsight
from tests.support.boards import ROOTS, board_names
from tests.support.faults import Faults
from tests.support.mount import mounted_tree
from tests.support.nvml_stub.captures import L40S as CAPTURE
from tests.support.nvml_stub.stub import Script, build

SCHEMA = json.loads(Path("docs/check.schema.json").read_text(encoding="utf-8"))
NODE_EXPORTER = f"--root={ROOTS / 'node-exporter'}"


def sources(stdout: str, kind: str = "collector") -> dict[str, dict[str, str]]:
    """Return the rows of a kind by what they judge."""
    rows = json.loads(stdout)["sources"]
    return {row["collector"]: row for row in rows if row["kind"] == kind}


def in_namespace(flags: str, prepare: str) -> "subprocess.CompletedProcess[str]":
    """Run the check in namespaces of its own, after a shell command there."""
    done = subprocess.run(
        ["unshare", *flags.split(), "sh", "-c", f'{prepare} && echo ready && exec "$@"', "sh",
         *COMMAND, "check", "--json"],
        env=clean_environment(), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    ready, _, done.stdout = done.stdout.partition("\n")
    if ready != "ready":
        pytest.skip(f"namespaces cannot be made here: {done.stderr.strip()}")
    return done


def test_board_gives_its_golden_reports(board: str, mounted: Mounted) -> None:
    """With the recorded reads really failing, table and JSON are those that were reviewed."""
    golden = {
        suffix: (CHECK_GOLDEN / f"{board}{suffix}").read_text(encoding="utf-8")
        for suffix in (".txt", ".json")
    }

    assert golden == check_reports(mounted(board))


def test_no_golden_report_without_its_board() -> None:
    """A board that was renamed leaves nothing behind."""
    assert set(board_names()) == {path.stem for path in CHECK_GOLDEN.iterdir()}


@pytest.mark.parametrize("flag", [NODE_EXPORTER, "--log.level=info"])
def test_json_keeps_its_schema(flag: str) -> None:
    """A recording and this machine both give what docs/check.schema.json says."""
    jsonschema.validate(json.loads(tailsight("check", "--json", flag).stdout), SCHEMA)


def test_nothing_to_do_is_status_0() -> None:
    """Absent hardware is no fault, and the log keeps out of the report."""
    done = tailsight("check", NODE_EXPORTER)

    assert (0, "") == (done.returncode, done.stderr)
    assert "Needs action" not in done.stdout


def test_bad_input_is_status_2() -> None:
    """One line says what is wrong."""
    done = tailsight("check", "--root=/no/such/folder")

    assert (2, "") == (done.returncode, done.stdout)
    assert 1 == done.stderr.count("\n")


def test_what_is_switched_off_is_said() -> None:
    """A collector that does not run has no verdict, but is named."""
    done = tailsight("check", "--json", "--no-collector.rapl", NODE_EXPORTER)

    assert ["rapl"] == json.loads(done.stdout)["switched_off"]
    assert "rapl" not in sources(done.stdout)


def until_its_end(process: "subprocess.Popen[str]") -> str:
    """Return the JSON that a process prints, without waiting for the process to end."""
    assert process.stdout
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line == "}\n":
            break
    return "".join(lines)


def test_a_hang_shows_and_costs_one_timeout(tmp_path: Path) -> None:
    """A read that does not come back is broken, named, and not waited for twice."""
    path = "sys/class/thermal/thermal_zone0/temp"
    tree = ROOTS / "nuc13-i915"
    faults = Faults(hangs=frozenset({os.path.relpath(os.path.realpath(tree / path), tree)}))
    command = [*COMMAND, "check", "--json", "--scrape.timeout=1s", f"--root={tmp_path / 'root'}"]
    with ExitStack() as stack:
        mount = stack.enter_context(ExitStack())
        mount.enter_context(mounted_tree(tree, tmp_path / "root", faults))
        process = stack.enter_context(
            subprocess.Popen(command, env=clean_environment(), stdout=subprocess.PIPE, text=True)
        )
        # A process with a thread in such a read ends only after the read: see docs/adr/0002.
        stack.callback(mount.close)
        found = until_its_end(process)
    rows = [row for row in json.loads(found)["sources"] if row["paths"]]

    assert [("thermal", "broken", [f"/{path}"])] == [
        (row["collector"], row["verdict"], row["paths"]) for row in rows
    ]
    assert json.loads(found)["summary"]["cost_seconds"] < 1


def test_a_terminal_gets_colour_unless_told_otherwise() -> None:
    """On a terminal verdicts are coloured; with NO_COLOR they are not."""

    def shown(**more: str) -> bytes:
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "exporters", "check", NODE_EXPORTER]
        with subprocess.Popen(
            command, stdout=theirs, env=clean_environment(TERM="xterm", **more)
        ) as process:
            os.close(theirs)
            text = b""
            try:
                while chunk := os.read(ours, 65536):
                    text += chunk
            except OSError:  # the other side is closed
                pass
            finally:
                os.close(ours)
            assert 0 == process.wait(30)
        return text

    assert b"\x1b[32mok" in shown()
    assert b"\x1b" not in shown(NO_COLOR="1")


@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not installed")
def test_without_sys_the_mount_is_to_blame() -> None:
    """Where something else lies over /sys, that is broken, with how to mount it: status 1."""
    done = in_namespace("--mount", "mount -t tmpfs none /sys")
    row = next(row for row in json.loads(done.stdout)["sources"] if row["source"] == "/sys")

    assert (1, "broken", "tmpfs is mounted there, not sysfs") == (
        done.returncode, row["verdict"], row["reason"],
    )  # fmt: skip
    assert "mount -t sysfs" in row["fix"]


@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not installed")
def test_a_rootless_container_is_told_what_it_lacks() -> None:
    """Its root is none outside, and the kernel sends it no uevents."""
    done = in_namespace("--user --map-root-user --net", "true")

    assert "user namespace" in json.loads(done.stdout)["node"]["user"]
    assert "absent" == sources(done.stdout, "node")["hotplug"]["verdict"]
    assert "rootless" in sources(done.stdout, "node")["hotplug"]["reason"]


def test_an_empty_library_is_broken(tmp_path: Path) -> None:
    """A container runtime without a driver leaves an empty file: not the same as none."""
    (tmp_path / "libnvidia-ml.so.1").touch()
    row = sources(tailsight("check", "--json", LD_LIBRARY_PATH=str(tmp_path)).stdout)["nvml"]

    assert "broken" == row["verdict"]
    assert "file too short" in row["reason"]


@pytest.mark.parametrize(
    ("error", "verdict", "state"),
    [
        (4, "denied", "no_permission"),
        (18, "broken", "version_mismatch"),
        (999, "broken", "unknown_error"),
    ],
)
def test_nvml_that_does_not_start_is_not_ok(
    error: int, verdict: str, state: str, tmp_path: Path
) -> None:
    """The state metric alone is no reading: the verdict follows the state."""
    library, script = build(tmp_path), Script(tmp_path / "script")
    script.gpu(0, CAPTURE, "GPU-1")
    script.set("-", nvmlInit=f"!{error}")
    done = tailsight(
        "check", "--json",
        LD_LIBRARY_PATH=str(library.parent), NVML_STUB_SCRIPT=str(script.path),
    )  # fmt: skip
    row = sources(done.stdout)["nvml"]

    assert (1, verdict) == (done.returncode, row["verdict"])
    assert row["reason"].startswith(f"{state}: ")
    assert "" == row["sample"]


def test_nvml_that_works_shows_a_reading(tmp_path: Path) -> None:
    """A recorded GPU through the real library path is ok with a sample."""
    library, script = build(tmp_path), Script(tmp_path / "script")
    script.gpu(0, CAPTURE, "GPU-1")
    done = tailsight(
        "check", "--json",
        LD_LIBRARY_PATH=str(library.parent), NVML_STUB_SCRIPT=str(script.path),
    )  # fmt: skip
    row = sources(done.stdout)["nvml"]

    assert "ok" == row["verdict"]
    assert "nvml_state" not in row["sample"]
    assert row["sample"]
