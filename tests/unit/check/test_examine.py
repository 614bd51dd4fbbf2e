"""Two scrapes: what costs a scrape, and no double wait."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exporters.check.examine import HURRY_SECONDS, examine
from exporters.core import Collector, Kind, Metric, Root, Sample, Sensor, Unit
from exporters.core.agent import Agent
from exporters.core.runner import Runner
from exporters.core.selfmetrics import SelfMetrics

HEAT = Metric("heat", Kind.GAUGE, Unit.CELSIUS, "Heat.", ("zone",))
TIMEOUT = 1.0


@dataclass(frozen=True)
class Slow:
    """A sensor that takes its time."""

    where: str
    seconds: float

    def read(self, root: Root) -> Sequence[Sample]:
        """Wait, then give a reading."""
        del root
        time.sleep(self.seconds)
        return (HEAT.sample(1.0, zone=self.where),)


def agent(*collectors: Collector) -> Agent:
    """Return an agent that runs these."""
    return Agent(Runner(collectors, Root(), TIMEOUT), SelfMetrics("1", "3"))


def test_discovery_is_not_part_of_the_cost() -> None:
    """A search of 0.2 s does not show in the cost of a collector whose read takes none."""

    def discover(_root: Root) -> Iterator[Sensor]:
        time.sleep(0.2)
        yield Slow("zone", 0)

    outcomes = examine(agent(Collector("heat", (HEAT,), discover, "x", "y")))

    assert 1 == len(outcomes["heat"].samples)
    assert outcomes["heat"].seconds < 0.1


def test_a_hung_source_is_waited_for_once() -> None:
    """One timeout and a hurried second scrape, and what was read before the hang is kept."""
    sensors = [Slow("good", 0), Slow("hangs", 30)]
    begun = time.monotonic()
    outcomes = examine(agent(Collector("heat", (HEAT,), lambda _: sensors, "x", "y")))

    assert "timeout" == outcomes["heat"].status
    assert 1 == len(outcomes["heat"].samples)
    assert time.monotonic() - begun < TIMEOUT + HURRY_SECONDS + 0.4
