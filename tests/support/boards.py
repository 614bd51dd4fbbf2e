"""The recorded boards, and the board that a test names."""

from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
ROOTS = FIXTURES / "roots"


def board_root(board: str) -> Path:
    """
    Return the root folder of a recorded board.

    Raises:
        LookupError: no such board; the message lists those there are.
    """
    if board not in board_names():
        message = f"no board {board!r} in {ROOTS}; there are {', '.join(board_names())}"
        raise LookupError(message)
    return ROOTS / board


def board_names() -> list[str]:
    """Return the names of all recorded boards, sorted."""
    return sorted(entry.name for entry in ROOTS.iterdir() if entry.is_dir())
