"""Whatever firmware and drivers call things, a label stays short and on one line."""

import shutil
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from exporters import hardware
from exporters.core.replay import ReplayRoot
from exporters.hardware.nvml import NvmlOptions
from tests.support.boards import board_root
from tests.support.collect import run

NAMES = (
    "type", "name", "*_label", "*_name", "trip_point_*_type", "scaling_governor",
    "scaling_driver", "energy_performance_preference", "governor", "product_name", "status",
)  # fmt: skip
# The longest name that a file can have; a device's path is a few of them.
LONGEST = 255


@pytest.mark.parametrize("junk", ["x" * 2000, 'a"b\\c\nd\0e\x1b[31m' + "\N{NEXT LINE}"])
def test_every_label_is_bounded(tmp_path: Path, board: str, junk: str) -> None:
    """A text of any length, with control characters in it, becomes a label that one can read."""
    tree = tmp_path / board
    shutil.copytree(board_root(board), tree, symlinks=True)
    for path in tree.rglob("*"):
        if path.is_file() and any(fnmatchcase(path.name, name) for name in NAMES):
            path.write_text(junk)
    root = ReplayRoot(str(tree))
    parts = hardware.parts({}, NvmlOptions())

    outcomes = [run(collector, root) for collector in parts.collectors]

    values = {
        value
        for outcome in outcomes
        for sample in outcome.samples
        for value in sample.series.values
    }
    assert set() == {value for value in values if len(value) > LONGEST or not value.isprintable()}
