"""Writes what was measured as docs/benchmarks.md."""

import os
import platform
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.budget import RSS_MIB, within_budget
from tests.bench.churn import PAUSE_SECONDS, PER_SECOND
from tests.bench.churn import THEIRS as SAME_FAMILIES
from tests.bench.churned import Churn, Seen, verdicts
from tests.bench.compare import Held, Result
from tests.bench.exposition import Exposition
from tests.bench.subject import OURS, THEIRS, Memory

P99_RATIO = 1.0
GROWTH_MIB = 0.5
"""What the allocator may keep between scrape 100 and 10,000 without being called growth."""

INTRODUCTION = """\
# Benchmarks

Measured, not estimated: `make bench` writes this file anew, with the numbers of the machine it
runs on. Compare columns of one run, not runs of two machines.

"""
SCRAPES = """
## Scrapes, against node_exporter

Both serve the same recorded node (`tests/fixtures/roots/node-exporter`, and one made from it with
ten times the chips, zones, RAPL domains and CPUs) and are scraped in turns of 50, with the request
headers of Prometheus (OpenMetrics, gzip), on a connection that stays open. CPU is that of all
threads for each scrape. Memory is in MiB, after the scrapes.

tailsight looks for devices once a minute, and when one comes or goes; otherwise it reads what it
found. It looks between scrapes, not in them. Scraped without a pause it hardly ever has to look.
So both are also scraped at a pace, with a pause of 250 ms before each scrape and a tailsight that
looks as often as under Prometheus with a scrape every 15 seconds, after every fourth. tailsight
runs
{ours};
node_exporter runs
{theirs}.

In favour of node_exporter: its Go metrics are off, and three chips are left out whose names
collide in it, since it would log an error at each scrape. Against it: its `cpu` collector, which
has the throttle counts, also reads `/proc/stat`, and its `hwmon` collector publishes every number
of a chip, settings of fan curves included, where tailsight reads measurements, limits and alarms.

"""
MEMORY = """
## Memory over time, and in other uses

MiB. Anonymous memory is what the process alone costs; the rest of RSS is Python itself, mapped
from files and shared with whoever else uses it.

"""
CHURN = """
## Processes and containers that come and go

This machine with {processes:,} processes that sleep, three in each of {groups} control groups
named as Docker names them, {rate} groups replaced in a second with their processes:
{all_processes:,} processes and {all_groups} groups in all. tailsight runs all its collectors and
watches every one of these processes (`--processes.command worker-`). node_exporter runs
{theirs};
it knows no processes and no containers. What process-exporter reads of each process is read with
psutil besides: CPU times, threads, context switches, memory, open files. All three take turns,
with a pause of {pause:.0f} ms before each scrape; their CPU is that of the whole run, all threads,
divided by the scrapes. Series in all are the different ones of all scrapes: what a database keeps.
At the end tailsight holds {rss:.1f} MiB, {anonymous:.1f} of it anonymous. The budget above is for
some 2,000 series; what is remembered of each watched process comes on top.

"""
EXPOSITION = """
## Text format

One gauge family with three labels; the median of five runs. Peak is what a run allocates. Both
programs' text is the same to a parser. Gzip compresses the finished text; tailsight uses level 1.

"""

EVERYTHING = "ten times the recorded node, all collectors"


@dataclass(frozen=True, slots=True)
class Measured:
    """All that was measured."""

    results: Sequence[Result]
    """Each node's ours and theirs, side by side."""
    memory: Sequence[Held]
    texts: Sequence[Exposition]
    churn: Churn


def write(path: Path, found: Measured, command: str) -> None:
    """Write the report."""
    parts = [
        INTRODUCTION,
        f"Measured on {_date()} with `{command}`: {_machine()}.\n\n",
        *_table(("Target", "Measured", "Holds"), targets(found)),
        SCRAPES.format(ours=_names(OURS), theirs=_names(THEIRS)),
        *_table(RESULT_HEAD, map(_result_row, found.results)),
        MEMORY,
        *_table(HELD_HEAD, map(_held_row, found.memory)),
        _churn_text(found.churn),
        *_table(CHURN_HEAD, map(_churn_row, found.churn.programs)),
        EXPOSITION,
        *_table(("Series", "How", "ms", "Peak MiB", "Size KiB"), map(_text_row, found.texts)),
    ]
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(parts), encoding="utf-8")


