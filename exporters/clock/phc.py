"""
PTP hardware clocks (PHC): what they are, and how far they are from the system clock.

From ``/sys/class/ptp`` (Documentation/ABI/testing/sysfs-ptp) and ``/dev/ptpN``.
"""

import errno
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from exporters.clock import adjtimex
from exporters.clock.phc_ioctl import Reading, ask, parse_offsets
from exporters.clock.recorded import check, current, moment
from exporters.core import Collector, Failure, Kind, Metric, NoData, Root, Sample, Sensor, Unit
from exporters.core.replay import ReplayRoot
from exporters.hardware.facts import Facts, tidy
from exporters.hardware.known import Known
from exporters.hardware.numbers import integer

FOLDER = "sys/class/ptp"
RECORDING = "phc"

INFO = Metric(
    "ptp_clock",
    Kind.INFO,
    Unit.NONE,
    "A PTP hardware clock: its name by the driver, and the interfaces that it is part of.",
    ("clock", "name", "interface"),
)
MAX_ADJUSTMENT = Metric(
    "ptp_clock_max_frequency_adjustment",
    Kind.GAUGE,
    Unit.RATIO,
    "How much faster or slower than by itself the clock can be made to run, at most.",
    ("clock",),
)
OFFSET = Metric(
    "ptp_clock_offset",
    Kind.GAUGE,
    Unit.SECONDS,
    "How far the clock is ahead of the system clock, by TAI where it keeps TAI.",
    ("clock", "timescale"),
)
UNCERTAINTY = Metric(
    "ptp_clock_offset_uncertainty",
    Kind.GAUGE,
    Unit.SECONDS,
    "By how much that offset may be wrong at most, since the clocks cannot be read at once.",
    ("clock",),
)

_NANO = 1e9
_NANO_OF_A_SECOND = 1_000_000_000
_PER_BILLION = 1e9


def timescale(offset_ns: int, tai_seconds: int) -> tuple[str, int]:
    """
    Return which time a hardware clock keeps, and its offset to the system clock in that time.

    ``tai``: closer to TAI than to the system clock's UTC. ``utc``: the other way. ``unknown``, with
    the offset as it is, where the kernel was not told TAI minus UTC (``tai_seconds`` is 0).
    """
    if not tai_seconds:
        return "unknown", offset_ns
    to_tai = offset_ns - tai_seconds * _NANO_OF_A_SECOND
    return ("tai", to_tai) if abs(to_tai) < abs(offset_ns) else ("utc", offset_ns)


@dataclass(frozen=True, slots=True)
class Clock:
    """One hardware clock, compared with the system clock."""

    name: str
    """Such as ptp0."""
    where: str
    answer: Callable[[], bytes]
    timex: adjtimex.Ask | None

    def read(self, root: Root) -> Sequence[Sample]:
        """Compare them now."""
        del root
        return self.samples(parse_offsets(self.answer()), self._tai())

    def samples(self, reading: Reading, tai_seconds: int) -> Sequence[Sample]:
        """Turn a comparison into values."""
        scale, offset = timescale(reading.offset_ns, tai_seconds)
        return (
            OFFSET.sample(offset / _NANO, clock=self.name, timescale=scale),
            UNCERTAINTY.sample(reading.window_ns / 2 / _NANO, clock=self.name),
        )

    def _tai(self) -> int:
        try:
            return self.timex().tai if self.timex else 0
        except OSError:
            return 0  # the collector timex says why


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the clocks."""
    names = [name for name in root.names(FOLDER) if name.startswith("ptp")]
    if not names:
        msg = f"no PTP hardware clock: /{FOLDER} has none"
        raise NoData(msg)
    try:
        timex = adjtimex.source(root)
    except ValueError:
        timex = None  # the collector timex says why
    for name in names:
        yield from _describe(root, name)
        found = _clock(root, name, timex)
        if found:
            yield found


def _describe(root: Root, name: str) -> Iterator[Sensor | Failure]:
    facts = Facts(root)
    folder = f"{FOLDER}/{name}"
    interfaces = facts.names(f"{folder}/device/net")
    labels = {
        "clock": tidy(name),
        "name": facts.first(f"{folder}/clock_name"),
        "interface": tidy(" ".join(interfaces)),
    }
    samples = [INFO.sample(1, **labels)]
    path = f"{folder}/max_adjustment"
    try:
        most = integer(root.read(path))
        samples.append(MAX_ADJUSTMENT.sample(most / _PER_BILLION, clock=tidy(name)))
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        yield Failure(path, error)
    yield from facts.failures
    yield Known(folder, tuple(samples))


def _clock(root: Root, name: str, timex: adjtimex.Ask | None) -> Clock | None:
    """Return the clock as it can be asked; None where a recording has no answer of it."""
    if root.live:
        device = f"/dev/{name}"
        return Clock(tidy(name), device, lambda: ask(device), timex)
    if not isinstance(root, ReplayRoot) or name not in _recorded(root):
        return None
    return Clock(tidy(name), f"replay/{RECORDING}/{name}", lambda: _replayed(root, name), timex)


def _recorded(root: ReplayRoot) -> dict[str, bytes]:
    """Return by the clocks' names what has been answered by now."""
    said = current(root.messages(RECORDING), root.elapsed())
    return {moment(file)[0]: answer for file, answer in said.items()}


def _replayed(root: ReplayRoot, name: str) -> bytes:
    answer = _recorded(root).get(name)
    if answer is None:
        raise OSError(errno.ENODEV, os.strerror(errno.ENODEV), name)
    return answer


def check_recording(files: Mapping[str, bytes]) -> None:
    """
    Check the answers of ``replay/phc``: ``ptpN.bin`` holds what either ioctl gave, or nothing.

    Raises:
        ValueError: a file is something else; the text says which.
    """
    check(files, parse_offsets)


COLLECTOR = Collector(
    "ptp_clock",
    (INFO, MAX_ADJUSTMENT, OFFSET, UNCERTAINTY),
    discover,
    source=f"/{FOLDER}/ptp*",
    advice=(
        '/dev/ptpN must be there and readable: a udev rule SUBSYSTEM=="ptp", GROUP="tailsight",'
        ' MODE="0640"; in a container --device /dev/ptpN:/dev/ptpN:r; without any clock, the'
        " network card has none, or its driver lacks CONFIG_PTP_1588_CLOCK"
    ),
)
