"""Texts that say what a node is: read seldom, each from the first place that has it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from exporters.core import Failure, Root

LONGEST = 128
"""Characters of a text that becomes a label; longer ones are cut."""

NOTHING = frozenset({"", "(none)"})
"""What says nothing: an empty file, and a kernel that was given no host name."""

# What firmware says where its maker has filled nothing in (compared in lower case).
FILLERS = frozenset(
    {
        "", "0", "default string", "invalid", "n/a", "na", "none", "not applicable",
        "not available", "not specified", "o.e.m.", "oem", "system manufacturer",
        "system product name", "system version", "to be filled by o.e.m.", "type1productconfigid",
        "undefined", "unknown",
    }
)  # fmt: skip


def tidy(text: str) -> str:
    """Return a text as a label may have it: on one line, printable, of bounded length."""
    words = "".join(char if char.isprintable() else " " for char in text).split()
    return " ".join(words)[:LONGEST].rstrip()


@dataclass(frozen=True, slots=True)
class Facts:
    """Reads facts and keeps note of those that are there and cannot be read."""

    root: Root
    failures: list[Failure] = field(default_factory=list)

    def raw(self, path: str) -> str:
        """Return the text of a file; empty where there is none, or where it cannot be read."""
        try:
            return self.root.read(path)
        except (FileNotFoundError, NotADirectoryError):
            return ""
        except OSError as error:
            self.failures.append(Failure(path, error))
            return ""

    def first(self, *paths: str, fillers: frozenset[str] = NOTHING) -> str:
        """Return the text of the first file that says something; empty where none does."""
        texts = (tidy(self.raw(path)) for path in paths)
        return next((text for text in texts if text.lower() not in fillers), "")

    def parsed(self, path: str, text: str, parse: Callable[[str], str]) -> str:
        """Return what a parser makes of a file's text; empty where it makes nothing of it."""
        try:
            return parse(text)
        except ValueError as error:
            self.failures.append(Failure(path, error))
            return ""

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder; none where it cannot be listed."""
        try:
            return self.root.names(folder)
        except OSError as error:
            self.failures.append(Failure(folder, error))
            return []
