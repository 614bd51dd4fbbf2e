"""
Where a node stands: region, rack and zone, which only its operator knows.

From the environment, else from a file of ``KEY=VALUE`` lines; that may be one which Kubernetes
writes of labels (downward API), where values are quoted.
https://kubernetes.io/docs/concepts/storage/volumes/#downwardapi
"""

import json
from collections.abc import Mapping

from exporters.core import Failure
from exporters.hardware.facts import Facts, tidy

LABELS_FILE = "TAILSIGHT_NODE_LABELS_FILE"
"""Names the file, in the environment."""

KEYS: Mapping[str, tuple[str, ...]] = {
    "region": ("NODE_REGION", "region", "topology.kubernetes.io/region"),
    "rack": ("NODE_RACK", "rack", "topology.kubernetes.io/rack"),
    "zone": ("NODE_ZONE", "zone", "topology.kubernetes.io/zone"),
}
"""Labels, and what stands for them in the file; the first name also in the environment."""


def parse_labels(text: str) -> dict[str, str]:
    """
    Parse ``KEY=VALUE`` lines; blank ones and those that begin with ``#`` say nothing.

    Raises:
        ValueError: a line is something else.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if not key or not equals:
            msg = f"line {number}: wants KEY=VALUE, got {line.strip()[:60]!r}"
            raise ValueError(msg)
        found[key] = _unquoted(value, number)
    return found


def _unquoted(value: str, number: int) -> str:
    if not value.startswith('"'):
        return value
    try:
        return str(json.loads(value))
    except ValueError:
        msg = f"line {number}: {value[:60]!r} does not end as it begins, with a quote"
        raise ValueError(msg) from None


def place(facts: Facts, environment: Mapping[str, str]) -> dict[str, str]:
    """Return region, rack and zone; empty where nobody tells."""
    given = _of_file(facts, environment.get(LABELS_FILE, ""))
    found: dict[str, str] = {}
    for label, (variable, *others) in KEYS.items():
        names = (variable, *others)
        texts = (environment.get(variable, ""), *(given.get(name, "") for name in names))
        found[label] = next(filter(None, map(tidy, texts)), "")
    return found


def _of_file(facts: Facts, path: str) -> dict[str, str]:
    if not path:
        return {}
    where = path.lstrip("/")
    try:
        return parse_labels(facts.root.read(where))
    except (OSError, ValueError) as error:  # not there is a failure, too: it was asked for
        facts.failures.append(Failure(where, error))
        return {}
