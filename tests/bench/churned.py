"""What was measured while processes and containers came and went, and what it has to be."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.bench.budget import Verdict
from tests.bench.soak import State
from tests.bench.subject import Memory

DEADLINE_SECONDS = 3.0
"""What ``--scrape.timeout`` is unless told otherwise."""
FLAT = 1.05
"""The most series of a scrape over the fewest."""
BAD = ('status="timeout"} 1', 'status="error"} 1')


@dataclass(slots=True)
class Seen:
    """What one program served, scrape by scrape, and what it took for it."""

    name: str
    seconds: list[float] = field(default_factory=list)
    series: list[int] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    """The series of all scrapes together: what a database has to keep."""
    bad: int = 0
    """Scrapes in which a collector hung or broke."""
    cpu_seconds: float = 0.0

    @property
    def p50_ms(self) -> float:
        """The median."""
        return statistics.median(self.seconds) * 1000

    @property
    def p99_ms(self) -> float:
        """Of a hundred scrapes the slowest but one, about."""
        return statistics.quantiles(self.seconds, n=100, method="inclusive")[98] * 1000

    @property
    def cpu_ms(self) -> float:
        """Processor time for each scrape."""
        return self.cpu_seconds / len(self.seconds) * 1000

    def note(self, seconds: float, body: str) -> None:
        """Take in a scrape."""
        lines = [line for line in body.splitlines() if line and not line.startswith("#")]
        self.seconds.append(seconds)
        self.series.append(len(lines))
        self.names.update(line.rpartition(" ")[0] for line in lines)
        self.bad += any(line.endswith(BAD) for line in lines)


@dataclass(frozen=True, slots=True)
class Turnover:
    """How many processes and groups there were; no groups where none may be made."""

    processes: int
    groups: int


ASKED = Turnover(processes=1_000, groups=300)


@dataclass(frozen=True, slots=True)
class Churn:
    """What was measured."""

    ours: Seen
    theirs: Seen
    naive: Seen
    at_once: Turnover
    in_all: Turnover
    before: State
    after: State
    memory: Memory

    @property
    def programs(self) -> tuple[Seen, Seen, Seen]:
        """Who took part."""
        return self.ours, self.theirs, self.naive


def verdicts(found: Churn) -> Iterator[Verdict]:
    """Yield each target with what was measured and whether it holds."""
    ours = found.ours
    fewest, most = min(ours.series), max(ours.series)
    crowd = f"{ASKED.processes:,} processes and {ASKED.groups} containers come and go"
    there = found.at_once
    yield crowd, f"{there.processes:,} and {there.groups}", there == ASKED
    yield "series stay flat, the same", f"{fewest:,} to {most:,}", most <= FLAT * fewest
    yield "no collector hangs or breaks, the same", f"{ours.bad} scrapes", not ours.bad
    deadline = DEADLINE_SECONDS * 1000
    yield (
        f"p99 of a scrape within its deadline of {DEADLINE_SECONDS:.0f} s, the same",
        f"{ours.p99_ms:.0f} ms",
        ours.p99_ms <= deadline,
    )
    sum_ms = found.theirs.cpu_ms + found.naive.cpu_ms
    yield (
        "CPU of a scrape at most node_exporter's and psutil's together, the same",
        f"{ours.cpu_ms:.1f} of {sum_ms:.1f} ms",
        ours.cpu_ms <= sum_ms,
    )
    descriptors = found.before.descriptors, found.after.descriptors
    yield "no descriptor leaks, the same", "{} to {}".format(*descriptors), not _grows(descriptors)


def _grows(pair: Sequence[int]) -> bool:
    return pair[1] > pair[0]
