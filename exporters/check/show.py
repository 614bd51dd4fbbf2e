"""Shows the verdicts: a table for people, JSON for machines."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from exporters.check.advice import Verdict
from exporters.check.report import Row

_MARKS: dict[Verdict, str] = {
    "ok": "ok",
    "absent": "absent",
    "denied": "DENIED",
    "broken": "BROKEN",
}


def as_json(node: Mapping[str, str], found: Sequence[Row]) -> str:
    """Return the report as one JSON document, its keys stable."""
    document = {
        "node": dict(node),
        "summary": dict(Counter(row.verdict for row in found)),
        "sources": [asdict(row) for row in found],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def as_table(node: Mapping[str, str], found: Sequence[Row], width: int) -> Iterator[str]:
    """Yield the report's lines, none longer than the width."""
    yield from (f"{name:<14} {value}" for name, value in node.items() if value)
    yield ""
    columns = max((len(row.collector) for row in found), default=9)
    for row in found:
        yield from _lines(row, columns, width)
    counts = Counter(row.verdict for row in found)
    yield ""
    yield ", ".join(f"{counts[verdict]} {verdict}" for verdict in _MARKS)


def _lines(row: Row, columns: int, width: int) -> Iterator[str]:
    name = "" if row.paths else row.collector
    head = f"{name:<{columns}}  {_MARKS[row.verdict]:<6}  "
    indent = " " * len(head)
    more = f" and {len(row.paths) - 1} more" if len(row.paths) > 1 else ""
    cost = "" if row.cost_seconds is None else f"  {row.cost_seconds * 1e3:.1f} ms"
    series = f"  {row.series} series" if row.series else ""
    yield _fit(f"{head}{row.source}{more}{series}{cost}", width)
    for label, text in (("", row.sample), ("", row.reason), ("fix: ", row.fix)):
        if text:
            yield from _wrapped(f"{label}{text}", indent, width)


def _wrapped(text: str, indent: str, width: int) -> Iterator[str]:
    line = indent
    for word in text.split(" "):
        if len(line) > len(indent) and len(line) + len(word) > width:
            yield line.rstrip()
            line = indent
        line += f"{word} "
    yield _fit(line.rstrip(), width)


def _fit(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: width - 1]}…"
