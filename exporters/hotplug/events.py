"""
What the kernel says when a device comes or goes, whoever hears it for us.

https://docs.kernel.org/core-api/kobject.html#uevents
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

LOST = "lost"
"""The action of an event that stands for those which the kernel had to drop."""


class Event(NamedTuple):
    """One uevent."""

    action: str
    """``add``, ``remove``, ``change``, ``move``, ``online``, ``offline``, ``bind``, ``unbind``."""
    subsystem: str
    """The class or bus of the device, such as ``hwmon``; empty for an event that was lost."""
    devpath: str
    """Where the device lies below ``/sys``, with its leading slash."""


class Events(Protocol):
    """A queue of uevents that the kernel fills."""

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when there are events."""

    def receive(self) -> Sequence[Event]:
        """
        Return the events there are, without waiting.

        Where the kernel dropped some, since nobody took them in time, one event ``LOST`` tells.

        Raises:
            OSError: no more events can be had.
        """

    def close(self) -> None:
        """Stop hearing. Neither of the other methods may be called afterwards."""
