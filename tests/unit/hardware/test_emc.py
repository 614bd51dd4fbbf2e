"""The memory clock: root's alone, which is denied and not absent."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.core.task import Outcome
from exporters.hardware import emc
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run, values

MakeTree = Callable[[dict[str, str | bytes]], Path]
TEGRA = {"proc/device-tree/compatible": b"nvidia,p3450-0000\0nvidia,tegra210\0"}
RATE = "tailsight_emc_frequency_hertz"
CAP = "tailsight_emc_frequency_cap_hertz"


class ClosedRoot(Root):
    """A root whose debugfs may not be entered, as anybody but root sees it."""

    def read(self, path: str) -> str:
        """Read a file, but not there."""
        if path.startswith("sys/kernel/debug/"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return super().read(path)


def collect(root: Root) -> Outcome:
    """Return what a root says."""
    return run(emc.COLLECTOR, root)


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        # SOURCES.md of each board
        ("jetson-orin-nano-jp6", {RATE: 665.6e6, CAP: 3199e6}),
        ("jetson-orin-agx-jp5", {RATE: 2133e6}),
        ("jetson-nano-jp4", {RATE: 1600e6}),
    ],
)
def test_rates_of_jetsons(board: str, expected: dict[str, float]) -> None:
    """Each JetPack has its own file."""
    assert expected == values(collect(ReplayRoot(str(board_root(board)))))


def test_denied_rate_leaves_the_cap(mounted: Mounted) -> None:
    """What the power mode allows is there for everybody."""
    outcome = collect(Root(str(mounted("jetson-orin-nano-jp6"))))

    assert {CAP: 3199e6} == values(outcome)
    assert [emc.RATES[0]] == [failure.where for failure in outcome.failures]
    assert isinstance(outcome.failures[0].error, PermissionError)


def test_closed_debugfs_is_denied_and_not_absent(make_tree: MakeTree) -> None:
    """A file in a folder that may not be entered seems not to exist."""
    outcome = collect(ClosedRoot(str(make_tree({**TEGRA}))))

    assert "error" == outcome.status
    assert [emc.RATES[0]] == [failure.where for failure in outcome.failures]
    assert isinstance(outcome.failures[0].error, PermissionError)


def test_closed_debugfs_of_a_pc_is_no_matter(make_tree: MakeTree) -> None:
    """Nobody looks for Tegra's clock there."""
    outcome = collect(ClosedRoot(str(make_tree({"sys/class/net/.keep": ""}))))

    assert "absent" == outcome.status


def test_tegra_without_any_file_is_absent(make_tree: MakeTree) -> None:
    """A container without a mount of debugfs: nothing to read, nothing denied."""
    assert "absent" == collect(Root(str(make_tree({**TEGRA})))).status


def test_cap_of_zero_is_none(make_tree: MakeTree) -> None:
    """A power mode that does not limit the memory writes 0: nothing is told, nothing fails."""
    tree = make_tree({emc.CAP_PATH: "0\n", emc.RATES[0]: "2133000000\n"})

    outcome = collect(Root(str(tree)))

    assert {RATE: 2133e6} == values(outcome)
    assert [] == outcome.failures


@given(st.text() | st.integers().map(str))
def test_any_text_is_a_rate_or_a_value_error(text: str) -> None:
    """Memory runs at 1 MHz to 100 GHz: 0 is what a clock says that nobody knows."""
    try:
        value = emc.hertz(text)
    except ValueError:
        return
    assert 1e6 <= value <= 1e11
