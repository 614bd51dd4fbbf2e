"""Reading files without being lied to."""

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from exporters.core import Root
from exporters.core.replay import ReplayRoot


def test_read_strips_what_kernels_add(tmp_path: Path) -> None:
    """Line ends, blanks and the NUL of device trees are not part of a value."""
    (tmp_path / "model").write_bytes(b" NVIDIA Jetson\0\n")

    assert "NVIDIA Jetson" == Root(str(tmp_path)).read("model")


def test_read_survives_what_is_not_utf_8(tmp_path: Path) -> None:
    """Bytes that are no text are replaced, never raised over (DMI strings of NUCs)."""
    (tmp_path / "name").write_bytes(b"caf\xe9")

    assert "caf\ufffd" == Root(str(tmp_path)).read("name")


def test_read_raises_on_eagain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A sensor that says "try again" raises; it does not read as empty."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    monkeypatch.setattr(os, "open", lambda *_: reader)

    with pytest.raises(BlockingIOError):
        Root(str(tmp_path)).read("sys/temp")
    os.close(writer)


def test_read_of_more_than_a_chunk(tmp_path: Path) -> None:
    """A long file comes whole."""
    text = "x" * 10_000
    (tmp_path / "interrupts").write_text(text)

    assert text == Root(str(tmp_path)).read("interrupts")


def test_read_of_procfs_comes_whole() -> None:
    """Procfs hands out whole records, less than was asked for; all of them are read."""
    assert Path("/proc/self/maps").read_text().count("\n") - 3 <= Root().read(
        "proc/self/maps"
    ).count("\n")


def test_read_leaves_no_descriptor_open(tmp_path: Path) -> None:
    """Neither a good read nor a bad one leaks a descriptor."""
    (tmp_path / "good").write_text("1")
    root = Root(str(tmp_path))
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(10):
        root.read("good")
        with pytest.raises(FileNotFoundError):
            root.read("bad")
        with pytest.raises(IsADirectoryError):
            root.read("")

    assert before == len(os.listdir("/proc/self/fd"))


def test_names_count_as_people_do(tmp_path: Path) -> None:
    """The tenth comes after the second."""
    for number in (10, 2, 1):
        (tmp_path / f"hwmon{number}").mkdir()

    assert ["hwmon1", "hwmon2", "hwmon10"] == Root(str(tmp_path)).names("")


def test_no_folder_has_no_names(tmp_path: Path) -> None:
    """What is not there is empty, not an error."""
    assert [] == Root(str(tmp_path)).names("sys/class/thermal")


def test_folders_have_their_inodes(tmp_path: Path) -> None:
    """Files and links are none, and neither is what is not there."""
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("a")

    expected = [(name, (tmp_path / name).stat().st_ino) for name in ("a", "b")]
    assert expected == Root(str(tmp_path)).folders("")
    assert [] == Root(str(tmp_path)).folders("a")
    assert [] == Root(str(tmp_path)).folders("none")
    assert [] == Root(str(tmp_path)).folders("file")


def test_folders_of_a_recording_do_not_rely_on_links(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Some file systems say two links for every folder; a recording may lie on one."""
    (tmp_path / "a").mkdir()
    root = ReplayRoot(str(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", lambda *_: SimpleNamespace(st_nlink=2))

        assert ["a"] == [name for name, _ in root.folders("")]


def test_glob_matches_within_names(tmp_path: Path) -> None:
    """A star stands for part of one name, and only what exists is found."""
    for path in ("a/x1/temp", "a/x2/other", "b/x3/temp"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text("")

    assert ["a/x1/temp"] == Root(str(tmp_path)).glob("a/x*/temp")


def test_resolve_gives_the_device_path(tmp_path: Path) -> None:
    """A class entry resolves to the device it stands for, below the root."""
    (tmp_path / "devices/chip").mkdir(parents=True)
    (tmp_path / "class").mkdir()
    (tmp_path / "class/hwmon0").symlink_to("../devices/chip")

    assert "devices/chip" == Root(str(tmp_path)).resolve("class/hwmon0")


def test_a_stuck_path_is_refused_until_freed(tmp_path: Path) -> None:
    """After a read that hangs, the path answers at once, with a timeout."""
    (tmp_path / "temp").write_text("1")
    root = Root(str(tmp_path))
    root.set_stuck("temp")

    with pytest.raises(TimeoutError) as caught:
        root.read("temp")
    assert errno.ETIMEDOUT == caught.value.errno
    assert ["temp"] == root.stuck()
    root.set_free("temp")

    assert "1" == root.read("temp")


def test_link_is_told_as_it_stands(tmp_path: Path) -> None:
    """The text of a link need not be a path: ``/proc/PID/fd`` has such as ``socket:[7]``."""
    (tmp_path / "fd").symlink_to("socket:[7]")

    assert "socket:[7]" == Root(str(tmp_path)).link("fd")


@pytest.mark.parametrize(("most", "expected"), [(4, b"ing\n"), (100, b"a log that is growing\n")])
def test_tail_is_the_end_of_a_file(tmp_path: Path, most: int, expected: bytes) -> None:
    """The last bytes, or all there are."""
    (tmp_path / "log").write_text("a log that is growing\n")

    assert expected == Root(str(tmp_path)).tail("log", most)
