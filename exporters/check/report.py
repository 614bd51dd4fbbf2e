"""Turns the outcomes of one scrape into verdicts on sources."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from exporters.check.advice import Meaning, Verdict, meaning
from exporters.core.collector import Collector, Failure
from exporters.core.histogram import HistogramValue
from exporters.core.metric import Sample
from exporters.core.task import Outcome

# Which verdict names a collector of whose sensors some are fine and some are not: none of
# these, as it does work; its failing sensors have rows of their own.
_GRAVITY: tuple[Verdict, ...] = ("ok", "absent", "denied", "broken")


@dataclass(frozen=True, slots=True)
class Row:
    """The verdict on one source."""

    collector: str
    source: str
    """The path or library that is read; paths that fail alike are listed in ``paths``."""
    verdict: Verdict
    sample: str
    """One reading, to be believed or not."""
    series: int
    cost_seconds: float | None
    """What reading the whole collector took; None in the rows of single sensors."""
    reason: str
    fix: str
    paths: tuple[str, ...] = ()


def rows(collectors: Sequence[Collector], outcomes: Mapping[str, Outcome]) -> Iterator[Row]:
    """Yield a row for each collector, followed by rows for its sensors that fail."""
    for collector in collectors:
        outcome = outcomes[collector.name]
        groups = _groups(outcome.failures)
        yield _collector_row(collector, outcome, groups)
        for said, paths in groups.items():
            yield Row(
                collector.name, paths[0], said.verdict, "", 0, None, said.reason,
                said.fix or collector.advice, tuple(paths),
            )  # fmt: skip


def _collector_row(
    collector: Collector, outcome: Outcome, groups: Mapping[Meaning, Sequence[str]]
) -> Row:
    verdict: Verdict = "ok"
    reason, fix = "", ""
    if outcome.status == "absent":
        verdict, reason, fix = "absent", outcome.reason, collector.advice
    elif not outcome.samples:
        worst = max(groups, key=lambda said: _GRAVITY.index(said.verdict), default=None)
        verdict = worst.verdict if worst else "broken"
        reason = outcome.reason or (worst.reason if worst else "no reading")
        fix = (worst.fix if worst else "") or collector.advice
    elif groups:
        failed = len(outcome.failures)
        reason = f"{failed} not read, see below"
    return Row(
        collector.name, collector.source, verdict, _sample(outcome.samples),
        len(outcome.samples), outcome.seconds, reason, fix,
    )  # fmt: skip


def _groups(failures: Sequence[Failure]) -> dict[Meaning, list[str]]:
    """Return the paths of the sensors that fail, those that fail alike together."""
    groups: dict[Meaning, list[str]] = {}
    for failure in failures:
        where = failure.where
        path = f"/{where}" if where.startswith(("sys/", "proc/", "etc/", "var/")) else where
        groups.setdefault(meaning(failure.error), []).append(path)
    return groups


def _sample(samples: Sequence[Sample]) -> str:
    for series, value in samples:
        if not isinstance(value, HistogramValue):
            return f"{series.prefix}{value!r}"
    return ""
