"""The report as a table for people: what needs action first, then what works, then the rest."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from exporters.check.row import NEEDS_ACTION, VERDICTS, Row, Verdict
from exporters.check.show import Report

NARROWEST, WIDEST = 60, 120
_MARKS: Mapping[Verdict, str] = {
    "ok": "ok", "absent": "absent", "denied": "DENIED", "broken": "BROKEN",
}  # fmt: skip
_MARK = max(map(len, _MARKS.values()))
# https://en.wikipedia.org/wiki/ANSI_escape_code#Select_Graphic_Rendition_parameters
_COLOURS: Mapping[Verdict, str] = {"ok": "32", "absent": "2", "denied": "1;33", "broken": "1;31"}
_GROUPS: Sequence[tuple[str, frozenset[Verdict]]] = (
    ("Needs action", NEEDS_ACTION),
    ("Works", frozenset({"ok"})),
    ("Not here, or not now", frozenset({"absent"})),
)


def as_table(report: Report, width: int, *, colour: bool) -> Iterator[str]:
    """Yield the report's lines, none longer than the width."""
    width = min(max(width, NARROWEST), WIDEST)
    names = max((len(row.collector) for row in report.rows), default=0)
    indent = " " * (_MARK + 2 + max(names, max(map(len, report.node), default=0)) + 2)
    for name, value in report.node.items():
        if value:
            yield from _wrapped(f"{name:<{len(indent) - 2}}  ", value, indent, width)
    for title, verdicts in _GROUPS:
        group = [row for row in report.rows if row.verdict in verdicts]
        if group:
            yield ""
            yield title
            for row in without_repeats(group):
                lines = chain.from_iterable(_lines(row, indent, width))
                first, *others = lines
                yield _painted(first, row.verdict) if colour else first
                yield from others
    yield ""
    yield from _wrapped("", _summary(report), "", width)


def without_repeats(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the rows, each without its fix where the next one of the same collector has it, too."""
    for row, following in zip_longest(rows, rows[1:]):
        again = following and (row.collector, row.fix) == (following.collector, following.fix)
        yield replace(row, fix="") if again else row


def wants_colour(environment: Mapping[str, str], *, terminal: bool) -> bool:
    """Whether to colour: on a terminal that can, unless NO_COLOR (https://no-color.org) is set."""
    return terminal and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def _lines(row: Row, indent: str, width: int) -> Iterator[Iterator[str]]:
    head = f"{_MARKS[row.verdict]:<{_MARK}}  {row.collector}".ljust(len(indent))
    if row.verdict == "ok":
        yield iter((_fit(f"{head}{_figures(row)}{row.source}", width),))
        if row.sample:
            yield iter((f"{indent}{shortened(row.sample, width - len(indent))}",))
        yield _wrapped(indent, row.reason, indent, width)
        return
    more = f" and {len(row.paths) - 1} more" if len(row.paths) > 1 else ""
    yield iter((f"{head}{_fit(row.source, width - len(indent) - len(more))}{more}",))
    yield _wrapped(indent, row.reason, indent, width)
    yield _wrapped(f"{indent}fix: ", row.fix, f"{indent}     ", width)


def _figures(row: Row) -> str:
    if row.kind != "collector":
        return ""
    cost = "" if row.cost_seconds is None else f"{row.cost_seconds * 1e3:.2f} ms"
    return f"{row.series:>4} series  {cost:>9}  "


def _painted(line: str, verdict: Verdict) -> str:
    """Colour the verdict at the line's begin."""
    return f"\x1b[{_COLOURS[verdict]}m{line[:_MARK]}\x1b[0m{line[_MARK:]}"


def _summary(report: Report) -> str:
    collectors, sensors = report.counts("collector"), report.counts("sensor")
    parts = [f"{sum(collectors.values())} collectors: {_counted(collectors)}"]
    if any(sensors.values()):
        parts.append(f"sensors that fail: {_counted(sensors)}")
    if report.switched_off:
        parts.append(f"switched off: {', '.join(report.switched_off)}")
    cost = f" in {report.cost_seconds * 1e3:.1f} ms" if report.cost_seconds else ""
    parts.append(f"a scrape gives {report.series} series{cost}")
    return "; ".join(parts) + "."


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])


def _wrapped(head: str, text: str, indent: str, width: int) -> Iterator[str]:
    """Yield a text in lines, broken at spaces; the first begins with the head."""
    line = head
    begun = False
    for word in text.split():
        if begun and len(line) + 1 + len(word) > width:
            yield line
            line, begun = indent, False
        line = f"{line} {word}" if begun else _fit(f"{line}{word}", width)
        begun = True
    if begun:
        yield line


def shortened(sample: str, width: int) -> str:
    """Return a sample with its labels cut so that its value is whole."""
    if len(sample) <= width:
        return sample
    name, _, value = sample.rpartition(" ")
    return _fit(name, width - len(value) - 1) + f" {value}"


def _fit(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: max(width - 1, 0)]}…"
