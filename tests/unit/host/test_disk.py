"""Disks: what counts as one, its counters, and what it is."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.core.runner import run as run_task
from exporters.core.task import Outcome, Task
from exporters.host import disk
from exporters.host.disk import DISKSTATS, MOST
from exporters.host.disk_kind import INFO, bus_path
from exporters.host.disk_stats import (
    FIELDS,
    Counters,
    Device,
    in_units,
    parse_columns,
    parse_lines,
)
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
Look = Callable[[dict[str, str]], Outcome]

BY_NAME = {field.name.removeprefix("tailsight_disk_"): field for field in FIELDS}
BLOCK = "sys/class/block"
PCI = "sys/devices/pci0000:00/0000:00:1d.0/0000:02:00.0"


def of(outcome: Outcome, name: str) -> dict[object, object]:
    """Return one column by device."""
    return readings(outcome, BY_NAME[name], "device")


def columns(**values: int) -> str:
    """Return the columns of a line, 0 but for those that are named."""
    return " ".join(str(values.get(name, 0)) for name in BY_NAME)


@pytest.fixture
def look(tmp_path: Path) -> Look:
    """Give what one collector tells, look by look, of disks by name and the columns they have."""
    root, task = Root(str(tmp_path)), Task(disk.collector(), Root(str(tmp_path)), 60.0)
    (tmp_path / "proc").mkdir()

    def once(disks: dict[str, str]) -> Outcome:
        lines = [f"   8 {at:7} {name} {text}\n" for at, (name, text) in enumerate(disks.items())]
        (tmp_path / DISKSTATS).write_text("".join(lines))
        outcome = Outcome()
        run_task(task, outcome, root)
        return outcome

    return once


def test_the_recorded_node_has_disks() -> None:
    """Neither parts of disks (nvme0n1p1, mmcblk0p2), nor files (loop0) or memory (ram0) count."""
    outcome = run(disk.collector(), ReplayRoot(str(board_root("node-exporter"))))

    mapped = {f"dm-{number}" for number in range(6)}
    assert {"sda", "sdb", "sdc", "vda", "sr0", "mmcblk0", "nvme0n1", *mapped} == set(
        of(outcome, "io_now")
    )


def test_its_values() -> None:
    """Sectors are 512 bytes, times milliseconds: 1003346126 and 18492372 of sda are these."""
    outcome = run(disk.collector(), ReplayRoot(str(board_root("node-exporter"))))

    assert {
        "reads_completed_total": 25354637,
        "reads_merged_total": 34367663,
        "read_bytes_total": 513_713_216_512,
        "read_time_seconds_total": 18492.372,
        "writes_completed_total": 28444756,
        "writes_merged_total": 11134226,
        "written_bytes_total": 258_916_880_384,
        "write_time_seconds_total": 63877.960,
        "io_now": 0,
        "io_time_seconds_total": 9653.880,
        "io_time_weighted_seconds_total": 82621.804,
    } == {name: found["sda"] for name in BY_NAME if "sda" in (found := of(outcome, name))}


def test_later_kernels_have_more() -> None:
    """The line of sdb has 18 columns, with discards; that of sdc 20, with flushes."""
    outcome = run(disk.collector(), ReplayRoot(str(board_root("node-exporter"))))

    assert {"sdb": 68851, "sdc": 18851} == of(outcome, "discards_completed_total")
    assert {"sdb": 1925173784 * 512, "sdc": 125173784 * 512} == of(outcome, "discarded_bytes_total")
    assert {"sdb": 11.130, "sdc": 11.130} == of(outcome, "discard_time_seconds_total")
    assert {"sdc": 1555} == of(outcome, "flush_requests_total")
    assert {"sdc": 1.944} == of(outcome, "flush_requests_time_seconds_total")


def test_await(look: Look) -> None:
    """20 reads and 30 writes that took 160 and 240 ms together took 8 ms each."""
    one = look({"sda": columns(reads_completed_total=10, read_time_seconds_total=100)})
    other = look(
        {
            "sda": columns(
                reads_completed_total=30,
                read_time_seconds_total=260,
                writes_completed_total=30,
                write_time_seconds_total=240,
            )
        }
    )

    def grown(*names: str) -> float:
        return sum(of(other, name)["sda"] - of(one, name)["sda"] for name in names)  # type: ignore[operator]

    seconds = grown("read_time_seconds_total", "write_time_seconds_total")
    assert pytest.approx(0.008) == seconds / grown(
        "reads_completed_total", "writes_completed_total"
    )


def test_the_kernel_knows_partitions_better_than_names_do(make_tree: MakeTree) -> None:
    """On Xen xvda1 may be a whole disk; nothing in the name of mtdblock0q tells what it is."""
    tree = make_tree(
        {
            DISKSTATS: f"202 1 xvda1 {columns()}\n31 1 mtdblock0q {columns()}\n",
            f"{BLOCK}/xvda1/size": "16777216\n",
            f"{BLOCK}/mtdblock0q/partition": "1\n",
        }
    )

    assert {"xvda1"} == set(of(run(disk.collector(), Root(str(tree))), "io_now"))


def add_disk(tree: Path, name: str, folder: str, files: dict[str, str]) -> None:
    """Give a tree a disk: its folder, the class's link to it, and files of it and its device."""
    place = tree / folder / name
    for path, text in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    link = tree / BLOCK / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(Path("../../..") / folder / name)


