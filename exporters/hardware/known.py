"""
What hardly ever changes, such as a limit: read when its device is found, told at every scrape.

The agent looks for devices anew every minute, so that is how old such a value can be.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from exporters.core import Failure, Root, Sample, Series
from exporters.hardware.numbers import integer

Limit = tuple[Series, str, Callable[[str], float | None]]
"""The series of a limit, its file, and a parser that returns None where no limit is set."""


@dataclass(frozen=True, slots=True)
class Known:
    """Samples that were read beforehand."""

    where: str
    samples: tuple[Sample, ...]

    def read(self, root: Root) -> Sequence[Sample]:
        """Return the samples."""
        del root
        return self.samples


def limit(per_unit: int, lowest: float, highest: float) -> Callable[[str], float | None]:
    """
    Return a parser of limits in ``1/per_unit`` of a base unit.

    Drivers say "no limit" with a number that nothing reaches, such as 65261.85 or -273.15
    degrees (thinkfan#157): what is out of bounds is None. The parser raises ValueError for what
    is no number.
    """

    def parse(text: str) -> float | None:
        value = integer(text) / per_unit
        return value if lowest <= value <= highest else None

    return parse


def read_limits(
    root: Root, where: str, limits: Iterable[Limit | Failure]
) -> Iterator[Known | Failure]:
    """Read limits now; yield those that cannot be read as failures, then the others together."""
    samples: list[Sample] = []
    for one in limits:
        if isinstance(one, Failure):
            yield one
            continue
        series, path, parse = one
        try:
            value = parse(root.read(path))
        except (OSError, ValueError) as error:
            yield Failure(path, error)
            continue
        if value is not None:
            samples.append(Sample(series, value))
    if samples:
        yield Known(where, tuple(samples))
