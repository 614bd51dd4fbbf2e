"""
What this node is: one info metric, so that its labels need not stand on every series.

A query joins them: ``... * on (instance) group_left (board) tailsight_node_info``. Where each
label comes from: docs/identity.md.
"""

import re
from collections.abc import Iterator, Mapping

from exporters.core import Collector, Failure, Kind, Metric, Root, Sensor, Unit
from exporters.hardware import accelerator, board
from exporters.hardware.facts import Facts, tidy
from exporters.hardware.known import Known

NODE_NAME = "NODE_NAME"
"""Names the node, in the environment; in Kubernetes from the field ``spec.nodeName``."""
PLACE: Mapping[str, str] = {"region": "NODE_REGION", "rack": "NODE_RACK", "zone": "NODE_ZONE"}
"""Labels that only the operator knows, and the variables that give them."""

INFO = Metric(
    "node",
    Kind.INFO,
    Unit.NONE,
    "What this node is and where it stands; what nothing tells is empty.",
    (
        "node", "board", "hardware_type", "accelerator", "kernel", "driver", "region", "rack",
        "zone",
    ),
)  # fmt: skip

_RELEASE = re.compile(r"Linux version (\S+)")


def parse_release(text: str) -> str:
    """
    Return the kernel's release from ``/proc/version``.

    Raises:
        ValueError: it is not Linux that speaks.
    """
    found = _RELEASE.match(text)
    if found is None:
        msg = f"no release of Linux: {text[:60]!r}"
        raise ValueError(msg)
    return tidy(found[1])


def identity(root: Root, environment: Mapping[str, str]) -> dict[str, str]:
    """
    Return what the node is, by the labels of ``tailsight_node_info``.

    Args:
        root: where its files lie.
        environment: NODE_NAME, NODE_REGION, NODE_RACK and NODE_ZONE count.
    """
    return _describe(Facts(root), environment)


def _describe(facts: Facts, environment: Mapping[str, str]) -> dict[str, str]:
    place = {label: tidy(environment.get(variable, "")) for label, variable in PLACE.items()}
    return {
        "node": tidy(environment.get(NODE_NAME, "")) or _host_name(facts),
        "board": board.name(facts),
        "hardware_type": board.hardware_type(facts),
        "accelerator": accelerator.name(facts),
        "kernel": _kernel(facts),
        "driver": accelerator.driver(facts),
        **place,
    }


def _host_name(facts: Facts) -> str:
    return facts.first("proc/sys/kernel/hostname", "etc/hostname")


def _kernel(facts: Facts) -> str:
    if release := facts.first("proc/sys/kernel/osrelease"):
        return release
    path = "proc/version"
    text = facts.raw(path)
    return facts.parsed(path, text, parse_release) if text else ""


def collector(environment: Mapping[str, str]) -> Collector:
    """Return the collector; its environment is that of ``identity``."""

    def discover(root: Root) -> Iterator[Sensor | Failure]:
        facts = Facts(root)
        labels = _describe(facts, environment)
        # A file that is read for two labels is one that cannot be read, not two.
        yield from {failure.where: failure for failure in facts.failures}.values()
        yield Known("what this node is", (INFO.sample(1, **labels),))

    return Collector(
        "node",
        (INFO,),
        discover,
        source="/proc/device-tree, /sys/class/dmi/id, /proc/sys/kernel, the environment",
        advice=(
            "mount /proc and /sys; NODE_NAME, NODE_REGION, NODE_RACK and NODE_ZONE in the "
            "environment name it"
        ),
    )
