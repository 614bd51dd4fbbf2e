"""The form of the tables that say which NVML call feeds which metric."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from exporters.core import Metric, Series

Take = Callable[[Any], float | None]
"""Finds one number in an answer; None where this version of the call does not give it."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call by its C name, with what it takes after the handle."""

    name: str
    arguments: tuple[int, ...] = ()

    def __str__(self) -> str:
        arguments = f"({', '.join(map(str, self.arguments))})" if self.arguments else ""
        return f"{self.name}{arguments}"


@dataclass(frozen=True, slots=True)
class Part:
    """One series that an answer feeds."""

    metric: Metric
    take: Take
    labels: Mapping[str, str] = field(default_factory=dict)
    owner: str = "gpu"
    """The label that holds the GPU's UUID."""

    def series(self, uuid: str) -> Series:
        """Return the series of one GPU."""
        return self.metric.series(**{self.owner: uuid}, **self.labels)


@dataclass(frozen=True, slots=True)
class Row:
    """A call, what is asked instead where a GPU or driver lacks it, and the series it feeds."""

    calls: tuple[Call, ...]
    parts: tuple[Part, ...]


def row(name: str, *arguments: int, parts: tuple[Part, ...]) -> Row:
    """Return a row without alternatives."""
    return Row((Call(name, arguments),), parts)


def number(*, times: int = 1, over: int = 1, lowest: float = 0, highest: float = 2**64 - 1) -> Take:
    """
    Return what turns an integer answer into base units, bounded, in these, by what can be.

    The bounds reject sentinels, such as 4294967295 for "not available". It raises ValueError.
    """

    def take(answer: Any) -> float:
        if not isinstance(answer, int | float) or isinstance(answer, bool):
            msg = f"not a number: {str(answer)[:40]!r}"
            raise ValueError(msg)  # noqa: TRY004  # for the caller all is one: no reading
        value = answer * times / over if over != 1 else answer * times
        # Also false for NaN.
        if not lowest <= value <= highest:
            msg = f"implausible: {answer} is not within {lowest} to {highest}"
            raise ValueError(msg)
        return value

    return take


def member(name: str, take: Take) -> Take:
    """Return what takes a member of a structure; None where this structure has none."""

    def taken(answer: Any) -> float | None:
        if not isinstance(answer, dict):
            msg = f"not a structure: {str(answer)[:40]!r}"
            raise ValueError(msg)  # noqa: TRY004  # for the caller all is one: no reading
        return take(answer[name]) if name in answer else None

    return taken


def item(index: int, take: Take) -> Take:
    """Return what takes one of several values that a call gives by reference."""

    def taken(answer: Any) -> float | None:
        if not isinstance(answer, list) or len(answer) <= index:
            msg = f"fewer than {index + 1} values: {str(answer)[:40]!r}"
            raise ValueError(msg)
        return take(answer[index])

    return taken


def bit(mask: int) -> Take:
    """Return what tells whether a bit is set, as 1 or 0."""
    whole = number()

    def taken(answer: Any) -> float:
        return int(bool(int(whole(answer) or 0) & mask))

    return taken


ratio = number(over=100, highest=1)
"""Whole percent."""