def test_what_a_disk_is(make_tree: MakeTree) -> None:
    """An NVMe disk, an SD card and what a device mapper made; no serial number is told."""
    lines = "259 0 nvme0n1 {0}\n179 0 mmcblk0 {0}\n252 0 dm-0 {0}\n".format(columns())
    tree = make_tree({DISKSTATS: lines})
    add_disk(
        tree, "nvme0n1", f"{PCI}/nvme/nvme0",
        {
            "device/model": "Samsung SSD 980 1TB                     \n",
            "device/firmware_rev": "3B4QFXO7\n",
            "device/serial": "S649NX0R123456\n",
            "wwid": "eui.002538d111111111\n",
            "queue/rotational": "0\n",
        },
    )  # fmt: skip
    add_disk(
        tree, "mmcblk0", "sys/devices/platform/bus@0/3400000.mmc/mmc_host/mmc0/mmc0:aaaa/block",
        {"device/name": "SC64G\n", "device/fwrev": "0x8\n", "queue/rotational": "0\n"},
    )  # fmt: skip
    add_disk(
        tree, "dm-0", "sys/devices/virtual/block",
        {"dm/name": "vg0-root\n", "queue/rotational": "0\n"},
    )  # fmt: skip

    outcome = run(disk.collector(), Root(str(tree)))

    assert {
        ("nvme0n1", "", "Samsung SSD 980 1TB", "3B4QFXO7", "pci0000:00/0000:00:1d.0/0000:02:00.0",
         "0"),
        ("mmcblk0", "", "SC64G", "0x8", "platform/bus@0/3400000.mmc", "0"),
        ("dm-0", "vg0-root", "", "", "", "0"),
    } == set(readings(outcome, INFO, *INFO.labels))  # fmt: skip


@pytest.mark.parametrize("junk", ["x" * 2000, 'a"b\\c\nd\0e\x1b[31m' + "\N{NEXT LINE}"])
def test_labels_are_bounded(junk: str, make_tree: MakeTree) -> None:
    """Whatever a disk calls itself is short and on one line."""
    tree = make_tree({DISKSTATS: f"8 0 sda {columns()}\n"})
    files = dict.fromkeys(("device/model", "device/rev", "queue/rotational", "dm/name"), junk)
    add_disk(tree, "sda", f"{PCI}/{'y' * 200}", files)

    (labels,) = readings(run(disk.collector(), Root(str(tree))), INFO, *INFO.labels)

    assert isinstance(labels, tuple)
    assert [] == [label for label in labels if len(label) > 255 or not label.isprintable()]


@pytest.mark.parametrize(
    ("folder", "path"),
    [
        (f"{PCI}/nvme/nvme0/nvme0n1", "pci0000:00/0000:00:1d.0/0000:02:00.0"),
        ("sys/devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/block/sda",
         "pci0000:00/0000:00:17.0"),
        ("sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host4/target4:0:0/4:0:0:0/block/sdb",
         "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0"),
        ("sys/devices/pci0000:00/0000:00:02.0/virtio1/block/vda", "pci0000:00/0000:00:02.0"),
        ("sys/devices/vbd-51712/block/xvda", "vbd-51712"),
        ("sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1", ""),
        ("sys/devices/virtual/block/md127", ""),
        ("sys/class/block/sda", ""),
    ],
)  # fmt: skip
def test_where_a_disk_is(folder: str, path: str) -> None:
    """What is left of the path is what the kernel does not number in order of arrival."""
    assert path == bus_path(folder)


