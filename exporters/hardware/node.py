"""Placeholder while node.py is being written."""

from collections.abc import Iterator, Mapping

from exporters.core import Collector, Failure, Kind, Metric, Root, Sensor, Unit
from exporters.hardware.known import Known

INFO = Metric("node", Kind.INFO, Unit.NONE, "The node.", ("node",))


def identity(root: Root, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the labels."""
    return {"node": environment.get("NODE_NAME", "")}


def collector(environment: Mapping[str, str]) -> Collector:
    """Return the collector."""

    def discover(root: Root) -> Iterator[Sensor | Failure]:
        yield Known("node", (INFO.sample(1, **identity(root, environment)),))

    return Collector("node", (INFO,), discover, "node", "")
