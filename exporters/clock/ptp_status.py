"""What ptp4l's answers mean: metrics, and when they have something to say."""

from collections.abc import Iterator

from exporters.clock.metrics import ERROR_BOUND, OFFSET, SYNCHRONIZED
from exporters.clock.ptp_answers import Answers
from exporters.clock.ptp_datasets import Parent, TimeProperties
from exporters.core import Kind, Metric, Sample, Unit

SOURCE = "ptp4l"

PORT_STATE = Metric(
    "ptp_port_state",
    Kind.INFO,
    Unit.NONE,
    "State of a port of ptp4l; its interface only where the socket can also write.",
    ("port", "interface", "state"),
)
GRANDMASTER = Metric(
    "ptp_grandmaster",
    Kind.INFO,
    Unit.NONE,
    "The grandmaster, which may be this clock itself, and the port that this clock listens to.",
    ("grandmaster", "parent", "clock_class", "accuracy"),
)
GRANDMASTER_PRESENT = Metric(
    "ptp_grandmaster_present",
    Kind.GAUGE,
    Unit.NONE,
    "Whether another clock is the grandmaster: 0 where this one is, or none is heard.",
)
STEPS_REMOVED = Metric(
    "ptp_steps_removed",
    Kind.GAUGE,
    Unit.NONE,
    "Hops to the grandmaster: 1 if no boundary clock stands between.",
)
PATH_DELAY = Metric(
    "ptp_mean_path_delay",
    Kind.GAUGE,
    Unit.SECONDS,
    "Mean delay of the way from the master of the last hop.",
)
RATE_OFFSET = Metric(
    "ptp_rate_offset",
    Kind.GAUGE,
    Unit.RATIO,
    "How much faster the grandmaster runs than this clock, less 1, as ptp4l sums it up.",
)
LAST_SYNC = Metric(
    "ptp_last_sync_timestamp",
    Kind.GAUGE,
    Unit.SECONDS,
    "When the last Sync came in, by the port's clock: TAI with time stamps of the hardware.",
)
GRANDMASTER_ERROR_BOUND = Metric(
    "ptp_error_bound",
    Kind.GAUGE,
    Unit.SECONDS,
    "The clock is off its grandmaster by at most so much; nothing beyond a boundary clock.",
)
UTC_OFFSET = Metric(
    "ptp_utc_offset",
    Kind.GAUGE,
    Unit.SECONDS,
    "TAI minus UTC by the grandmaster; nothing where it does not vouch for it.",
)
TIME_PROPERTIES = Metric(
    "ptp_time_properties",
    Kind.INFO,
    Unit.NONE,
    "What the grandmaster's time is, and where it has it from.",
    ("timescale", "traceable", "leap", "source"),
)
METRICS = (
    SYNCHRONIZED, OFFSET, ERROR_BOUND, PORT_STATE, GRANDMASTER, GRANDMASTER_PRESENT, STEPS_REMOVED,
    PATH_DELAY, RATE_OFFSET, LAST_SYNC, GRANDMASTER_ERROR_BOUND, UTC_OFFSET, TIME_PROPERTIES,
)  # fmt: skip

FOLLOWED_SECONDS = 1.0
"""A clock that is off by more has yet to be set, or takes UTC for TAI: it does not follow."""
REFERENCE_CLASSES = frozenset({6, 7, 13, 14})
"""clockClass of who has the time from elsewhere, holdover included: IEEE 1588-2019 table 4."""


FOLLOWING = frozenset({"uncalibrated", "slave"})
"""States of a port that listens to a master."""


def samples(answers: Answers) -> Iterator[Sample]:
    """Turn answers into values; what ptp4l did not tell is left out."""
    follows = synchronized(answers)
    if follows is not None:
        yield SYNCHRONIZED.sample(int(follows), source=SOURCE)
    for number, port in sorted(answers.ports.items()):
        interface = answers.interfaces.get(number, "")
        yield PORT_STATE.sample(1, port=str(number), interface=interface, state=port.state)
    yield from _of_the_grandmaster(answers)
    if answers.time_status and measured(answers):
        yield OFFSET.sample(answers.time_status.offset_seconds, source=SOURCE)
        yield RATE_OFFSET.sample(answers.time_status.rate_offset_ratio)
        yield LAST_SYNC.sample(answers.time_status.ingress_seconds)
        if answers.current:
            yield PATH_DELAY.sample(answers.current.mean_path_delay_seconds)
    yield from _bounds(answers)


