"""The report as JSON, for machines: docs/check.md and docs/check.schema.json describe it."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from exporters.check.row import VERDICTS, Row

SCHEMA = 1
"""Rises when a key goes or changes its meaning; a key may come without that."""


@dataclass(frozen=True, slots=True)
class Report:
    """All that a check found."""

    node: Mapping[str, str]
    rows: Sequence[Row]
    switched_off: Sequence[str] = ()
    """Collectors that do not run."""

    def counts(self, kind: str) -> dict[str, int]:
        """Return how many have each verdict; of sensors, every path counts."""
        counts = Counter[str]()
        for row in self.rows:
            if row.kind == kind:
                counts[row.verdict] += len(row.paths) or 1
        return {verdict: counts[verdict] for verdict in VERDICTS}

    @property
    def series(self) -> int:
        """How many series a scrape gives, without those on the agent itself."""
        return sum(row.series for row in self.rows)

    @property
    def cost_seconds(self) -> float:
        """What reading them all takes."""
        return sum(row.cost_seconds or 0.0 for row in self.rows)


def as_json(report: Report) -> str:
    """Return the report as one JSON document."""
    document = {
        "schema": SCHEMA,
        "node": dict(report.node),
        "switched_off": list(report.switched_off),
        "summary": {
            "collectors": report.counts("collector"),
            "sensors": report.counts("sensor"),
            "node": report.counts("node"),
            "series": report.series,
            "cost_seconds": report.cost_seconds,
        },
        "sources": [asdict(row) for row in report.rows],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)
