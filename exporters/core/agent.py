"""Gathers one scrape: all collectors, within the series budget, with the agent's own metrics."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from exporters.core.collector import Failure
from exporters.core.metric import Sample
from exporters.core.runner import Runner
from exporters.core.selfmetrics import SelfMetrics, errno_of
from exporters.core.single_flight import SingleFlight
from exporters.core.task import Outcome

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Scrape:
    """What one scrape gave."""

    samples: tuple[Sample, ...]
    outcomes: Mapping[str, Outcome]


@dataclass(frozen=True, slots=True)
class Budget:
    """How many series a scrape may have; what is above is cut and counted."""

    series: int = 10_000
    per_collector: int = 2_000


_BUDGET = Budget()


class Agent:
    """Answers scrapes, whoever asks for them and how many at once."""

    def __init__(
        self,
        runner: Runner,
        selfmetrics: SelfMetrics,
        budget: Budget = _BUDGET,
        extra: Iterable[Callable[[], Iterable[Sample]]] = (),
        after_scrape: Callable[[], None] = lambda: None,
    ) -> None:
        self.runner = runner
        self.scrape: Callable[[float | None], Scrape] = SingleFlight(self._scrape)
        self.last: Scrape | None = None
        """The last scrape; None before the first."""
        self._selfmetrics = selfmetrics
        self._budget = budget
        self._extra = tuple(extra)
        self._after_scrape = after_scrape
        self._failing: dict[str, frozenset[tuple[str, str]]] = {}

    def _scrape(self, timeout_seconds: float | None) -> Scrape:
        started = self.runner.root.monotonic()
        outcomes = self.runner.scrape(timeout_seconds)
        self._selfmetrics.time(self.runner.root.monotonic() - started)
        samples: list[Sample] = []
        seen: set[str] = set()
        for name, outcome in outcomes.items():
            admitted, cut = self._admit(outcome, seen)
            self._selfmetrics.count(name, outcome.failures, cut)
            self._report(name, outcome)
            samples.extend(admitted)
        samples.extend(self._selfmetrics.samples(outcomes))
        for more in self._extra:
            samples.extend(more())
        self.last = Scrape(tuple(samples), outcomes)
        self._after_scrape()
        return self.last

    def _admit(self, outcome: Outcome, seen: set[str]) -> tuple[list[Sample], int]:
        """Return the samples that are new to this scrape, and how many were over the budgets."""
        admitted: list[Sample] = []
        cut = 0
        for sample in outcome.samples:
            prefix = sample.series.prefix
            if prefix in seen:
                error = ValueError("the same series a second time")
                outcome.failures.append(Failure(prefix.rstrip(), error))
            elif len(admitted) < self._budget.per_collector and len(seen) < self._budget.series:
                seen.add(prefix)
                admitted.append(sample)
            else:
                cut += 1
        return admitted, cut

    def _report(self, name: str, outcome: Outcome) -> None:
        """Log failures once, when they change, and not at every scrape."""
        # By where and errno: a text may have the value that was read, and differ each time.
        failing = {(one.where, errno_of(one.error)): one.error for one in outcome.failures}
        before = self._failing.get(name, frozenset())
        for key in sorted(failing.keys() - before):
            log.warning("%s: %s: %s", name, key[0], failing[key])
        for where, error in sorted(before - failing.keys()):
            log.info("%s: no longer: %s: %s", name, where, error)
        self._failing[name] = frozenset(failing)
