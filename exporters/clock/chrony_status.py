"""What chronyd's replies mean: metrics, and when they have something to say."""

from collections.abc import Callable, Iterator
from operator import attrgetter

from exporters.clock.chrony_messages import (
    LEAPS,
    LOCAL,
    NO_REFERENCE,
    UNSYNCHRONIZED,
    Activity,
    Tracking,
)
from exporters.clock.metrics import ERROR_BOUND, OFFSET, SYNCHRONIZED
from exporters.core import Kind, Metric, Sample, Series, Unit
from exporters.hardware.facts import tidy

SOURCE = "chrony"

REFERENCE = Metric(
    "chrony_reference",
    Kind.INFO,
    Unit.NONE,
    "What chronyd follows: a server's address, the name of a reference clock, or local.",
    ("reference", "reference_id"),
)
LEAP = Metric(
    "chrony_leap",
    Kind.INFO,
    Unit.NONE,
    "Leap second at the end of the day (insert, delete) or none; or unsynchronized.",
    ("leap",),
)
STRATUM = Metric(
    "chrony_stratum",
    Kind.GAUGE,
    Unit.NONE,
    "Hops to a reference clock: 1 where it is attached to this node.",
)
LAST_OFFSET = Metric(
    "chrony_last_offset",
    Kind.GAUGE,
    Unit.SECONDS,
    "How far chronyd's time was ahead of its sources when it was last set right.",
)
RMS_OFFSET = Metric(
    "chrony_rms_offset", Kind.GAUGE, Unit.SECONDS, "Long-term average of these offsets."
)
FREQUENCY = Metric(
    "chrony_frequency",
    Kind.GAUGE,
    Unit.RATIO,
    "How much too fast the clock would run if it were not corrected.",
)
RESIDUAL_FREQUENCY = Metric(
    "chrony_residual_frequency",
    Kind.GAUGE,
    Unit.RATIO,
    "By how much the reference says that the frequency should be another one.",
)
SKEW = Metric("chrony_skew", Kind.GAUGE, Unit.RATIO, "Error bound of the frequency.")
ROOT_DELAY = Metric(
    "chrony_root_delay",
    Kind.GAUGE,
    Unit.SECONDS,
    "Delay of the network there and back, summed up to the reference clock.",
)
ROOT_DISPERSION = Metric(
    "chrony_root_dispersion",
    Kind.GAUGE,
    Unit.SECONDS,
    "Dispersion summed up to the reference clock; it grows until the reference is heard again.",
)
UPDATE_INTERVAL = Metric(
    "chrony_update_interval", Kind.GAUGE, Unit.SECONDS, "Time between the last two updates."
)
REFERENCE_TIMESTAMP = Metric(
    "chrony_reference_timestamp",
    Kind.GAUGE,
    Unit.SECONDS,
    "When the last measurement of the reference was taken in.",
)
SOURCES = Metric(
    "chrony_sources",
    Kind.GAUGE,
    Unit.NONE,
    "Sources by state; online says that they are asked, not that they answer.",
    ("state",),
)
METRICS = (
    SYNCHRONIZED, OFFSET, ERROR_BOUND, REFERENCE, LEAP, STRATUM, LAST_OFFSET, RMS_OFFSET, FREQUENCY,
    RESIDUAL_FREQUENCY, SKEW, ROOT_DELAY, ROOT_DISPERSION, UPDATE_INTERVAL, REFERENCE_TIMESTAMP,
    SOURCES,
)  # fmt: skip


# Made once, as each scrape gives all of them.
_SYNCHRONIZED, _OFFSET, _BOUND = (
    metric.series(source=SOURCE) for metric in (SYNCHRONIZED, OFFSET, ERROR_BOUND)
)
_LEAPS = {leap: LEAP.series(leap=leap) for leap in LEAPS}
_NUMBERS: tuple[tuple[Series, Callable[[Tracking], float]], ...] = tuple(
    (metric.series(), attrgetter(name))
    for metric, name in (
        (LAST_OFFSET, "last_offset_seconds"),
        (RMS_OFFSET, "rms_offset_seconds"),
        (FREQUENCY, "frequency_ratio"),
        (RESIDUAL_FREQUENCY, "residual_frequency_ratio"),
        (SKEW, "skew_ratio"),
        (ROOT_DELAY, "root_delay_seconds"),
        (ROOT_DISPERSION, "root_dispersion_seconds"),
        (REFERENCE_TIMESTAMP, "reference_timestamp"),
    )
)
_SOURCES = tuple(SOURCES.series(state=state) for state in Activity._fields)


def synchronized(tracking: Tracking) -> bool:
    """
    Whether chronyd follows a reference.

    With ``local`` and no source it says that all is well and serves time: its own clock's.
    """
    referred = tracking.reference_id not in {NO_REFERENCE, LOCAL}
    return referred and tracking.leap != UNSYNCHRONIZED


def tracking_samples(tracking: Tracking) -> Iterator[Sample]:
    """
    Turn TRACKING into values.

    Without a reference its numbers are fillers (0; 1 s for root delay and dispersion), and are
    left out. The offset is positive where the clock is ahead, chronyd's where it is behind.
    """
    follows = synchronized(tracking)
    yield Sample(_SYNCHRONIZED, int(follows))
    yield Sample(_LEAPS[tracking.leap], 1)
    if tracking.reference_id != NO_REFERENCE:
        yield STRATUM.sample(tracking.stratum)
        identity = f"{tracking.reference_id:08X}"
        yield REFERENCE.sample(1, reference=reference(tracking), reference_id=identity)
    if not follows:
        return
    # Subtracted from 0.0, as the negative of 0 would be shown as -0.
    yield Sample(_OFFSET, 0.0 - tracking.correction_seconds)
    yield Sample(_BOUND, bound_seconds(tracking))
    for series, number in _NUMBERS:
        yield Sample(series, number(tracking))
    if tracking.update_interval_seconds:
        # 0 until there have been two.
        yield UPDATE_INTERVAL.sample(tracking.update_interval_seconds)


def bound_seconds(tracking: Tracking) -> float:
    """Return how far the clock is off true time at most, by ``chronyc(1)``, Root dispersion."""
    there = tracking.root_delay_seconds / 2
    return abs(tracking.correction_seconds) + tracking.root_dispersion_seconds + there


def reference(tracking: Tracking) -> str:
    """Return the reference's address, or for a reference clock the name that its ID spells."""
    if tracking.reference_id == LOCAL:
        return "local"
    spelled = tracking.reference_id.to_bytes(4, "big").rstrip(b"\0").decode("ascii", "replace")
    return tracking.address or tidy(spelled)


def activity_samples(activity: Activity) -> Iterator[Sample]:
    """Turn ACTIVITY into values."""
    return map(Sample, _SOURCES, activity)
