"""When to look again at what names a whole lot of things at once."""

from dataclasses import dataclass

from exporters.core import Root

LOOK_SECONDS = 0.1
"""How long a look at a folder or list counts as new, so that a scrape takes one and not many."""


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
