"""When to look again at what names a whole lot of things at once."""

from dataclasses import dataclass
from typing import NamedTuple

from exporters.core import Root

LOOK_SECONDS = 0.1
"""How long a look at a folder or list counts as new, so that a scrape takes one and not many."""
SELDOM_SECONDS = 30.0
"""How old what hardly changes can be."""
YOUNG_SECONDS = 1.0
"""How long it takes until who makes something has set it up, so that it is taken for nothing."""
_LATER = 4
"""For how many times as long as it has been known something is then left alone."""
_TURNS = 32
"""At how many different times those that were first seen together are due."""


@dataclass(slots=True)
class Pace:
    """Remembers the last look."""

    _last: float | None = None

    def due(self, root: Root) -> bool:
        """Whether the last look was long enough ago; then this is the next one."""
        now = root.monotonic()
        if self._last is not None and now - self._last < LOOK_SECONDS:
            return False
        self._last = now
        return True


class Times(NamedTuple):
    """Of something that hardly changes."""

    since: float
    """When it was first seen."""
    due: float
    """When to look at it again."""

    @classmethod
    def of(cls, member: int, before: "Times | None", now: float) -> "Times":
        """
        Return when to look again: the later, the longer it has been known.

        Args:
            member: its number, for the turns of those that were first seen together.
            before: its times so far; None where it was not known.
            now: when it is looked at.
        """
        since = before.since if before else now
        age = now - since
        if age < YOUNG_SECONDS:
            return cls(since, now)
        turn = 1 - member % _TURNS / (2 * _TURNS)
        return cls(since, now + min(_LATER * age, SELDOM_SECONDS) * turn)
