"""What the agent says of its own work: for every collector, at every scrape."""

import errno
from collections import Counter
from collections.abc import Iterator, Mapping

from exporters.core.collector import Failure
from exporters.core.histogram import SECONDS_BOUNDS, fine_index, merge
from exporters.core.metric import Kind, Metric, Sample, Series, Unit
from exporters.core.task import STATUSES, Outcome

SUCCESS = Metric(
    "collector_success",
    Kind.GAUGE,
    Unit.NONE,
    "Whether the collector ran to its end and nothing in it hangs; absent hardware is a success.",
    ("collector",),
)
PRESENT = Metric(
    "collector_present",
    Kind.GAUGE,
    Unit.NONE,
    "Whether this node has what the collector reads.",
    ("collector",),
)
STATUS = Metric(
    "collector_status",
    Kind.GAUGE,
    Unit.NONE,
    "1 for the collector's present status, 0 for the others.",
    ("collector", "status"),
)
DURATION = Metric(
    "collector_duration",
    Kind.GAUGE,
    Unit.SECONDS,
    "How long the collector took in this scrape.",
    ("collector",),
)
FAILED = Metric(
    "collector_failed_sensors",
    Kind.GAUGE,
    Unit.NONE,
    "Sensors that could not be read in this scrape.",
    ("collector",),
)
READ_ERRORS = Metric(
    "read_errors",
    Kind.COUNTER,
    Unit.NONE,
    "Reads that failed, by errno; bad_value where what was read is not a reading.",
    ("collector", "errno"),
)
SERIES_CUT = Metric(
    "series_cut",
    Kind.COUNTER,
    Unit.NONE,
    "Series left out of a scrape, since the collector or the agent had too many.",
    ("collector",),
)
SCRAPE_DURATION = Metric(
    "scrape_duration",
    Kind.HISTOGRAM,
    Unit.SECONDS,
    "How long it took to run all collectors.",
)
BUILD_INFO = Metric(
    "build",
    Kind.INFO,
    Unit.NONE,
    "The version of tailsight and of the Python that runs it.",
    ("version", "python"),
)
METRICS = (
    SUCCESS, PRESENT, STATUS, DURATION, FAILED, READ_ERRORS, SERIES_CUT, SCRAPE_DURATION,
    BUILD_INFO,
)  # fmt: skip


def errno_of(error: Exception) -> str:
    """Return the errno's name, or ``bad_value`` where a text could not be parsed."""
    if isinstance(error, OSError):
        return errno.errorcode.get(error.errno or 0, type(error).__name__)
    return "bad_value"


def _series(collector: str) -> Iterator[Series]:
    """Yield the series of one collector, in the order of their values in ``samples``."""
    for metric in (SUCCESS, PRESENT, DURATION, FAILED, SERIES_CUT):
        yield metric.series(collector=collector)
    for status in STATUSES:
        yield STATUS.series(collector=collector, status=status)


class SelfMetrics:
    """Counts over all scrapes, and the metrics of one."""

    def __init__(self, version: str, python: str) -> None:
        self._build = BUILD_INFO.sample(1, version=version, python=python)
        self._errors: Counter[tuple[str, str]] = Counter()
        self._cut: Counter[str] = Counter()
        self._durations: Counter[int] = Counter()
        self._seconds = 0.0
        self._series: dict[str, tuple[Series, ...]] = {}

    def count(self, collector: str, failures: list[Failure], cut: int) -> None:
        """Take account of what went wrong in one collector's run."""
        self._cut[collector] += cut
        for failure in failures:
            self._errors[collector, errno_of(failure.error)] += 1

    def time(self, seconds: float) -> None:
        """Take account of how long a scrape took."""
        self._seconds += seconds
        self._durations[fine_index(max(seconds, 1e-9))] += 1

    def samples(self, outcomes: Mapping[str, Outcome]) -> Iterator[Sample]:
        """Yield the metrics of a scrape with these outcomes."""
        for name, outcome in outcomes.items():
            if name not in self._series:
                self._series[name] = tuple(_series(name))
            values = (
                int(outcome.status in {"ok", "absent"}),
                int(outcome.status != "absent"),
                outcome.seconds,
                len(outcome.failures),
                self._cut[name],
                *(int(outcome.status == status) for status in STATUSES),
            )
            yield from map(Sample, self._series[name], values)
        for (name, error), count in sorted(self._errors.items()):
            yield READ_ERRORS.sample(count, collector=name, errno=error)
        yield SCRAPE_DURATION.sample(merge(self._durations, SECONDS_BOUNDS, self._seconds))
        yield self._build
