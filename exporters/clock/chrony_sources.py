"""chronyd's sources one by one: which of them answer, and what it makes of them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from exporters.clock.chrony_messages import SOURCE, SOURCE_COUNT
from exporters.core import Kind, Metric, Sample, Unit

REACHABLE = Metric(
    "chrony_reachable_sources",
    Kind.GAUGE,
    Unit.NONE,
    "Sources that one of the last eight polls has reached.",
    ("mode",),
)
SELECTION = Metric(
    "chrony_source_selection",
    Kind.GAUGE,
    Unit.NONE,
    "Sources by what chronyd makes of them; it follows the one that is selected.",
    ("state",),
)
METRICS = (REACHABLE, SELECTION)

MOST = 64
"""Of more sources, the first ones count."""
MODES = ("server", "peer", "refclock")
STATES = ("selected", "unselectable", "falseticker", "jittery", "combined", "selectable")
"""Numbers 0 to 5 of candm.h, which ``chronyc sources`` shows as ``*?x~+-``."""
_MOST_REACHABILITY = 0xFF
"""A bit for each of the last eight polls, set where it was answered."""


class Source(NamedTuple):
    """What chronyd says of a source."""

    mode: str
    """One of ``MODES``."""
    state: str
    """One of ``STATES``."""
    reachable: bool
    """Whether one of the last eight polls was answered."""


def parse_count(data: bytes) -> int:
    """
    Return how many sources there are, those among them whose address is not known yet.

    Raises:
        ValueError: it is not of its form.
    """
    if len(data) != SOURCE_COUNT.size:
        msg = f"{len(data)} bytes of a number of sources"
        raise ValueError(msg)
    return int(SOURCE_COUNT.unpack(data)[0])


def parse_source(data: bytes) -> Source:
    """
    Return what chronyd says of a source.

    Raises:
        ValueError: it is not of its form, or out of range.
    """
    if len(data) != SOURCE.size:
        msg = f"{len(data)} bytes of a source"
        raise ValueError(msg)
    _, _, state, mode, _, reachability, *_ = SOURCE.unpack(data)
    if state >= len(STATES) or mode >= len(MODES) or reachability > _MOST_REACHABILITY:
        msg = f"source out of range: state {state}, mode {mode}, reachability {reachability}"
        raise ValueError(msg)
    return Source(MODES[mode], STATES[state], reachability > 0)


def source_samples(sources: Iterable[Source]) -> Iterator[Sample]:
    """Count the sources; there is a number for each mode and state, 0 too."""
    listed = tuple(sources)
    reachable = Counter(source.mode for source in listed if source.reachable)
    for mode in MODES:
        yield REACHABLE.sample(reachable[mode], mode=mode)
    states = Counter(source.state for source in listed)
    for state in STATES:
        yield SELECTION.sample(states[state], state=state)
