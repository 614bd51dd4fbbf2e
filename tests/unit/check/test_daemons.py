"""Programs that keep time, by their names in /proc."""

from pathlib import Path

from exporters.check.daemons import daemons
from exporters.core.replay import ReplayRoot


def test_programs_with_their_arguments(tmp_path: Path) -> None:
    """A name of another program does not count, nor one that has ended meanwhile."""
    for pid, comm, cmdline in (
        ("7", "chronyd", b"/usr/sbin/chronyd\0-x\0"),
        ("8", "bash", b"bash\0"),
        ("9", "systemd-timesyn", b"/lib/systemd/systemd-timesyncd\0"),
    ):
        folder = tmp_path / "proc" / pid
        folder.mkdir(parents=True)
        (folder / "comm").write_text(f"{comm}\n")
        (folder / "cmdline").write_bytes(cmdline)
    (tmp_path / "proc" / "10").mkdir()

    assert {
        "chronyd": ("/usr/sbin/chronyd", "-x"),
        "systemd-timesyn": ("/lib/systemd/systemd-timesyncd",),
    } == daemons(ReplayRoot(str(tmp_path)))


def test_no_process_is_seen(tmp_path: Path) -> None:
    """A recording without processes does not say that nothing runs."""
    assert daemons(ReplayRoot(str(tmp_path))) is None
