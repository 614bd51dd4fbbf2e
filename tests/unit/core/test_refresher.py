"""Devices are looked for between scrapes."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from exporters.core import Collector, Kind, Metric, Root, Sample, Sensor, Unit
from exporters.core.refresher import Refresher
from exporters.core.runner import Runner

UP = Metric("example", Kind.GAUGE, Unit.NONE, "An example.")


class One:
    """A sensor that answers 1."""

    where = "one"

    def read(self, _: Root) -> Sequence[Sample]:
        """Answer."""
        return (UP.sample(1),)


def test_the_search_is_made_after_the_scrape_by_another_thread(tmp_path: Path) -> None:
    """When a search is due, it is the refresher that has it made, and not a second time."""
    searches: list[str] = []
    twice = threading.Event()

    def discover(_: Root) -> Iterator[Sensor]:
        searches.append(threading.current_thread().name)
        if len(searches) == 2:
            twice.set()
        yield One()

    collector = Collector("x", (UP,), discover, "x", "")
    runner = Runner([collector], Root(str(tmp_path)), 5.0, rediscover_seconds=1e-9)
    runner.scrape()
    runner.scrape()
    assert 1 == len(searches)

    refresher = Refresher(runner)
    refresher.scraped()
    assert twice.wait(5.0)
    refresher.close()
    runner.close()

    assert 2 == len(searches)


def test_a_search_that_hangs_keeps_no_scrape_from_its_answer(tmp_path: Path) -> None:
    """The collector that hangs is left out; the other is read."""
    go_on, entered = threading.Event(), threading.Event()
    calls: list[int] = []

    def discover(_: Root) -> Iterator[Sensor]:
        calls.append(1)
        if len(calls) > 1:
            entered.set()
            go_on.wait(10.0)
        yield One()

    hung = Collector("hung", (UP,), discover, "x", "")
    good = Collector("good", (UP,), lambda _: [One()], "x", "")
    runner = Runner([hung, good], Root(str(tmp_path)), 0.2, rediscover_seconds=1e-9)
    runner.scrape()
    refresher = Refresher(runner)
    refresher.scraped()
    assert entered.wait(5.0)

    statuses = {name: outcome.status for name, outcome in runner.scrape().items()}
    go_on.set()
    refresher.close()
    runner.close()

    assert {"hung": "timeout", "good": "ok"} == statuses
