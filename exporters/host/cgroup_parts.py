"""Which files of a control group are read together, for which rows, and what parses them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Flag, auto

Reading = Mapping[str, int | float]
"""What was read, by the keys of ``container_metrics``; what is not there has no key."""


class Row(Flag):
    """What a control group is told as."""

    OWN = auto()
    """A container or a service with series of its own: all that there is."""
    OTHER = auto()
    """One of those above the bound: what can be added up."""
    HOLDER = auto()
    """A pod, or a service that is there for a container: its own limits, and events of memory."""


ADDED = Row.OWN | Row.OTHER
LIMITED = Row.OWN | Row.HOLDER


@dataclass(frozen=True, slots=True)
class Part:
    """Files of one controller that make sense together only."""

    controller: str
    files: tuple[str, ...]
    parse: Callable[..., Reading]
    """Takes their texts. Raises ValueError for what the kernel does not print."""
    rows: Row
    """For which it is read."""
    limit: bool = False
    """Whether it tells of a limit by which it is decided what else to read."""
    seldom: bool = False
    """Whether it changes only where somebody sets it, as a limit does."""
    kills: bool = False
    """Whether it changes only where a process is killed for want of memory."""
    needs: str = ""
    """The key of the limit without which it has nothing to tell."""
    still_without: str = ""
    """The key of the limit without which its counters stand still."""
