"""A root whose clock a test sets."""

from exporters.core import Root


class ClockRoot(Root):
    """Reads real files; time passes when the test says so."""

    seconds = 0.0

    def monotonic(self) -> float:
        """Return the test's time."""
        return self.seconds
