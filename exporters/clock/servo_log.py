"""
The servos of ptp4l, phc2sys and ts2phc, by the messages that they log: nothing else tells of them.

linuxptp prints ``PROGRAM[SECONDS]: [TAG] CLOCK offset N sS freq F``, with the seconds of
CLOCK_MONOTONIC; syslog and journald put their own before it. With a summary interval the lines
carry rms and max, and neither the offset nor the state. linuxptp: print.c, clock.c, phc2sys.c,
ts2phc.c, servo.h.
"""

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from exporters.clock.options import ClockOptions
from exporters.core import Collector, Kind, Metric, NoData, Root, Sample, Sensor, Unit
from exporters.hardware.facts import tidy

LABELS = ("program", "instance", "clock")
STATE = Metric(
    "ptp_servo_state",
    Kind.INFO,
    Unit.NONE,
    "State of the servo that a program of linuxptp steers a clock by, as it logged it last.",
    (*LABELS, "state"),
)
OFFSET = Metric(
    "ptp_servo_offset",
    Kind.GAUGE,
    Unit.SECONDS,
    "How far the steered clock was ahead of its reference when the program logged it last.",
    LABELS,
)

STATES = ("unlocked", "jump", "locked", "locked_stable")
"""s0 to s3: enum servo_state of linuxptp's servo.h."""
FRESH_SECONDS = 30.0
"""A line counts for so long; the programs log once a second, or more often, by default."""
MOST_SERVOS = 16
_TAIL_BYTES = 8192
# "ptp4l[12.345]: " of linuxptp itself, or "ptp4l[PID]: [12.345] " and "ptp4l: [12.345] " of syslog.
_LINE = re.compile(
    r"\b(ptp4l|phc2sys|ts2phc)(?:\[(\d{1,12}\.\d{3})\]: |(?:\[\d+\])?: \[(\d{1,12}\.\d{3})\] )"
    r"(?:\[([^\]]*)\] )?(?:(\S+) )?(?:phc |sys |master )?"
    r"offset +(-?\d{1,19}) s([0-3]) freq "
)
_NANO = 1e9


class Line(NamedTuple):
    """What one message says of a servo."""

    program: str
    instance: str
    """What the configuration has for ``message_tag``; empty without."""
    clock: str
    """What is steered: empty for ptp4l, which steers one clock."""
    monotonic: float
    offset_seconds: float
    state: str


def parse_line(text: str) -> Line | None:
    """Return what a line says of a servo, or None where it says nothing of one."""
    found = _LINE.search(text)
    return None if found is None else _line(found)


def _line(found: re.Match[str]) -> Line:
    program, own, syslogged, tag, clock, offset, state = found.groups()
    return Line(
        program,
        tidy(tag or ""),
        "" if program == "ptp4l" else tidy(clock or ""),
        float(own or syslogged),
        int(offset) / _NANO,
        STATES[int(state)],
    )


def latest(text: str, now: float) -> list[Line]:
    """
    Return the last line of each servo that is fresh.

    Args:
        text: the end of the log.
        now: seconds of CLOCK_MONOTONIC; a line from later than that is from before a reboot.
    """
    fresh: dict[tuple[str | None, ...], Line] = {}
    for found in filter(None, map(_LINE.search, reversed(text.splitlines()))):
        servo = found.group(1, 4, 5)
        if servo in fresh:
            continue
        line = _line(found)
        if len(fresh) < MOST_SERVOS and 0 <= now - line.monotonic <= FRESH_SECONDS:
            fresh[servo] = line
    # Made labels, two names may be one: the newest counts, which came first.
    return sorted({line[:3]: line for line in reversed(fresh.values())}.values())


@dataclass(frozen=True, slots=True)
class Log:
    """A file of messages."""

    where: str

    def read(self, root: Root) -> Sequence[Sample]:
        """Read its end; nothing where no servo has said anything of late."""
        return tuple(_samples(self.lines(root)))

    def lines(self, root: Root) -> list[Line]:
        """
        Return the servos' last lines.

        Raises:
            OSError: the log cannot be read.
            ValueError: the time since boot of a recording is none.
        """
        return latest(root.tail(self.where, _TAIL_BYTES).decode(errors="replace"), _now(root))


def _samples(lines: Sequence[Line]) -> Iterator[Sample]:
    for line in lines:
        labels = {
            "program": line.program,
            "instance": line.instance,
            "clock": line.clock,
        }
        yield STATE.sample(1, **labels, state=line.state)
        yield OFFSET.sample(line.offset_seconds, **labels)


def _now(root: Root) -> float:
    """Return CLOCK_MONOTONIC; of a recording the time since its boot, which is the same."""
    if root.live:
        return time.monotonic()
    return float(root.read("proc/uptime").split(maxsplit=1)[0])


@dataclass(frozen=True, slots=True)
class ServoLog:
    """Looks for the log that the options name."""

    options: ClockOptions

    def discover(self, root: Root) -> Iterator[Sensor]:
        """Give the log; without it, or with nothing fresh in it, nothing is known of servos."""
        if not self.options.log_file:
            msg = "no log of ptp4l and phc2sys is named: ptp4l does not tell it otherwise"
            raise NoData(msg)
        log = Log(self.options.log_file.lstrip("/"))
        if not root.exists(log.where):
            msg = f"no such file: {self.options.log_file}"
            raise NoData(msg)
        yield log


def collector(options: ClockOptions) -> Collector:
    """Return the collector of the servos that the log tells of."""
    return Collector(
        "ptp_servo",
        (STATE, OFFSET),
        ServoLog(options).discover,
        source="the log of ptp4l and phc2sys",
        advice=(
            "name a file that has the messages of ptp4l and phc2sys with --ptp4l.log-file (systemd:"
            " StandardOutput=append:FILE), readable to the agent, with summary_interval 0 and"
            " without phc2sys -u, which print no state"
        ),
    )
