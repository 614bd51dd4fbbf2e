"""
What goes wrong when a board's files are read, as data.

A fixture tree lists it in two tab-separated files, ``#`` starting a comment: ``errors.tsv`` (path,
errno name, why) and ``hangs.tsv`` (path, why). A test may add to it or write its own.
"""

import errno
import json
import random
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

# Found out by the permission check and the path walk, before there is anything to read.
FAILS_AT_OPEN = frozenset({errno.EACCES, errno.ENOENT})


@dataclass(frozen=True, slots=True)
class Flaky:
    """
    Reads that fail with EIO now and then, the same ones for the same seed.

    ``globs`` match paths relative to the root (``*`` also matches ``/``); ``fraction`` of the
    opens of each such path give a file whose reads fail.
    """

    globs: tuple[str, ...]
    fraction: float
    seed: int = 1

    def fails(self, path: str, nth_open: int) -> bool:
        """Say whether the n-th open of a path, counted from 0, is one that fails."""
        if not any(fnmatchcase(path, glob) for glob in self.globs):
            return False
        draw = random.Random(f"{self.seed}:{path}:{nth_open}").random()
        return draw < self.fraction


@dataclass(frozen=True, slots=True)
class Faults:
    """Errno number by path, the paths that hang, and the flaky ones; paths relative to the root."""

    errors: dict[str, int] = field(default_factory=dict)
    hangs: frozenset[str] = frozenset()
    flaky: Flaky | None = None

    def to_json(self) -> str:
        """Return a text that ``from_json`` turns back into an equal value."""
        return json.dumps({**asdict(self), "hangs": sorted(self.hangs)})

    @classmethod
    def from_json(cls, text: str) -> "Faults":
        """Return the value that ``to_json`` wrote."""
        raw = json.loads(text)
        flaky = raw["flaky"] and Flaky(**{**raw["flaky"], "globs": tuple(raw["flaky"]["globs"])})
        return cls(raw["errors"], frozenset(raw["hangs"]), flaky)

    @classmethod
    def recorded(cls, tree: Path) -> "Faults":
        """
        Return what ``errors.tsv`` and ``hangs.tsv`` of a fixture tree say.

        Raises:
            ValueError: a row without an errno, or an errno that Linux does not have.
        """
        errors = {}
        for row in rows(tree / "errors.tsv"):
            number = getattr(errno, row[1], None) if len(row) > 1 else None
            if number is None:
                message = f"{tree / 'errors.tsv'}: want PATH, ERRNO, WHY; got {row}"
                raise ValueError(message)
            errors[row[0].lstrip("/")] = number
        hangs = frozenset(row[0].lstrip("/") for row in rows(tree / "hangs.tsv"))
        return cls(errors, hangs)


def rows(path: Path) -> list[list[str]]:
    """Return the rows of a tab-separated file, or none where there is no such file."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [
        [cell.strip() for cell in line.split("\t")]
        for line in lines
        if line.strip() and not line.startswith("#")
    ]
