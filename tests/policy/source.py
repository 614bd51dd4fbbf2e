"""What the policy tests look at: the project's own files, found and parsed once."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# Made by tools, or recorded from boards: nothing that a person writes.
NOT_OURS = frozenset({"__pycache__", ".git", ".cache", "roots", "nvml-captures", "dist", "LICENSE"})
MADE_BY_TOOLS = (".venv", ".mypy", ".pytest", ".ruff", ".hypothesis", ".coverage")


def ours(name: str) -> bool:
    """Say whether people write the file or folder of this name."""
    return name not in NOT_OURS and not name.startswith(MADE_BY_TOOLS)


def files(folder: Path = REPOSITORY) -> Iterator[Path]:
    """Give the files that people write, in a stable order."""
    for entry in sorted(folder.iterdir()):
        if not ours(entry.name) or entry.is_symlink():
            continue
        if entry.is_dir():
            yield from files(entry)
        else:
            yield entry


def modules(*folders: str) -> list[Path]:
    """Return the Python files of some top-level folders."""
    return [path for name in folders for path in files(REPOSITORY / name) if path.suffix == ".py"]


def relative(path: Path) -> str:
    """Return the path as a person would name it, from the top of the repository."""
    return path.relative_to(REPOSITORY).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=relative(path))
