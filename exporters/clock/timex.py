"""
The kernel's own clock: followed or free, error bound, frequency, leap second, TAI offset, PPS.

From ``adjtimex`` (``exporters/clock/adjtimex.py``); what the bits mean: linux/timex.h and
kernel/time/ntp.c.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exporters.clock.adjtimex import PHASE_LIMIT, RECORDING, TIME_ERROR, Ask, Timex, source
from exporters.clock.metrics import ERROR_BOUND, METRICS, OFFSET, SYNCHRONIZED
from exporters.core import Collector, Failure, Kind, Metric, NoData, Root, Sample, Sensor, Unit

STATE = Metric(
    "kernel_clock_state",
    Kind.INFO,
    Unit.NONE,
    "The clock's state: a leap second that comes (insert, delete), goes on or was; or an error.",
    ("state",),
)
FLAG = Metric(
    "kernel_clock_flag",
    Kind.INFO,
    Unit.NONE,
    "A status bit (STA_*) of the kernel's clock that is set.",
    ("flag",),
)
ESTIMATED_ERROR = Metric(
    "kernel_clock_estimated_error",
    Kind.GAUGE,
    Unit.SECONDS,
    "What whoever steers the clock says that it is off by; nothing while that is unknown.",
)
FREQUENCY = Metric(
    "kernel_clock_frequency_adjustment",
    Kind.GAUGE,
    Unit.RATIO,
    "How much faster than its oscillator the clock is made to run: 1 for not at all.",
)
TICK = Metric(
    "kernel_clock_tick",
    Kind.GAUGE,
    Unit.SECONDS,
    "What the clock gains in each of its ticks: 0.01, unless it is steered coarsely.",
)
TAI_OFFSET = Metric(
    "kernel_clock_tai_offset",
    Kind.GAUGE,
    Unit.SECONDS,
    "TAI minus UTC as the kernel was told; nothing where it was not.",
)
PPS_FREQUENCY = Metric(
    "kernel_clock_pps_frequency",
    Kind.GAUGE,
    Unit.RATIO,
    "How far off the oscillator is by the pulse-per-second signal.",
)
PPS_JITTER = Metric(
    "kernel_clock_pps_jitter",
    Kind.GAUGE,
    Unit.SECONDS,
    "Jitter of the pulse-per-second signal.",
)
PPS_JITTER_EXCEEDED = Metric(
    "kernel_clock_pps_jitter_exceeded",
    Kind.COUNTER,
    Unit.NONE,
    "Pulses whose jitter was too large to be used.",
)
PPS_CALIBRATIONS = Metric(
    "kernel_clock_pps_calibrations", Kind.COUNTER, Unit.NONE, "Intervals of calibration by pulses."
)
PPS_ERRORS = Metric(
    "kernel_clock_pps_calibration_errors",
    Kind.COUNTER,
    Unit.NONE,
    "Intervals of calibration with pulses missing.",
)
PPS_WANDER_EXCEEDED = Metric(
    "kernel_clock_pps_wander_exceeded",
    Kind.COUNTER,
    Unit.NONE,
    "Intervals of calibration whose frequency was too far from the one before.",
)

STATES = ("ok", "insert", "delete", "in_progress", "wait", "error")
"""TIME_OK to TIME_ERROR."""
FLAGS = (
    "pll", "ppsfreq", "ppstime", "fll", "ins", "del", "unsync", "freqhold",
    "ppssignal", "ppsjitter", "ppswander", "ppserror", "clockerr", "nano", "mode", "clk",
)  # fmt: skip
"""STA_PLL (bit 0) to STA_CLK (bit 15)."""
_BIT = {name: 1 << number for number, name in enumerate(FLAGS)}
_CORRECTING = _BIT["pll"] | _BIT["fll"] | _BIT["ppstime"]
_SCALED_PPM = 65536 * 1e6
_MICRO, _NANO = 1e6, 1e9


def synchronized(timex: Timex) -> bool:
    """Whether the kernel takes its clock for synchronised."""
    return timex.state != TIME_ERROR and not timex.status & _BIT["unsync"]


def samples(timex: Timex) -> Iterator[Sample]:
    """
    Turn the kernel's answer into values.

    ``offset`` is what the kernel has yet to add, so the clock is ahead by its negative. Only the
    kernel's own loops use it: with chronyd, phc2sys or ntpd-rs, which steer by frequency, it stays
    0 whatever the clock is off by (ntpd-rs#2202).

    Raises:
        ValueError: the state is none that the kernel knows.
    """
    if not 0 <= timex.state < len(STATES):
        msg = f"no state of a clock: {timex.state}"
        raise ValueError(msg)
    follows = synchronized(timex)
    yield SYNCHRONIZED.sample(int(follows), source="kernel")
    if follows and timex.status & _CORRECTING:
        per_second = _NANO if timex.status & _BIT["nano"] else _MICRO
        # Subtracted from 0.0, as the negative of 0 would be shown as -0.
        yield OFFSET.sample(0.0 - timex.offset / per_second, source="kernel")
    if follows and 0 <= timex.maxerror < PHASE_LIMIT:
        yield ERROR_BOUND.sample(timex.maxerror / _MICRO, source="kernel")
    if follows and 0 <= timex.esterror < PHASE_LIMIT:
        yield ESTIMATED_ERROR.sample(timex.esterror / _MICRO)
    yield STATE.sample(1, state=STATES[timex.state])
    for name, bit in _BIT.items():
        if timex.status & bit:
            yield FLAG.sample(1, flag=name)
    yield FREQUENCY.sample(1 + timex.freq / _SCALED_PPM)
    yield TICK.sample(timex.tick / _MICRO)
    if timex.tai:
        yield TAI_OFFSET.sample(float(timex.tai))
    if timex.status & _BIT["ppssignal"]:
        yield from _pps(timex)


def _pps(timex: Timex) -> Iterator[Sample]:
    """Tell of the pulse-per-second signal; all is 0 while there is none."""
    per_second = _NANO if timex.status & _BIT["nano"] else _MICRO
    yield PPS_FREQUENCY.sample(timex.ppsfreq / _SCALED_PPM)
    yield PPS_JITTER.sample(timex.jitter / per_second)
    yield PPS_JITTER_EXCEEDED.sample(timex.jitcnt)
    yield PPS_CALIBRATIONS.sample(timex.calcnt)
    yield PPS_ERRORS.sample(timex.errcnt)
    yield PPS_WANDER_EXCEEDED.sample(timex.stbcnt)


@dataclass(frozen=True, slots=True)
class KernelClock:
    """The clock as the kernel tells of it."""

    ask: Ask
    where: str = "adjtimex"

    def read(self, root: Root) -> Sequence[Sample]:
        """Ask the kernel, or the recording."""
        del root
        return tuple(samples(self.ask()))


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Every machine has a clock; a recording of one may lack its state."""
    try:
        ask = source(root)
    except ValueError as error:
        yield Failure(f"replay/{RECORDING}", error)
        return
    if ask is None:
        msg = f"the recording has no replay/{RECORDING}"
        raise NoData(msg)
    yield KernelClock(ask)


COLLECTOR = Collector(
    "timex",
    (
        *METRICS, STATE, FLAG, ESTIMATED_ERROR, FREQUENCY, TICK, TAI_OFFSET, PPS_FREQUENCY,
        PPS_JITTER, PPS_JITTER_EXCEEDED, PPS_CALIBRATIONS, PPS_ERRORS, PPS_WANDER_EXCEEDED,
    ),
    discover,
    source="adjtimex(2)",
    advice=(
        "it needs no privilege: where it is refused, a seccomp profile blocks adjtimex; the default"
        " profiles allow it since moby#33126 (Docker) and containerd#4492, so update the runtime"
    ),
)  # fmt: skip
