"""What ``serve`` says once it answers: where, and the first readings as a proof."""

from collections import Counter
from collections.abc import Iterator

from exporters import __version__
from exporters.core.agent import Scrape
from exporters.core.histogram import HistogramValue
from exporters.core.metric import Kind
from exporters.core.task import STATUSES

MOST = 12


def greeting(scrape: Scrape, url: str) -> Iterator[str]:
    """Yield the lines: the URL, one reading of each collector, what is not there."""
    yield f"tailsight {__version__} serves {url}/metrics"
    shown = 0
    for outcome in scrape.outcomes.values():
        for series, value in outcome.samples:
            gauge = series.metric.kind is Kind.GAUGE and not isinstance(value, HistogramValue)
            if gauge and shown < MOST:
                yield f"  {series.prefix}{value!r}"
                shown += 1
                break
    counts = Counter(outcome.status for outcome in scrape.outcomes.values())
    said = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
    yield f"  {len(scrape.samples)} series; collectors: {said}. See also: tailsight check"
