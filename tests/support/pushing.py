"""Runs push mode with an agent whose scrapes are numbered."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from exporters.core.agent import Scrape
from exporters.core.metric import Kind, Metric, Sample, Unit
from exporters.otlp.options import OtlpOptions
from exporters.otlp.pusher import Pusher
from tests.support.otlp_server import OtlpServer

NUMBER = Metric("number", Kind.GAUGE, Unit.NONE, "The number of the scrape.")
NAME = "tailsight.number"


class Agent:
    """Numbers its scrapes from 0 on, and adds what the pusher says of itself."""

    def __init__(self, extra: Callable[[], Iterator[Sample]]) -> None:
        self._numbers = count()
        self._extra = extra
        self.error: Exception | None = None

    def scrape(self, _timeout: float | None) -> Scrape:
        """Return the next scrape."""
        number = next(self._numbers)
        if self.error:
            raise self.error
        return Scrape((NUMBER.sample(number), *self._extra()), {})


class Push:
    """A pusher with its agent."""

    def __init__(self, options: OtlpOptions) -> None:
        self.pusher = Pusher(options, {"service.name": "tailsight"}, "1.2")
        self.agent = Agent(self.pusher.samples)

    def values(self) -> dict[str, object]:
        """Return what push mode says of itself, without what is 0."""
        return {
            sample.series.prefix.strip().removeprefix("tailsight_otlp_"): sample.value
            for sample in self.pusher.samples()
            if sample.value
        }

    def wait(self, name: str, value: float) -> None:
        """Wait until one of these values is reached."""
        deadline = time.monotonic() + 10
        while self.values().get(name, 0) < value:  # type: ignore[operator]  # no histograms here
            assert time.monotonic() < deadline, self.values()
            time.sleep(0.005)


@contextmanager
def pushing(endpoint: str, interval: float = 0.05, **options: object) -> Iterator[Push]:
    """Push until the end of the block."""
    given = {"endpoint": endpoint, "interval_seconds": interval, **options}
    push = Push(OtlpOptions(**given))  # type: ignore[arg-type]  # the test's to get right
    push.pusher.start(push.agent.scrape)
    try:
        yield push
    finally:
        push.pusher.close()


def numbers(server: OtlpServer) -> list[float]:
    """Return the numbers of the scrapes that arrived, in the order of arrival."""
    return [number for arrival in list(server.arrivals) for number in arrival.values(NAME)]
