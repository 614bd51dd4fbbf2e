"""
What processes are called, of which each may have so many names.

A program may rename itself at any time (``PR_SET_NAME``), such as a worker after each of its
tasks; each name would be a group, with series of its own.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from exporters.host.process_counters import Identity

MOST_NAMES = 8
"""Names that a process may have in its life; under further ones it is OTHER."""
OTHER = "other"


@dataclass(slots=True)
class Names:
    """Remembers the names that living processes have had."""

    _had: dict[Identity, set[str]] = field(default_factory=dict)

    def of(self, process: Identity, command: str) -> str:
        """Return the name that a process is told under."""
        had = self._had.setdefault(process, set())
        if command not in had and len(had) >= MOST_NAMES:
            return OTHER
        had.add(command)
        return command

    def keep(self, processes: Collection[Identity]) -> None:
        """Forget all other processes."""
        for gone in self._had.keys() - set(processes):
            self._had.pop(gone, None)
