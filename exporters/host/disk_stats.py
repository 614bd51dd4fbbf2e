"""
The text of ``/proc/diskstats``: one line for each block device, be it a disk or a part of one.

https://docs.kernel.org/admin-guide/iostats.html. A line has 11 counters; 15 since Linux 4.18 with
those of discards, 17 since 5.5 with those of flushes. A sector is 512 bytes on every device.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from operator import lt
from typing import NamedTuple

from exporters.core import Kind, Metric, Unit

_LABELS = ("device",)
_SECTOR_BYTES = 512
_MILLISECONDS = 1000
_LEAST, _MOST_DIGITS = 11, 20
# Times are 64 bits of nanoseconds in the kernel and printed as 32 bits of milliseconds.
_WRAPS_AT = 2**32


def _counter(subject: str, unit: Unit, text: str) -> Metric:
    return Metric(subject, Kind.COUNTER, unit, text, _LABELS)


FIELDS = (
    _counter("disk_reads_completed", Unit.NONE, "Reads that the device has completed."),
    _counter("disk_reads_merged", Unit.NONE, "Reads merged into another before they were sent."),
    _counter("disk_read", Unit.BYTES, "Bytes read from the device."),
    _counter("disk_read_time", Unit.SECONDS, "Time of all reads, each from queueing to end."),
    _counter("disk_writes_completed", Unit.NONE, "Writes that the device has completed."),
    _counter("disk_writes_merged", Unit.NONE, "Writes merged into another before they were sent."),
    _counter("disk_written", Unit.BYTES, "Bytes written to the device."),
    _counter("disk_write_time", Unit.SECONDS, "Time of all writes, each from queueing to end."),
    Metric("disk_io_now", Kind.GAUGE, Unit.NONE, "Requests that are not yet completed.", _LABELS),
    _counter("disk_io_time", Unit.SECONDS, "Time in which the device had any request."),
    _counter(
        "disk_io_time_weighted",
        Unit.SECONDS,
        "Time of all requests, also of those that wait.",
    ),
    _counter("disk_discards_completed", Unit.NONE, "Discards that the device has completed."),
    _counter("disk_discards_merged", Unit.NONE, "Discards merged into another."),
    _counter("disk_discarded", Unit.BYTES, "Bytes discarded on the device."),
    _counter(
        "disk_discard_time",
        Unit.SECONDS,
        "Time of all discards, each from queueing to end.",
    ),
    _counter("disk_flush_requests", Unit.NONE, "Flushes of its cache that the device completed."),
    _counter(
        "disk_flush_requests_time",
        Unit.SECONDS,
        "Time of all flushes, each from queueing to end.",
    ),
)
"""The columns of a line, in its order."""

IO_NOW = next(at for at, field in enumerate(FIELDS) if field.kind is Kind.GAUGE)
"""The column that is a level, not a count."""

_BYTES, _TIMES = (
    tuple(at for at, field in enumerate(FIELDS) if field.unit is unit)
    for unit in (Unit.BYTES, Unit.SECONDS)
)
_REQUESTS = tuple(at for at, field in enumerate(FIELDS) if "completed" in field.subject)


class Device(NamedTuple):
    """Which device a line is about; a number given again to another name is another device."""

    name: str
    major: str
    minor: str


def parse_lines(text: str) -> dict[Device, str]:
    """
    Return the columns of each device, not yet parsed.

    Raises:
        ValueError: a line is not of its form.
    """
    found = {}
    for line in text.split("\n"):
        words = line.split(None, len(Device._fields))
        if not (
            len(words) == len(Device._fields) + 1
            and (words[0] + words[1]).isdecimal()
            and words[2].isprintable()
        ):
            msg = f"wants major, minor, name and counters: {line[:80]!r}"
            raise ValueError(msg)
        found[Device(words[2], words[0], words[1])] = words[3]
    return found


def parse_columns(text: str) -> tuple[int, ...]:
    """
    Return the columns that FIELDS names, as the kernel counts; of later kernels no others.

    Raises:
        ValueError: they are not at least the 11 that every kernel prints.
    """
    words = text.split()[: len(FIELDS)]
    digits = "".join(words)
    if not (
        len(words) >= _LEAST
        and digits.isdecimal()
        and digits.isascii()
        and max(map(len, words)) <= _MOST_DIGITS
    ):
        msg = f"wants {_LEAST} to {len(FIELDS)} counters: {text[:80]!r}"
        raise ValueError(msg)
    return tuple(map(int, words))


def in_units(columns: Sequence[int]) -> tuple[float, ...]:
    """Return columns in the units of FIELDS."""
    scaled: list[float] = list(columns)
    for at in _there(_BYTES, columns):
        scaled[at] *= _SECTOR_BYTES
    for at in _there(_TIMES, columns):
        scaled[at] /= _MILLISECONDS
    return tuple(scaled)


def _there(places: Sequence[int], columns: Sequence[int]) -> Iterator[int]:
    """Return which of these columns the kernel has."""
    return takewhile(len(columns).__gt__, places)


class Counters:
    """One device's counters, whose times go on where the kernel's begin at 0 again."""

    def __init__(self) -> None:
        self._text = ""
        self._last: Sequence[int] = ()
        self._wraps: dict[int, int] = {}
        self._values: Sequence[float] = ()

    def look(self, text: str) -> Sequence[float]:
        """
        Return the values of FIELDS, or of the first of them where the kernel has fewer.

        Raises:
            ValueError: as ``parse_columns``.
        """
        if text != self._text:
            now = parse_columns(text)
            if len(now) != len(self._last):
                self._wraps = {}
            elif any(map(lt, now, self._last)):
                self._fall(now)
            whole = list(now)
            for at, turns in self._wraps.items():
                whole[at] += turns * _WRAPS_AT
            self._values = in_units(whole)
            self._text, self._last = text, now
        return self._values

    def _fall(self, now: Sequence[int]) -> None:
        """Count the times that fell by more than half; with fewer requests it is another device."""
        if any(now[at] < self._last[at] for at in _there(_REQUESTS, now)):
            self._wraps = {}
            return
        for at in _there(_TIMES, now):
            if self._last[at] - now[at] > _WRAPS_AT // 2:
                self._wraps[at] = self._wraps.get(at, 0) + 1
