"""The project speaks of itself alone."""

import re

from tests.policy.source import files, relative

# Spelled in pieces, so that this file does not find itself.
FORBIDDEN = re.compile(
    "|".join(
        (
            r"(?<![\w./-])/" + r"work/",
            r"\.\./" + r"shared\b",
            "pypi" + r"\.org",
            "files\\.python" + r"hosted\.org",
            r"\b--index" + "-url\\b",
        )
    )
)


def test_no_word_of_the_place_where_it_was_written() -> None:
    """No file names a folder of one developer's machine or a package index."""
    found = []
    for path in files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        found += [
            f"{relative(path)}:{number}: {match[0]}"
            for number, line in enumerate(lines, start=1)
            for match in FORBIDDEN.finditer(line)
        ]
    assert [] == found


def test_the_locks_name_no_place() -> None:
    """A lock file pins versions and hashes; where packages come from is the user's choice."""
    locks = [path for path in files() if path.suffix == ".lock"]
    assert ["agent.lock", "build.lock", "dev.lock"] == [path.name for path in locks]
    for lock in locks:
        text = lock.read_text(encoding="utf-8")
        assert "://" not in text
        assert "--hash=sha256:" in text
