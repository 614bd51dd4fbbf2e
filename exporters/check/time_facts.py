"""What one scrape of the collectors of time, and a look at the processes, tell of the clock."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from exporters.check.daemons import Daemons
from exporters.clock import (
    chrony_sources,
    chrony_status,
    metrics,
    phc,
    ptp_status,
    servo_log,
    timex,
)
from exporters.core.histogram import HistogramValue
from exporters.core.metric import Metric, Sample
from exporters.core.task import Outcome


@dataclass(frozen=True, slots=True)
class Source:
    """What a source of time says of the clock; None of what it does not tell."""

    synchronized: bool | None = None
    offset: float | None = None
    """Seconds ahead of its reference."""
    bound: float | None = None
    """Seconds that the clock is off true time by, at most."""

    @property
    def answers(self) -> bool:
        """Whether it says anything."""
        return self.synchronized is not None


class Port(NamedTuple):
    """A port of ptp4l."""

    port: str
    interface: str
    state: str


class Phc(NamedTuple):
    """A PTP hardware clock against the system clock."""

    clock: str
    timescale: str
    offset: float
    """Seconds ahead of the system clock, without TAI minus UTC where it keeps TAI."""
    uncertainty: float
    interface: str = ""
    """Of the network; empty where it is part of none."""


class Servo(NamedTuple):
    """The state of a servo by the log."""

    program: str
    clock: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockFacts:
    """All that is known."""

    kernel: Source = Source()
    ptp4l: Source = Source()
    chrony: Source = Source()
    ptp_bound: float | None = None
    """Seconds that ptp4l's clock is off its grandmaster by, at most."""
    ports: Sequence[Port] = ()
    grandmaster_present: bool | None = None
    utc_offset: float | None = None
    """TAI minus UTC by the grandmaster."""
    tai: float | None = None
    """TAI minus UTC as the kernel was told."""
    last_sync: float | None = None
    """When ptp4l last heard a Sync, by the clock that stamped it."""
    now: float = 0.0
    """The system clock's time."""
    phcs: Sequence[Phc] = ()
    servos: Sequence[Servo] = ()
    root_dispersion: float | None = None
    """Of chrony, in seconds; a part of its bound."""
    root_delay: float | None = None
    """Of chrony, in seconds; half of it is a part of its bound."""
    reference: str = ""
    """What chrony names as its reference."""
    ntp_sources: Mapping[str, int] = field(default_factory=dict)
    """How many NTP sources chrony has, by their state."""
    reachable: int | None = None
    """How many of all of chrony's sources answer."""
    selection: Mapping[str, int] = field(default_factory=dict)
    """How many sources chrony has, by what it makes of them."""
    leap: str = ""
    """``insert`` or ``delete`` where a leap second comes today."""
    trouble: Mapping[str, str] = field(default_factory=dict)
    """Why a collector that found something to ask has no answer, by its name."""
    daemons: Daemons | None = None
    """Programs that keep time; None where processes are not to be seen."""

    def runs(self, name: str) -> bool:
        """Whether a program is seen to run."""
        return name in (self.daemons or {})


Values = dict[str, list[tuple[Mapping[str, str], float]]]


def gather(outcomes: Mapping[str, Outcome], daemons: Daemons | None, now: float) -> ClockFacts:
    """Return what the outcomes of a scrape say, which ended at that time."""
    values = _values(sample for outcome in outcomes.values() for sample in outcome.samples)
    reachable = _counts(values, chrony_sources.REACHABLE, "mode")
    present = _one(values, ptp_status.GRANDMASTER_PRESENT)
    return ClockFacts(
        kernel=_source(values, "kernel"),
        ptp4l=_source(values, "ptp4l"),
        chrony=_source(values, "chrony"),
        ptp_bound=_one(values, ptp_status.GRANDMASTER_ERROR_BOUND),
        ports=[
            Port(labels["port"], labels["interface"], labels["state"])
            for labels, _ in _all(values, ptp_status.PORT_STATE)
        ],
        grandmaster_present=None if present is None else bool(present),
        utc_offset=_one(values, ptp_status.UTC_OFFSET),
        tai=_one(values, timex.TAI_OFFSET),
        last_sync=_one(values, ptp_status.LAST_SYNC),
        now=now,
        phcs=list(_phcs(values)),
        servos=[
            Servo(labels["program"], labels["clock"], labels["state"])
            for labels, _ in _all(values, servo_log.STATE)
        ],
        root_dispersion=_one(values, chrony_status.ROOT_DISPERSION),
        root_delay=_one(values, chrony_status.ROOT_DELAY),
        reference=next(_told(values, chrony_status.REFERENCE, "reference"), ""),
        ntp_sources=_counts(values, chrony_status.SOURCES, "state"),
        reachable=sum(reachable.values()) if reachable else None,
        selection=_counts(values, chrony_sources.SELECTION, "state"),
        leap=next(filter({"insert", "delete"}.__contains__, _leaps(values)), ""),
        trouble=dict(_trouble(outcomes)),
        daemons=daemons,
    )


def _values(samples: Iterable[Sample]) -> Values:
    found: Values = {}
    for series, value in samples:
        if not isinstance(value, HistogramValue):
            labels = dict(zip(series.metric.labels, series.values, strict=True))
            found.setdefault(series.metric.name, []).append((labels, value))
    return found


def _phcs(values: Values) -> Iterator[Phc]:
    uncertain = {labels["clock"]: value for labels, value in _all(values, phc.UNCERTAINTY)}
    interface = {labels["clock"]: labels["interface"] for labels, _ in _all(values, phc.INFO)}
    for labels, value in _all(values, phc.OFFSET):
        clock = labels["clock"]
        found = (uncertain.get(clock, 0.0), interface.get(clock, ""))
        yield Phc(clock, labels["timescale"], value, *found)


def _leaps(values: Values) -> Iterator[str]:
    """Yield what each says of a leap second: not all who keep time tell the kernel."""
    yield from _told(values, timex.STATE, "state")
    yield from _told(values, chrony_status.LEAP, "leap")
    yield from _told(values, ptp_status.TIME_PROPERTIES, "leap")


def _counts(values: Values, metric: Metric, label: str) -> dict[str, int]:
    return {labels[label]: int(value) for labels, value in _all(values, metric)}


def _told(values: Values, metric: Metric, label: str) -> Iterator[str]:
    return (labels[label] for labels, _ in _all(values, metric))


def _all(values: Values, metric: Metric) -> list[tuple[Mapping[str, str], float]]:
    return values.get(metric.name, [])


def _one(values: Values, metric: Metric, source: str = "") -> float | None:
    return next(
        (
            value
            for labels, value in _all(values, metric)
            if not source or labels["source"] == source
        ),
        None,
    )


def _source(values: Values, name: str) -> Source:
    synchronized = _one(values, metrics.SYNCHRONIZED, name)
    return Source(
        None if synchronized is None else bool(synchronized),
        _one(values, metrics.OFFSET, name),
        _one(values, metrics.ERROR_BOUND, name),
    )


def _trouble(outcomes: Mapping[str, Outcome]) -> Iterable[tuple[str, str]]:
    for name, outcome in outcomes.items():
        for failure in outcome.failures:
            error = failure.error
            said = getattr(error, "strerror", None) or str(error)
            yield name, f"{failure.where}: {said}"
            break
        else:
            if outcome.status in {"error", "timeout"}:
                yield name, outcome.reason
