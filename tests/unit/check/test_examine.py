"""Two scrapes: what costs a scrape, and no double wait."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from exporters.check.examine import HURRY_SECONDS, examine
from exporters.core import Collector, FileSensor, Kind, Metric, Root, Sensor, Unit
from exporters.core.agent import Agent
from exporters.core.runner import Runner
from exporters.core.selfmetrics import SelfMetrics

HEAT = Metric("heat", Kind.GAUGE, Unit.CELSIUS, "Heat.", ("zone",))
TIMEOUT = 1.5


class HangingRoot(Root):
    """A node of whose files some hold up whoever reads them, as on a stuck bus."""

    def locate(self, path: str) -> str:
        """Return where a file lies, or do not return for longer than the test takes."""
        if path.startswith("stuck"):
            time.sleep(30)
        return super().locate(path)


def sensor(path: str) -> Sensor:
    """Return what reads a number from a file."""
    return FileSensor(HEAT.series(zone=path), path, float)


def agent(root: Root, collector: Collector) -> Agent:
    """Return an agent that runs a collector."""
    return Agent(Runner([collector], root, TIMEOUT), SelfMetrics("1", "3"))


def test_discovery_is_not_part_of_the_cost(make_tree: Callable[[dict[str, str]], Path]) -> None:
    """A search of 0.2 s does not show in the cost of a collector whose read takes none."""

    def discover(_root: Root) -> Iterator[Sensor]:
        time.sleep(0.2)
        yield sensor("zone")

    collector = Collector("heat", (HEAT,), discover, "x", "y")
    outcome = examine(agent(Root(str(make_tree({"zone": "1"}))), collector))["heat"]

    assert 1 == len(outcome.samples)
    assert outcome.seconds < 0.1


def test_a_hung_source_is_waited_for_once(make_tree: Callable[[dict[str, str]], Path]) -> None:
    """Two files hang: one timeout, a hurried second scrape; what does read is kept."""
    root = HangingRoot(str(make_tree({"zone": "1"})))
    sensors = [sensor(path) for path in ("zone", "stuck0", "stuck1")]
    begun = time.monotonic()
    outcome = examine(agent(root, Collector("heat", (HEAT,), lambda _: sensors, "x", "y")))["heat"]

    assert ("timeout", 1) == (outcome.status, len(outcome.samples))
    assert ["stuck0", "stuck1"] == [failure.where for failure in outcome.failures]
    assert TIMEOUT < time.monotonic() - begun < TIMEOUT + HURRY_SECONDS + 0.5