def test_a_disk_that_comes_is_told_at_once(look: Look) -> None:
    """No search lies between the looks; its number may be one that another disk had."""
    look({"sda": columns(reads_completed_total=5)})
    come = look({"sda": columns(reads_completed_total=6), "mmcblk0": columns()})
    gone = look({"mmcblk0": columns(reads_completed_total=7)})

    assert {"sda": 6, "mmcblk0": 0} == of(come, "reads_completed_total")
    assert {"mmcblk0": 7} == of(gone, "reads_completed_total")


def test_times_go_on_where_the_kernel_begins_anew(look: Look) -> None:
    """It prints 32 bits of milliseconds: from 4294967290 to 4 are 10."""
    look({"sda": columns(reads_completed_total=9, io_time_weighted_seconds_total=4294967290)})
    wrapped = look({"sda": columns(reads_completed_total=9, io_time_weighted_seconds_total=4)})
    later = look({"sda": columns(reads_completed_total=9, io_time_weighted_seconds_total=1004)})

    assert {"sda": 4294967.300} == of(wrapped, "io_time_weighted_seconds_total")
    assert {"sda": 4294968.300} == of(later, "io_time_weighted_seconds_total")


@pytest.mark.parametrize(("reads", "milliseconds"), [(3, 4294967290), (5000, 90)])
def test_a_disk_put_in_for_another_starts_anew(reads: int, milliseconds: int, look: Look) -> None:
    """Fewer requests than before, or a time that fell by little, are no wrap."""
    look({"sda": columns(reads_completed_total=reads, read_time_seconds_total=milliseconds)})
    other = look({"sda": columns(reads_completed_total=2, read_time_seconds_total=4)})

    assert {"sda": 0.004} == of(other, "read_time_seconds_total")


def test_a_disk_put_in_after_a_wrap_starts_anew(look: Look) -> None:
    """What the disk before it had beyond 32 bits is not the new one's."""
    for milliseconds in (2**32 - 1, 1):
        look({"sda": columns(reads_completed_total=9, read_time_seconds_total=milliseconds)})
    other = look({"sda": columns(reads_completed_total=2, read_time_seconds_total=4)})

    assert {"sda": 0.004} == of(other, "read_time_seconds_total")


def test_a_disk_beyond_the_bound_counts_from_its_coming(look: Look) -> None:
    """What it has done when it is first seen it did since the look before."""
    names = [f"disk{number}" for number in range(MOST + 1)]
    look({name: columns(writes_completed_total=10) for name in names})
    more = look({name: columns(writes_completed_total=10) for name in [*names, "late"]})

    assert 20 == of(more, "writes_completed_total")["other"]


def test_the_number_of_disks_is_bounded(look: Look) -> None:
    """The rest is summed up; a disk that leaves it takes nothing with it, and its queue is gone."""
    names = [f"disk{number}" for number in range(MOST + 2)]
    full = look({name: columns(writes_completed_total=10, io_now=3) for name in names})
    less = look({name: columns(writes_completed_total=11, io_now=3) for name in names[:-1]})

    assert {*names[:MOST], "other"} == set(of(full, "io_now"))
    assert 20 == of(full, "writes_completed_total")["other"]
    assert 6 == of(full, "io_now")["other"]
    assert 21 == of(less, "writes_completed_total")["other"]
    assert 3 == of(less, "io_now")["other"]


def test_hardware_has_series_before_what_is_made_of_it(make_tree: MakeTree) -> None:
    """Of 70 mapped devices and a disk behind them the disk has series of its own."""
    names = [*(f"dm-{number}" for number in range(70)), "nvme0n1"]
    lines = (f"{at} 0 {name} {columns()}\n" for at, name in enumerate(names))
    tree = make_tree({DISKSTATS: "".join(lines), f"{BLOCK}/nvme0n1/device/model": "M\n"})

    found = of(run(disk.collector(), Root(str(tree))), "io_now")

    assert MOST + 1 == len(found)
    assert {"nvme0n1", "other"} <= set(found)
    assert MOST == len(readings(run(disk.collector(), Root(str(tree))), INFO, "device"))