def targets(found: Measured) -> Iterator[tuple[str, str, str]]:
    """Yield each target with what was measured and whether it holds."""
    for ours, theirs in zip(found.results[::2], found.results[1::2], strict=True):
        what = f"{ours.factor}x sensors" + ours.program.removeprefix("tailsight")
        ratio = ours.p99_ms / theirs.p99_ms
        name = f"p99 of a scrape at most {P99_RATIO} of node_exporter's, {what}"
        yield name, f"{ratio:.2f}", _holds(ratio <= P99_RATIO)
        name = f"resident memory at most {RSS_MIB:.0f} MiB, {what}"
        yield name, f"{ours.memory.rss:.1f} MiB", _holds(ours.memory.rss <= RSS_MIB)
    long_run = [one for one in found.memory if one.what == found.memory[0].what]
    first, last = long_run[0], long_run[-1]
    grown = last.memory.anonymous - first.memory.anonymous
    name = f"no growth between scrape {first.scrapes:,} and {last.scrapes:,}"
    yield name, f"{grown:+.2f} MiB anonymous", _holds(grown <= GROWTH_MIB)
    everything = [one for one in found.memory if one.what == EVERYTHING]
    budgets = [verdict for one in everything for verdict in within_budget(one.memory, one.what)]
    for name, measured, holds in (*budgets, *verdicts(found.churn)):
        yield name, measured, _holds(holds)


RESULT_HEAD = (
    "Sensors", "Program", "Series", "p50 ms", "p99 ms", "CPU ms", "RSS", "PSS", "Anonymous",
)  # fmt: skip

CHURN_HEAD = ("Program", "Series", "Series in all", "p50 ms", "p99 ms", "CPU ms")
HELD_HEAD = ("tailsight on", "Scrapes", "RSS", "PSS", "Anonymous")


def _churn_text(found: Churn) -> str:
    return CHURN.format(
        processes=found.at_once.processes,
        groups=found.at_once.groups,
        all_processes=found.in_all.processes,
        all_groups=found.in_all.groups,
        rate=PER_SECOND,
        theirs=_names(SAME_FAMILIES),
        pause=PAUSE_SECONDS * 1000,
        rss=found.memory.rss,
        anonymous=found.memory.anonymous,
    )


def _churn_row(seen: Seen) -> tuple[str, ...]:
    cells = ("", "")
    if seen.series:
        cells = (f"{min(seen.series):,} to {max(seen.series):,}", f"{len(seen.names):,}")
    times = (seen.p50_ms, seen.p99_ms, seen.cpu_ms)
    return (seen.name, *cells, *(f"{ms:.2f}" for ms in times))


def _result_row(one: Result) -> tuple[str, ...]:
    times = (one.p50_ms, one.p99_ms, one.cpu_ms)
    cells = (f"{one.factor}x", one.program, f"{one.series:,}", *(f"{ms:.2f}" for ms in times))
    return (*cells, *_memory_cells(one.memory))


def _held_row(one: Held) -> tuple[str, ...]:
    return (one.what, f"{one.scrapes:,}", *_memory_cells(one.memory))


def _text_row(one: Exposition) -> tuple[str, ...]:
    numbers = (f"{one.milliseconds:.2f}", f"{one.peak_mib:.2f}", f"{one.size_kib:,.0f}")
    return (f"{one.series:,}", one.how, *numbers)


def _memory_cells(memory: Memory) -> tuple[str, ...]:
    return tuple(f"{value:.1f}" for value in (memory.rss, memory.pss, memory.anonymous))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |\n"
    yield f"|{' --- |' * len(head)}\n"
    for row in rows:
        yield f"| {' | '.join(row)} |\n"


def _holds(holds: bool) -> str:  # noqa: FBT001  # the one thing it is about
    return "yes" if holds else "**no**"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _date() -> str:
    return time.strftime("%Y-%m-%d", time.gmtime())


def _machine() -> str:
    """Describe this machine in a line."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    model = models[0] if models else platform.machine()
    python = platform.python_version()
    return f"{model}, {os.cpu_count()} CPUs, Linux {platform.release()}, Python {python}"
