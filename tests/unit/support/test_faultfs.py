"""The faulty file system fails the way the kernel does."""

import errno
import os
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.faults import Faults, Flaky
from tests.support.mount import mounted_tree

MakeTree = Callable[[dict[str, str | bytes]], Path]
CV_RAIL = "sys/devices/virtual/thermal/thermal_zone2/temp"
ROOT_ONLY = "sys/devices/system/cpu/cpufreq/policy0/cpuinfo_cur_freq"


def read(path: Path) -> bytes:
    """Read once, with nothing between the test and the kernel."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 4096)
    finally:
        os.close(descriptor)


def errno_of(action: Callable[[], object]) -> int | None:
    """Return the errno with which an action fails, or None when it does not fail."""
    try:
        action()
    except OSError as error:
        return error.errno
    return None


def test_a_powered_down_rail_opens_and_fails_at_read(mounted: Mounted) -> None:
    """EAGAIN of a thermal zone comes from read(2), as from the kernel, not from open(2)."""
    root = mounted("jetson-orin-nano-jp6")
    descriptor = os.open(root / CV_RAIL, os.O_RDONLY)
    with pytest.raises(BlockingIOError) as caught:
        os.read(descriptor, 4096)
    os.close(descriptor)
    assert errno.EAGAIN == caught.value.errno


def test_a_root_only_file_fails_at_open(mounted: Mounted) -> None:
    """EACCES comes from open(2), even for root, who otherwise may read everything."""
    root = mounted("jetson-orin-nano-jp6")
    assert errno.EACCES == errno_of(lambda: os.open(root / ROOT_ONLY, os.O_RDONLY))
    assert not os.access(root / ROOT_ONLY, os.R_OK)


def test_every_recorded_error_surfaces(mounted: Mounted, board: str) -> None:
    """Each row of each errors.tsv fails with its own errno."""
    root = mounted(board)
    recorded = Faults.recorded(board_root(board)).errors
    assert recorded == {path: errno_of(partial(read, root / path)) for path in recorded}


def test_everything_else_is_the_fixture(mounted: Mounted) -> None:
    """Files without a fault hold the same bytes, and links point to the same place."""
    root, original = mounted("nuc13-i915"), board_root("nuc13-i915")
    faulty = Faults.recorded(original).errors
    for path in (found for found in original.rglob("*") if not found.is_dir()):
        relative = path.relative_to(original)
        if path.is_symlink():
            assert path.readlink() == (root / relative).readlink()
        elif str(relative) not in faulty:
            assert path.read_bytes() == (root / relative).read_bytes()


def test_nothing_can_be_written(mounted: Mounted, make_tree: MakeTree) -> None:
    """The file system is read-only."""
    root = mounted(make_tree({"sys/class/name": "x\n"}))
    assert errno.EROFS == errno_of(lambda: os.open(root / "sys/class/name", os.O_WRONLY))


def test_a_hanging_read_costs_nobody_else(tmp_path: Path, make_tree: MakeTree) -> None:
    """Fifty reads that hang leave the others working, and unmounting ends them all."""
    tree = make_tree({"sys/stuck": "1\n", "sys/fine": "2\n"})
    faults = Faults(hangs=frozenset({"sys/stuck"}))
    with mounted_tree(tree, tmp_path / "mounted", faults) as root:
        stuck = partial(errno_of, partial(read, root / "sys/stuck"))
        readers = [threading.Thread(target=stuck, daemon=True) for _ in range(50)]
        for reader in readers:
            reader.start()
        readers[0].join(timeout=0.5)
        assert all(reader.is_alive() for reader in readers)
        assert b"2\n" == read(root / "sys/fine")
    for reader in readers:
        reader.join(timeout=10)
    assert not any(reader.is_alive() for reader in readers)


def test_flaky_reads_fail_in_the_given_share(mounted: Mounted, make_tree: MakeTree) -> None:
    """About 20 % of 500 reads fail with EIO; other files never do."""
    tree = make_tree({"sys/a/temp": "1\n", "sys/a/name": "x\n"})
    root = mounted(tree, Faults(flaky=Flaky(("*/temp",), 0.2, seed=7)))
    answers = [errno_of(lambda: read(root / "sys/a/temp")) for _ in range(500)]
    # Four standard deviations of a binomial distribution: 4 * sqrt(500 * 0.2 * 0.8) = 36.
    assert 64 <= answers.count(errno.EIO) <= 136
    assert {None, errno.EIO} == set(answers)
    assert {None} == {errno_of(lambda: read(root / "sys/a/name")) for _ in range(50)}


def test_flaky_reads_repeat_with_their_seed() -> None:
    """The same seed fails the same opens, another seed others."""
    first, same, other = (Flaky(("sys/*",), 0.5, seed) for seed in (1, 1, 2))
    opens = range(64)
    assert [first.fails("sys/x", n) for n in opens] == [same.fails("sys/x", n) for n in opens]
    assert [first.fails("sys/x", n) for n in opens] != [other.fails("sys/x", n) for n in opens]


def test_faults_survive_the_way_to_the_server() -> None:
    """Writing and reading the plan gives an equal plan."""
    plan = Faults({"sys/a": errno.EIO}, frozenset({"sys/b"}), Flaky(("*/temp",), 0.25, 3))
    assert plan == Faults.from_json(plan.to_json())


def test_an_unknown_errno_is_refused(make_tree: MakeTree) -> None:
    """A typing error in errors.tsv stops the test instead of injecting nothing."""
    tree = make_tree({"errors.tsv": "# path\terrno\twhy\nsys/x\tEAGIAN\tpowered down\n"})
    with pytest.raises(ValueError, match="EAGIAN"):
        Faults.recorded(tree)
