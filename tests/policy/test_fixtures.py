"""Recorded boards are whole: links stay inside, and every fault names a file."""

import re

from tests.support.boards import board_root
from tests.support.faults import Faults

LINK_TARGET = re.compile(rb"\.\.?(/[^\n\0]*)?")


def test_links_stay_inside(board: str) -> None:
    """A link that leaves its root would show the host that runs the test."""
    root = board_root(board)
    links = [path for path in root.rglob("*") if path.is_symlink()]
    assert [] != links
    assert [] == [link for link in links if not link.resolve().is_relative_to(root)]


def test_faults_name_files(board: str) -> None:
    """A path in errors.tsv or hangs.tsv that is not in the tree would inject nothing."""
    root = board_root(board)
    faults = Faults.recorded(root)
    assert [] == [path for path in {*faults.errors, *faults.hangs} if not (root / path).is_file()]


def test_boards_say_where_they_come_from(board: str) -> None:
    """Every board has a SOURCES.md."""
    assert (board_root(board) / "SOURCES.md").is_file()


def test_no_link_was_flattened(board: str) -> None:
    """A checkout without links would hold their targets as text, and read as another board."""
    plain = [
        path for path in board_root(board).rglob("*") if path.is_file() and not path.is_symlink()
    ]
    assert [] == [path for path in plain if LINK_TARGET.fullmatch(path.read_bytes())]
