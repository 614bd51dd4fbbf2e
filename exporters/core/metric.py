"""What a metric is called, measured in and labelled with."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from exporters.core.histogram import HistogramValue

NAMESPACE = "tailsight"
_SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_ESCAPES = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})


class Kind(StrEnum):
    """What the numbers of a family mean over time."""

    GAUGE = "gauge"
    """A level; it may go up and down."""
    COUNTER = "counter"
    """A total that only grows; a fall means that its source started anew."""
    HISTOGRAM = "histogram"
    """Counts of observations by size, with their sum."""
    INFO = "info"
    """Always 1; what it says is in its labels."""


class Unit(StrEnum):
    """Base units only; a parser converts before it reports."""

    NONE = ""
    AMPERES = "amperes"
    BYTES = "bytes"
    CELSIUS = "celsius"
    HERTZ = "hertz"
    JOULES = "joules"
    RATIO = "ratio"
    SECONDS = "seconds"
    VOLTS = "volts"
    WATTS = "watts"
    BYTES_PER_SECOND = "bytes_per_second"
    # Not an SI unit, but what fans are sold and alerted on by.
    RPM = "rpm"


_SUFFIX = {Kind.COUNTER: "total", Kind.INFO: "info"}


@dataclass(frozen=True, slots=True)
class Metric:
    """
    A metric family. Its full name is derived, never typed by hand.

    Raises:
        ValueError: a part is not snake_case, or the help is not a sentence.
    """

    subject: str
    """What is measured, without namespace, unit or suffix."""
    kind: Kind
    unit: Unit
    help: str
    labels: tuple[str, ...] = ()
    name: str = field(init=False)
    """The name as Prometheus shows it: ``tailsight_<subject>[_<unit>][_total|_info]``."""

    def __post_init__(self) -> None:
        for part in (self.subject, *self.labels):
            if not _SNAKE_CASE.fullmatch(part):
                msg = f"not snake_case: {part!r}"
                raise ValueError(msg)
        if not self.help.endswith(".") or "\n" in self.help:
            msg = f"help of {self.subject} is not a sentence on one line"
            raise ValueError(msg)
        parts = (NAMESPACE, self.subject, self.unit, _SUFFIX.get(self.kind, ""))
        object.__setattr__(self, "name", "_".join(filter(None, parts)))

    def series(self, **labels: str) -> "Series":
        """
        Return the series of this family with these label values.

        Raises:
            TypeError: the label names are not those of the metric.
        """
        if labels.keys() != set(self.labels):
            msg = f"{self.name} takes labels {self.labels}, got {tuple(labels)}"
            raise TypeError(msg)
        return Series(self, tuple(labels[name] for name in self.labels))

    def sample(self, value: "float | HistogramValue", **labels: str) -> "Sample":
        """Return one value of the series with these labels."""
        return Sample(self.series(**labels), value)


@dataclass(frozen=True, slots=True)
class Series:
    """One metric with one set of label values; made once, used at every scrape."""

    metric: Metric
    values: tuple[str, ...]
    pairs: str = field(init=False, compare=False)
    """The label pairs as the text format writes them, without braces."""
    prefix: str = field(init=False, compare=False)
    """All of the series' line that stands before its value; unique for each series."""

    def __post_init__(self) -> None:
        pairs = ",".join(
            f'{name}="{value.translate(_ESCAPES)}"'
            for name, value in zip(self.metric.labels, self.values, strict=True)
        )
        prefix = f"{self.metric.name}{{{pairs}}} " if pairs else f"{self.metric.name} "
        object.__setattr__(self, "pairs", pairs)
        object.__setattr__(self, "prefix", prefix)


class Sample(NamedTuple):
    """What a series was at the time of the scrape, in the metric's unit."""

    series: Series
    value: "float | HistogramValue"
