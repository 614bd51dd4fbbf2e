"""Turns the outcomes of one scrape into verdicts on sources."""

from collections.abc import Iterator, Mapping, Sequence

from exporters.check.advice import Meaning, meaning
from exporters.check.nvml import readings, trouble
from exporters.check.row import VERDICTS, Row
from exporters.core.collector import Collector, Failure
from exporters.core.histogram import HistogramValue
from exporters.core.metric import Sample
from exporters.core.task import Outcome


def rows(collectors: Sequence[Collector], outcomes: Mapping[str, Outcome]) -> Iterator[Row]:
    """Yield a row for each collector, followed by rows for its sensors that fail."""
    for collector in collectors:
        outcome = outcomes[collector.name]
        groups = _groups(outcome.failures)
        yield _collector_row(collector, outcome, groups)
        for said, paths in groups.items():
            # What fails for the collector as a whole has been said of it.
            if paths not in ([collector.name], [collector.source]):
                yield Row(
                    collector=collector.name,
                    kind="sensor",
                    source=paths[0],
                    verdict=said.verdict,
                    reason=said.reason,
                    fix=said.fix or collector.advice,
                    paths=tuple(paths),
                )


def _collector_row(
    collector: Collector, outcome: Outcome, groups: Mapping[Meaning, Sequence[str]]
) -> Row:
    said = _verdict(collector.source, outcome, groups)
    return Row(
        collector=collector.name,
        kind="collector",
        source=collector.source,
        verdict=said.verdict,
        sample=_sample(readings(outcome.samples)),
        series=len(outcome.samples),
        # The clock of a recording may stand still: then nothing was measured.
        cost_seconds=outcome.seconds or None,
        reason=said.reason,
        fix=said.fix if said.verdict == "ok" else said.fix or collector.advice,
    )


def _verdict(source: str, outcome: Outcome, groups: Mapping[Meaning, Sequence[str]]) -> Meaning:
    """Judge a collector as a whole; one that gives readings works, whatever else fails in it."""
    if outcome.status == "absent":
        return Meaning("absent", outcome.reason, "")
    if told := trouble(outcome.samples):
        return told
    if not outcome.samples:
        worst = max(groups, key=lambda said: VERDICTS.index(said.verdict), default=None)
        if worst is None:
            return Meaning("broken", outcome.reason or "it gave no reading", "see the log")
        # Of single sensors the runner quotes the first error, which is what a log needs.
        whole = outcome.status == "timeout" or groups[worst] == [source]
        return worst._replace(reason=outcome.reason if whole else f"nothing reads: {worst.reason}")
    failed = sum(map(len, groups.values()))
    return Meaning("ok", f"{failed} not read, see its other rows" if failed else "", "")


def _groups(failures: Sequence[Failure]) -> dict[Meaning, list[str]]:
    """Return the paths of the sensors that fail, those that fail alike together."""
    groups: dict[Meaning, list[str]] = {}
    for failure in failures:
        where = failure.where
        path = (
            f"/{where}"
            if where.startswith(("sys/", "proc/", "etc/", "var/", "dev/", "run/"))
            else where
        )
        said = meaning(failure.error)
        if where.startswith("dev/"):
            # A device that the kernel has and a container was not given: the collector knows how.
            said = said._replace(fix="")
        groups.setdefault(said, []).append(path)
    return groups


def _sample(samples: Sequence[Sample]) -> str:
    for series, value in samples:
        if not isinstance(value, HistogramValue):
            return f"{series.prefix}{value!r}"
    return ""
