"""A recorded node answers everything, and only from its folder."""

import json
from pathlib import Path

import pytest

from exporters.core.replay import ReplayError, ReplayRoot


def write(folder: Path, path: str, text: str) -> None:
    """Put a file into a recording."""
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def test_no_folder_is_one_line() -> None:
    """A wrong --root says so."""
    with pytest.raises(ReplayError, match="--root /no/such: no such folder"):
        ReplayRoot("/no/such")


@pytest.mark.parametrize("target", ["/etc/hostname", "../../../../../../etc/hostname"])
def test_links_do_not_lead_out(tmp_path: Path, target: str) -> None:
    """Links, absolute ones too, stay in the recording: nothing of the live host is shown."""
    write(tmp_path, "etc/hostname", "recorded")
    (tmp_path / "link").symlink_to(target)

    assert "recorded" == ReplayRoot(str(tmp_path)).read("link")


def test_dots_do_not_lead_out(tmp_path: Path) -> None:
    """Nor does a path with dots."""
    write(tmp_path, "etc/hostname", "recorded")

    assert "recorded" == ReplayRoot(str(tmp_path)).read("../../../etc/hostname")


def test_flattened_links_are_followed(tmp_path: Path) -> None:
    """A recording that lost its links to a zip still has its class entries."""
    write(tmp_path, "sys/devices/chip/name", "coretemp\n")
    write(tmp_path, "sys/class/hwmon/hwmon0", "../../devices/chip")
    root = ReplayRoot(str(tmp_path))

    assert ["sys/class/hwmon/hwmon0/name"] == root.glob("sys/class/hwmon/hwmon*/name")
    assert "coretemp" == root.read("sys/class/hwmon/hwmon0/name")
    assert "sys/devices/chip" == root.resolve("sys/class/hwmon/hwmon0")


def test_flattened_links_may_be_absolute(tmp_path: Path) -> None:
    """A flattened link to ``/sys/...`` leads into the recording, whatever this machine has."""
    write(tmp_path, "sys/devices/chip/name", "coretemp\n")
    write(tmp_path, "sys/class/hwmon/hwmon0", "/sys/devices/chip")
    write(tmp_path, "sys/class/hwmon/hwmon1/name", "/")
    root = ReplayRoot(str(tmp_path))

    assert "coretemp" == root.read("sys/class/hwmon/hwmon0/name")
    assert "sys/devices/chip" == root.resolve("sys/class/hwmon/hwmon0")
    assert "/" == root.read("sys/class/hwmon/hwmon1/name")


@pytest.mark.parametrize("flattened", [False, True])
def test_a_link_counts_though_its_end_was_not_recorded(tmp_path: Path, *, flattened: bool) -> None:
    """A device's driver is the name of its link's end; hardly anybody records the end itself."""
    target = "../../bus/pci/drivers/igc"
    write(tmp_path, "sys/devices/card/vendor", "0x8086\n")
    if flattened:
        write(tmp_path, "sys/devices/card/driver", target)
    else:
        (tmp_path / "sys/devices/card/driver").symlink_to(target)
    root = ReplayRoot(str(tmp_path))

    assert root.exists("sys/devices/card/driver")
    assert "sys/bus/pci/drivers/igc" == root.resolve("sys/devices/card/driver")
    assert not root.exists("sys/devices/card/driver/module")


def test_a_value_is_no_flattened_link(tmp_path: Path) -> None:
    """A file whose content happens to be a neighbour's name, with its line end, is a file."""
    write(tmp_path, "sys/a/type", "temp\n")
    write(tmp_path, "sys/a/temp", "1\n")

    assert "temp" == ReplayRoot(str(tmp_path)).read("sys/a/type")


def test_a_circle_of_links_is_an_error_of_that_path(tmp_path: Path) -> None:
    """Links in a circle raise as the kernel does."""
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    root = ReplayRoot(str(tmp_path))
    with pytest.raises(OSError, match="symbolic links"):
        root.read("a")
    assert (True, False, "a/b") == (root.exists("a"), root.exists("a/b"), root.resolve("a/b"))


