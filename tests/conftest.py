"""Fixtures that every test may use."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest

from tests.support.boards import board_names, board_root
from tests.support.faults import Faults
from tests.support.mount import mounted_tree


class Mounted(Protocol):
    """What the fixture ``mounted`` gives."""

    def __call__(self, board: str | Path, faults: Faults | None = None) -> Path:
        """Mount a board, or any tree, with its recorded faults or others; give its root."""


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Mounted]:
    """
    Mount boards through FUSE so that the reads in their ``errors.tsv`` really fail.

    ``mounted("jetson-orin-nano-jp6")`` returns the mounted root; everything is unmounted when the
    test ends. Skips, saying why, on a machine without FUSE.
    """
    with ExitStack() as mounts:

        def mount(board: str | Path, faults: Faults | None = None) -> Path:
            tree = board if isinstance(board, Path) else board_root(board)
            used = Faults.recorded(tree) if faults is None else faults
            point = tmp_path / "mounted" / tree.name
            return mounts.enter_context(mounted_tree(tree, point, used))

        yield mount


@pytest.fixture(params=board_names())
def board(request: pytest.FixtureRequest) -> str:
    """Run a test once for every recorded board, by its name."""
    name: str = request.param
    return name


@pytest.fixture
def make_tree(tmp_path: Path) -> Callable[[dict[str, str | bytes]], Path]:
    """Write files, by path and content, and give the root that holds them."""

    def make(files: dict[str, str | bytes]) -> Path:
        root = tmp_path / "tree"
        root.mkdir(exist_ok=True)
        for path, content in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
        return root

    return make
