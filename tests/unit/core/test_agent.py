"""One scrape, with what the agent says of itself."""

import logging
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from exporters.core import Collector, Failure, Kind, Metric, Root, Sample, Sensor, Unit
from exporters.core.agent import Agent, Budget
from exporters.core.runner import Runner
from exporters.core.selfmetrics import SelfMetrics

UP = Metric("example", Kind.GAUGE, Unit.NONE, "An example.", ("which",))


class Many:
    """A sensor that gives the samples it was told to."""

    where = "many"

    def __init__(self, *names: str) -> None:
        self._names = names

    def read(self, _: Root) -> Sequence[Sample]:
        """Give a sample for each name."""
        return [UP.sample(1, which=name) for name in self._names]


def agent(root: Path, *found: Sensor | Failure, most: int = 2000) -> Agent:
    """Return an agent with one collector over given sensors."""
    collector = Collector("x", (UP,), lambda _: found, "x", "")
    runner = Runner([collector], Root(str(root)), timeout_seconds=5.0)
    return Agent(runner, SelfMetrics("1.2.3", "3.11"), Budget(per_collector=most))


def values(one: Agent) -> dict[str, object]:
    """Return the values of a scrape by series."""
    return {s.series.prefix.rstrip(): s.value for s in one.scrape(None).samples}


def test_every_collector_has_its_self_metrics(tmp_path: Path) -> None:
    """Success, presence, status, failed sensors and duration are always there."""
    failure = Failure("sys/x", PermissionError(13, "denied"))
    found = values(agent(tmp_path, Many("a"), failure))

    assert 1 == found['tailsight_collector_success{collector="x"}']
    assert 1 == found['tailsight_collector_present{collector="x"}']
    assert 1 == found['tailsight_collector_status{collector="x",status="ok"}']
    assert 0 == found['tailsight_collector_status{collector="x",status="timeout"}']
    assert 1 == found['tailsight_collector_failed_sensors{collector="x"}']
    assert 1 == found['tailsight_read_errors_total{collector="x",errno="EACCES"}']
    assert 'tailsight_collector_duration_seconds{collector="x"}' in found
    assert 1 == found['tailsight_build_info{version="1.2.3",python="3.11"}']


def test_absent_is_success_without_presence(tmp_path: Path) -> None:
    """Hardware that is not there is an answer, not a failure."""
    found = values(agent(tmp_path))

    assert 1 == found['tailsight_collector_success{collector="x"}']
    assert 0 == found['tailsight_collector_present{collector="x"}']


def test_errors_are_counted_over_scrapes(tmp_path: Path) -> None:
    """The counter grows by one for each failed read."""
    one = agent(tmp_path, Many("a"), Failure("sys/x", ValueError("rubbish")))
    for _ in range(3):
        found = values(one)

    assert 3 == found['tailsight_read_errors_total{collector="x",errno="bad_value"}']


def test_too_many_series_are_cut_and_counted(tmp_path: Path) -> None:
    """A budget holds, whatever a collector finds."""
    one = agent(tmp_path, Many(*map(str, range(10))), most=4)
    found = values(one)

    assert 4 == sum(series.startswith("tailsight_example") for series in found)
    assert 6 == found['tailsight_series_cut_total{collector="x"}']


def test_the_same_series_twice_is_a_failure_of_the_second(tmp_path: Path) -> None:
    """Duplicates would make Prometheus refuse the whole scrape."""
    found = values(agent(tmp_path, Many("a"), Many("a", "b")))

    assert 1 == found['tailsight_example{which="a"}']
    assert 1 == found['tailsight_example{which="b"}']
    assert 1 == found['tailsight_collector_failed_sensors{collector="x"}']
    assert 0 == found['tailsight_series_cut_total{collector="x"}']


def test_failures_are_logged_when_they_change(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A sensor that fails at every scrape is one line, not one a scrape."""
    one = agent(tmp_path, Many("a"), Failure("sys/x", PermissionError(13, "denied")))
    with caplog.at_level(logging.WARNING):
        one.scrape(None)
        one.scrape(None)

    assert 1 == len(caplog.records)


def test_another_text_is_no_other_failure(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A sensor that says another nonsense at every scrape is one line, too."""
    texts = iter(("-256001", "-256002"))

    class Nonsense(Many):
        def read(self, _: Root) -> Sequence[Sample]:
            raise ValueError(next(texts))

    one = agent(tmp_path, Many("a"), Nonsense())
    with caplog.at_level(logging.INFO):
        one.scrape(None)
        one.scrape(None)

    assert ["x: many: -256001"] == [record.getMessage() for record in caplog.records]


def test_scrapes_at_once_read_once(tmp_path: Path) -> None:
    """Two that overlap share one run: no sensor is read twice."""
    entered, go_on = threading.Event(), threading.Event()
    reads = []

    class Slow(Many):
        def read(self, root: Root) -> Sequence[Sample]:
            reads.append(1)
            entered.set()
            go_on.wait(5)
            return super().read(root)

    one = agent(tmp_path, Slow("a"))
    results: list[object] = []
    threads = [threading.Thread(target=lambda: results.append(one.scrape(None)))]
    threads[0].start()
    entered.wait(5)
    threads += [threading.Thread(target=lambda: results.append(one.scrape(None))) for _ in "12"]
    for thread in threads[1:]:
        thread.start()
    while sum(thread.is_alive() for thread in threads) < len(threads):
        pass
    go_on.set()
    for thread in threads:
        thread.join(5)

    assert 3 == len(results)
    assert 1 <= len(reads) <= 2  # 2 only where a thread came after the first had landed