def test_a_name_with_a_slash(make_tree: MakeTree) -> None:
    """The folder of cciss/c0d0 has an exclamation mark in its place."""
    tree = make_tree(
        {
            DISKSTATS: f"104 0 cciss/c0d0 {columns()}\n104 1 cciss/c0d0p1 {columns()}\n",
            f"{BLOCK}/cciss!c0d0/size": "1\n",
            f"{BLOCK}/cciss!c0d0p1/partition": "1\n",
        }
    )

    assert {"cciss/c0d0"} == set(of(run(disk.collector(), Root(str(tree))), "io_now"))


def test_what_cannot_be_read_costs_no_counter(make_tree: MakeTree, mounted: Mounted) -> None:
    """A model that is not to be read is a failure; the disk is told of all the same."""
    model = f"{BLOCK}/sda/device/model"
    tree = make_tree({DISKSTATS: f"8 0 sda {columns(io_now=1)}\n", model: "M\n"})
    root = Root(str(mounted(tree, Faults({model: errno.EIO}))))

    outcome = run(disk.collector(), root)

    assert [model] == failed(outcome)
    assert {"sda": 1} == of(outcome, "io_now")


def test_what_the_kernel_does_not_print_is_a_failure(make_tree: MakeTree) -> None:
    """It names the file, and tells no number."""
    outcome = run(disk.collector(), Root(str(make_tree({DISKSTATS: "8 0 sda 1 2 3\n"}))))

    assert [DISKSTATS] == failed(outcome)
    assert {INFO} == {sample.series.metric for sample in outcome.samples}


def test_a_file_that_is_not_diskstats_is_a_failure(make_tree: MakeTree) -> None:
    """Then there is nothing else to tell."""
    outcome = run(disk.collector(), Root(str(make_tree({DISKSTATS: "Inter-| Receive\n"}))))

    assert "error" == outcome.status
    assert [DISKSTATS] == failed(outcome)


@pytest.mark.parametrize(
    ("files", "reason"),
    [({"proc/stat": ""}, "no /proc/diskstats"), ({DISKSTATS: f"7 0 loop0 {columns()}"}, "no disk")],
)
def test_absent(files: dict[str, str | bytes], reason: str, make_tree: MakeTree) -> None:
    """No file, and no disk in it, are answers with a reason."""
    outcome = run(disk.collector(), Root(str(make_tree(files))))

    assert "absent" == outcome.status
    assert reason in outcome.reason


@given(st.text())
def test_any_text_is_lines_or_refused(text: str) -> None:
    """The parser never fails otherwise, and gives no line that was not there."""
    try:
        found = parse_lines(text)
    except ValueError:
        return
    assert all(device.name in text for device in found)


@given(
    st.one_of(st.text(), st.lists(st.integers(), max_size=22).map(lambda x: " ".join(map(str, x))))
)
def test_any_columns_are_counts_or_refused(text: str) -> None:
    """What comes out are as many counts as the metrics are, or fewer, and none is negative."""
    try:
        found = in_units(parse_columns(text))
    except ValueError:
        return
    assert 11 <= len(found) <= len(FIELDS)
    assert min(found) >= 0


@given(st.lists(st.integers(min_value=0, max_value=2**31 - 1), min_size=1, max_size=20))
def test_a_time_is_what_was_added_to_it(steps: list[int]) -> None:
    """However often the kernel's 32 bits run over, the sum is that of the steps."""
    counters, total = Counters(), 0
    for step in steps:
        total += step
        found = counters.look(columns(read_time_seconds_total=total % 2**32))
    assert pytest.approx(total / 1000) == found[3]


def test_a_recording_may_change_its_kernel() -> None:
    """More or fewer columns than before are another kernel's, whose times start anew."""
    counters = Counters()
    counters.look(columns(read_time_seconds_total=2**32 - 1))
    fewer = counters.look(" ".join(["7"] * 11))
    more = counters.look(columns(read_time_seconds_total=5))

    assert (11, 0.007) == (len(fewer), fewer[3])
    assert (len(FIELDS), 0.005) == (len(more), more[3])


def test_the_columns_of_a_device() -> None:
    """They begin behind its name."""
    assert {Device("sda", "8", "0"): "1 2"} == parse_lines("   8       0 sda 1 2")