def listens(answers: Answers) -> bool:
    """
    Whether another clock is the grandmaster and is heard.

    A ptp4l that may only be a slave (slaveOnly, clientOnly) names its last grandmaster, with
    gmPresent, long after that went away; its port then listens for another one.
    """
    present = answers.time_status is not None and answers.time_status.grandmaster_present
    states = {port.state for port in answers.ports.values()}
    return present and (not states or not states.isdisjoint(FOLLOWING))


def measured(answers: Answers) -> bool:
    """Whether the offset is one: a grandmaster is heard, and a Sync has come from it."""
    status = answers.time_status
    return status is not None and listens(answers) and status.ingress_seconds != 0


def synchronized(answers: Answers) -> bool | None:
    """
    Whether this clock follows a reference; None where ptp4l does not tell enough.

    As a follower: a port is a slave, and the offset is below a second. As the grandmaster: it has
    the time from elsewhere. A clock that promoted itself when its grandmaster went away has not.
    """
    status = answers.time_status
    if status is None or not answers.ports:
        return None
    if status.grandmaster_present:
        slave = any(port.state == "slave" for port in answers.ports.values())
        return slave and measured(answers) and abs(status.offset_seconds) < FOLLOWED_SECONDS
    return answers.parent is not None and answers.parent.clock_class in REFERENCE_CLASSES


def _of_the_grandmaster(answers: Answers) -> Iterator[Sample]:
    """Tell of the grandmaster that is heard, or of this clock where it is the grandmaster."""
    status = answers.time_status
    if status is None:
        return
    yield GRANDMASTER_PRESENT.sample(int(listens(answers)))
    if status.grandmaster_present and not listens(answers):
        return
    if answers.parent:
        yield _grandmaster(answers.parent)
    if answers.current:
        yield STEPS_REMOVED.sample(answers.current.steps_removed)
    if answers.time_properties:
        yield from _time_properties(answers.time_properties)


def _grandmaster(parent: Parent) -> Sample:
    known = parent.accuracy_seconds is not None
    return GRANDMASTER.sample(
        1,
        grandmaster=parent.grandmaster,
        parent=parent.port,
        clock_class=str(parent.clock_class),
        accuracy=f"{parent.accuracy_seconds:g}" if known else "unknown",
    )


def _bounds(answers: Answers) -> Iterator[Sample]:
    """
    Bound the error of a follower whose master is the grandmaster.

    The offset takes the way to be as long as the way back. The two together are twice the mean
    delay, so in the worst case it is wrong by the mean delay. What a boundary clock adds is not
    told. True time is within the grandmaster's accuracy besides, if that is told.
    """
    status, current = answers.time_status, answers.current
    if status is None or current is None or current.steps_removed != 1:
        return
    if not synchronized(answers) or not measured(answers):
        return
    bound = abs(status.offset_seconds) + abs(current.mean_path_delay_seconds)
    yield GRANDMASTER_ERROR_BOUND.sample(bound)
    if answers.parent and answers.parent.accuracy_seconds is not None:
        yield ERROR_BOUND.sample(bound + answers.parent.accuracy_seconds, source=SOURCE)


def _time_properties(said: TimeProperties) -> Iterator[Sample]:
    if said.utc_offset_seconds is not None:
        yield UTC_OFFSET.sample(said.utc_offset_seconds)
    yield TIME_PROPERTIES.sample(
        1,
        timescale="tai" if said.ptp_timescale else "arbitrary",
        traceable="true" if said.time_traceable else "false",
        leap=said.leap,
        source=said.source,
    )
