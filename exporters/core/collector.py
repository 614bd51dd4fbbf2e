"""The contract between a collector, which knows what there is to read, and the runner."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from exporters.core.metric import Metric, Sample, Series
from exporters.core.root import Root


class NoData(Exception):  # noqa: N818  # an answer, not an error
    """This node does not have what the collector reads; the text says how one can tell."""


class Sensor(Protocol):
    """One thing that can be read, and that can fail, on its own."""

    @property
    def where(self) -> str:
        """The path (or call) that is read, as an operator would look it up."""

    def read(self, root: Root) -> Sequence[Sample]:
        """
        Read it now.

        Raises:
            OSError: it could not be read.
            ValueError: what was read is not a reading.
        """


@dataclass(frozen=True, slots=True)
class FileSensor:
    """One file that holds one number."""

    series: Series
    where: str
    parse: Callable[[str], float]

    def read(self, root: Root) -> Sequence[Sample]:
        """Read and parse the file."""
        return (Sample(self.series, self.parse(root.read(self.where))),)


@dataclass(frozen=True, slots=True)
class FilesSensor:
    """Several files, or one that holds several numbers; ``parse`` makes samples of their texts."""

    where: str
    paths: tuple[str, ...]
    parse: Callable[..., Iterable[Sample]]

    def read(self, root: Root) -> Sequence[Sample]:
        """Read all files, then parse them together."""
        return tuple(self.parse(*(root.read(path) for path in self.paths)))


@dataclass(frozen=True, slots=True)
class Failure:
    """One sensor could not be read, or looked for; the others still count."""

    where: str
    error: Exception


@dataclass(frozen=True, slots=True)
class Collector:
    """
    A value that knows one kind of hardware.

    ``discover`` is called seldom (at the start, after a hot-plug event, after a failure, and
    slowly for good measure; at every scrape where ``volatile``); the sensors that it returns are
    read at every scrape.
    """

    name: str
    metrics: tuple[Metric, ...]
    discover: Callable[[Root], Iterable[Sensor | Failure]]
    """Yields what is there now. Raises NoData where this node has none of it."""
    source: str
    """What is read, for people: a path pattern or the name of a library."""
    advice: str
    """What to do where it is absent or denied: a kernel option, a mount, a group, a capability."""
    enabled: bool = True
    """Whether it runs unless switched off."""
    volatile: bool = False
    """What it reads comes and goes with no event to tell of it: look at every scrape."""
