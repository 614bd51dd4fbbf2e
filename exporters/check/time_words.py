"""The verdict on a clock in words, and as JSON: docs/alignment.md describes both."""

import json
from collections.abc import Iterator

from exporters.check.time_bound import TRUE_TIME
from exporters.check.time_judge import INTERVAL_SHARE, Alignment
from exporters.check.time_units import duration

SCHEMA = 1
"""Rises when a key goes or changes its meaning; a key may come without that."""


def in_words(found: Alignment) -> Iterator[str]:
    """Yield the report's lines."""
    yield from _bound(found)
    yield ""
    yield _interval(found)
    yield _span(found)
    if found.faults:
        yield ""
        yield "Worth a look" if found.good else "At fault"
        for fault in found.faults:
            yield f"{fault.who}: {fault.reason}"
            yield f"  fix: {fault.fix}"


def _bound(found: Alignment) -> Iterator[str]:
    if found.bound is None:
        yield "How far off this clock is, is not known."
        return
    seconds, reference, parts = found.bound
    yield f"This clock is off {reference} by at most {duration(seconds)}."
    if len(parts) > 1:
        words = ", ".join(f"{part.what} {duration(part.seconds)}" for part in parts)
        yield f"That is {words}."
    if reference != TRUE_TIME:
        yield "How good that one is, it does not say: compare nodes of the same grandmaster only."


def _mark(ok: bool) -> str:  # noqa: FBT001  # the verdict itself
    return "good" if ok else "NOT GOOD ENOUGH"


def _interval(found: Alignment) -> str:
    head = f"Scrape interval {duration(found.interval)}: {_mark(found.interval_ok)}. "
    if found.bound is None:
        return f"{head}A sample's time could be off by any amount."
    enough = duration(found.interval * INTERVAL_SHARE)
    off = duration(found.bound.seconds)
    return f"{head}A sample's time is off by at most {off}, where {enough} would do."


def _span(found: Alignment) -> str:
    head = f"Spans of {duration(found.span)} across nodes: {_mark(found.span_ok)}. "
    if found.apart is None:
        return f"{head}Two nodes could differ by any amount."
    apart = duration(found.apart)
    if found.span_ok:
        return f"{head}Two nodes with such a clock differ by at most {apart}."
    return f"{head}Two nodes with such a clock can differ by {apart}: shorter spans have no order."


def as_json(found: Alignment) -> str:
    """Return the report as one JSON document."""
    bound = found.bound
    document = {
        "schema": SCHEMA,
        "good": found.good,
        "bound_seconds": None if bound is None else bound.seconds,
        "reference": None if bound is None else bound.reference,
        "parts": {} if bound is None else {part.what: part.seconds for part in bound.parts},
        "scrape_interval": {"seconds": found.interval, "good": found.interval_ok},
        "span": {"seconds": found.span, "good": found.span_ok, "apart_seconds": found.apart},
        "faults": [
            {"who": fault.who, "reason": fault.reason, "fix": fault.fix} for fault in found.faults
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)