def test_a_still_clock_stands(tmp_path: Path) -> None:
    """With speed 0 the recording shows one moment, and nothing takes time."""
    write(tmp_path, "replay/clock.json", '{"epoch": 1767225600, "speed": 0}')
    root = ReplayRoot(str(tmp_path))

    assert (1767225600.0, 0.0) == (root.now(), root.monotonic())


def test_timed_files_change_and_fail(tmp_path: Path) -> None:
    """The version counts that began last; one may be an errno."""
    versions = [{"at": 0, "text": "45000"}, {"at": 60, "errno": "EAGAIN"}, {"at": 90, "text": "1"}]
    write(tmp_path, "replay/files.json", json.dumps({"sys/temp": versions}))
    write(tmp_path, "replay/clock.json", '{"epoch": 0, "speed": 0}')
    root = ReplayRoot(str(tmp_path))

    assert "45000" == root.read("sys/temp")
    root.elapsed = lambda: 60.0  # type: ignore[method-assign]  # the moment to look at
    with pytest.raises(BlockingIOError):
        root.read("sys/temp")
    root.elapsed = lambda: 1e6  # type: ignore[method-assign]  # long after

    assert "1" == root.read("sys/temp")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("clock.json", "{"),
        ("clock.json", '{"speed": 1}'),
        ("clock.json", "[]"),
        ("files.json", '{"sys/temp": []}'),
        ("files.json", '{"sys/temp": [{"text": "1"}]}'),
        ("files.json", '{"sys/temp": [{"at": 0, "errno": "ENOSUCH"}]}'),
        ("files.json", '{"sys/temp": [{"at": 0, "errno": "__doc__"}]}'),
        ("files.json", "[1]"),
        ("files.json", "[" * 100_000),
        ("files.json", '{"/sys/temp": [{"at": 0, "text": "1"}]}'),
        ("files.json", '{"sys/temp": [{"at": 0, "text": null}]}'),
        ("files.json", '{"sys/temp": [{"at": NaN, "text": "1"}]}'),
        ("files.json", '{"sys/temp": [{"at": true, "text": "1"}]}'),
        ("files.json", '{"sys/temp": [{"at": %s, "text": "1"}]}' % ("9" * 400)),
        ("clock.json", '{"epoch": NaN}'),
        ("clock.json", '{"epoch": 1e400}'),
        ("clock.json", '{"epoch": 1, "speed": -1}'),
        ("clock.json", '{"epoch": 1, "speed": 1e308}'),
        ("clock.json", '{"epoch": true}'),
    ],
)
def test_a_bad_replay_file_is_named(tmp_path: Path, name: str, text: str) -> None:
    """What is wrong in a replay file is said on one line, with the file."""
    write(tmp_path, f"replay/{name}", text)

    with pytest.raises(ReplayError) as caught:
        ReplayRoot(str(tmp_path))
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < len(str(tmp_path)) + 200


def test_links_that_were_flattened_are_told(tmp_path: Path) -> None:
    """A small file stands for the link it was, and a real link tells its own text."""
    write(tmp_path, "proc/7/fd/3", "/dev/nvidia0")
    (tmp_path / "proc/7/fd/4").symlink_to("socket:[9]")
    root = ReplayRoot(str(tmp_path))

    assert "/dev/nvidia0" == root.link("proc/7/fd/3")
    assert "socket:[9]" == root.link("proc/7/fd/4")


def test_messages_of_a_daemon(tmp_path: Path) -> None:
    """Binary answers come by their names; other files are none, and no folder is no answer."""
    write(tmp_path, "replay/ptp4l/port.bin", "\x0d\x12")
    write(tmp_path, "replay/ptp4l/README", "text")
    root = ReplayRoot(str(tmp_path))

    assert {"port.bin": b"\x0d\x12"} == root.messages("ptp4l")
    assert {} == root.messages("chrony")
