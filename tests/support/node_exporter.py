"""What Debian's prometheus-node-exporter publishes of a recorded node, and how to compare it."""

import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

from tests.support.programs import program

Labels = Mapping[str, str]
Key = tuple[str, ...]
Values = dict[str, list[tuple[Labels, float]]]
"""Labels and value of each sample, by the name of its metric."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A family of node_exporter and what it is called here."""

    node: str
    ours: str
    key: Callable[[Labels], Key]
    """Tells which file, or which line of it, a sample of either side comes from."""
    only: Labels = field(default_factory=dict)
    """Which series of ours: a pattern for the value of a label."""
    lost: tuple[tuple[Key, float], ...] = ()
    """What node_exporter 1.5.0 loses of it."""
    left_out: frozenset[Key] = frozenset()
    """What tailsight leaves out on purpose."""
    summed: bool = False
    """Whether node_exporter tells each part of what is one number here."""
    newer: bool = False
    """Whether node_exporter 1.5.0 does not have it yet."""


def published(tree: Path, flags: tuple[str, ...]) -> Values:
    """Return what it publishes of a tree; skip the test where the program is not there."""
    command = [
        str(program("prometheus-node-exporter")), "--web.listen-address=127.0.0.1:0",
        f"--path.sysfs={tree}/sys", f"--path.procfs={tree}/proc", f"--path.udev.data={tree}/udev",
        "--collector.disable-defaults", *flags,
    ]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            with urlopen(f"http://{address(process)}/metrics", timeout=20) as answer:
                return parsed(answer.read().decode())
        finally:
            process.kill()


def address(process: "subprocess.Popen[str]") -> str:
    """Return where the oracle listens, from its log; it chose a free port."""
    assert process.stderr is not None
    line = "it said nothing"
    for line in process.stderr:
        if found := re.search(r'"Listening on".* address=(\S+)', line):
            return found[1]
    message = f"node_exporter ended before it listened: {line}"
    raise RuntimeError(message)


def parsed(text: str) -> Values:
    """Return the samples of an exposition."""
    found: Values = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found
