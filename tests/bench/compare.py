"""The same node scraped from tailsight and from node_exporter, in turns."""

import statistics
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.bench.subject import Memory, Subject, ours, running, theirs

ROUND = 50
"""Scrapes in a row before it is the other's turn: whatever else the machine does hits both."""
WARM_UP = 20
PACED = ", paced"
# Long enough for the search after a scrape to end before the next one, as it does in 15 seconds.
PAUSE_SECONDS = 0.25
PACED_SHARE = 5
"""One paced scrape for so many others: the pauses take their time."""
"""Between two scrapes at a pace."""


@dataclass(frozen=True, slots=True)
class Result:
    """One program on one node."""

    program: str
    factor: int
    series: int
    p50_ms: float
    p99_ms: float
    cpu_ms: float
    """Processor time for each scrape, of all its threads."""
    memory: Memory


@dataclass(frozen=True, slots=True)
class Held:
    """The memory of one tailsight after some scrapes."""

    what: str
    scrapes: int
    memory: Memory


def compare(root: Path, factor: int, scrapes: int) -> list[Result]:
    """
    Scrape both so often, in turns, and return what was measured of each.

    Scraped without a pause tailsight would hardly ever have to look for devices, which it does
    once a minute. So both are also scraped at a pace, at which a second tailsight looks as often
    for each scrape as it does under Prometheus, at every fourth, or oftener.
    """
    with ExitStack() as stack:
        ours_, theirs_ = (stack.enter_context(running(*make(root))) for make in (ours, theirs))
        name, command = ours(root)
        command[-1:-1] = ["--discovery.interval", f"{4 * PAUSE_SECONDS:.3f}s"]
        paced = stack.enter_context(running(name + PACED, command))
        same = Subject(theirs_.name + PACED, theirs_.pid, theirs_.port)
        fast, slow = (ours_, theirs_), (paced, same)
        turns = [
            *((one, ROUND, 0.0) for one in fast),
            *((one, ROUND // PACED_SHARE, PAUSE_SECONDS) for one in slow),
        ]
        for subject, _, pause in turns:
            subject.round(WARM_UP, pause)
            subject.latencies.clear()
            subject.cpu_seconds = 0.0
        for _ in range(max(1, scrapes // ROUND)):
            for subject, count, pause in turns:
                subject.round(count, pause)
        return [_result(subject, factor) for subject, _, _ in turns]


def held(what: str, command: tuple[str, list[str]], marks: tuple[int, ...]) -> Iterator[Held]:
    """Scrape a new tailsight on and on, and look at its memory at each mark."""
    with running(*command) as subject:
        done = 1
        for mark in marks:
            subject.round(mark - done)
            done = mark
            yield Held(what, mark, subject.memory())


def _result(subject: Subject, factor: int) -> Result:
    seconds = [second for one in subject.latencies for second in one]
    cuts = statistics.quantiles(seconds, n=100)
    lines = subject.scrape().decode().splitlines()
    return Result(
        subject.name,
        factor,
        sum(not line.startswith("#") for line in lines),
        cuts[49] * 1000,
        cuts[98] * 1000,
        subject.cpu_seconds / len(seconds) * 1000,
        subject.memory(),
    )
