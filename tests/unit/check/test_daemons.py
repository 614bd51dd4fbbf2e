"""Programs that keep time, by their names in /proc."""

import subprocess
import sys
from pathlib import Path

from exporters.check.daemons import daemons
from exporters.core import Root
from exporters.core.replay import ReplayRoot


def test_programs_with_their_arguments(tmp_path: Path) -> None:
    """A name of another program does not count, nor one that has ended meanwhile."""
    for pid, comm, cmdline in (
        ("7", "chronyd", b"/usr/sbin/chronyd\0-x\0"),
        ("8", "bash", b"bash\0"),
        ("9", "systemd-timesyn", b"/lib/systemd/systemd-timesyncd\0"),
        ("11", "chronyd", b"/usr/sbin/chronyd\0-x\0"),
    ):
        folder = tmp_path / "proc" / pid
        folder.mkdir(parents=True)
        (folder / "comm").write_text(f"{comm}\n")
        (folder / "cmdline").write_bytes(cmdline)
    (tmp_path / "proc" / "10").mkdir()

    assert {
        "chronyd": [("/usr/sbin/chronyd", "-x")] * 2,
        "systemd-timesyn": [("/lib/systemd/systemd-timesyncd",)],
    } == daemons(ReplayRoot(str(tmp_path)))


def test_no_process_is_seen(tmp_path: Path) -> None:
    """A recording without processes does not say that nothing runs."""
    assert daemons(ReplayRoot(str(tmp_path))) is None


def test_a_real_process() -> None:
    """One that calls itself ts2phc is seen with the arguments that it was started with."""
    code = "open('/proc/self/comm', 'w').write('ts2phc'); print(flush=True); input()"
    command = [sys.executable, "-c", code, "tailsight's test"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = daemons(Root()) or {}
        process.communicate(b"\n")

    assert tuple(command) in found["ts2phc"]
