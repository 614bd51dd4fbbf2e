"""
Messages of chronyd's command and monitoring protocol, version 6: a request and its reply.

chrony: candm.h (structures, codes), util.c (its floating-point format). All numbers big-endian.
"""

import ipaddress
import math
import struct
from enum import IntEnum
from typing import NamedTuple

# Version, packet type, command, attempt, sequence.
_REQUEST = struct.Struct(">BB2xHHI8x")
# Version, packet type, command, reply, status, sequence.
_REPLY = struct.Struct(">BB2xHHH6xI8x")
# Reference: ID, address, family of the address; stratum, leap status; time: high, low, ns; numbers.
_TRACKING = struct.Struct(">I16sH2xHHIII9I")
# Online, offline, burst and then online, burst and then offline, unresolved.
_ACTIVITY = struct.Struct(">5i")
SOURCE_COUNT = struct.Struct(">I")
# Address; poll interval, stratum, state, mode, flags, reachability, age of the sample; numbers.
SOURCE = struct.Struct(">20xhHHHHHI3I")
# The number of a source.
_INDEX = struct.Struct(">i")

_VERSION = 6
_TYPE_REQUEST, _TYPE_REPLY = 1, 2
_NULL, _SUCCESS = 1, 0
_IPV4, _IPV6 = 1, 2
_IPV4_BYTES = 4
_NO_HIGH_WORD = 0x7FFFFFFF
_NANO = 1_000_000_000
_PER_MILLION = 1e6
_COEFFICIENT_BITS, _EXPONENT_BITS = 25, 7

MOST_BYTES = 1500
"""Of a reply; the longest that chronyd sends is below 600."""
UNSYNCHRONIZED = "unsynchronized"
LEAPS = ("none", "insert", "delete", UNSYNCHRONIZED)
"""Leap status 0 to 3, as in NTP (RFC 5905, figure 9)."""
NO_REFERENCE, LOCAL = 0, 0x7F7F0101
"""Reference IDs of who has none, and of who takes its own clock for one (``local``)."""
_MOST_STRATUM = 16


class Command(IntEnum):
    """What can be asked for. chronyd permits all over UDP (but see its ``opencommands``)."""

    SOURCE_COUNT = 14
    SOURCE = 15
    TRACKING = 33
    ACTIVITY = 44


_FORMS = {
    Command.SOURCE_COUNT: (2, SOURCE_COUNT),
    Command.SOURCE: (3, SOURCE),
    Command.TRACKING: (5, _TRACKING),
    Command.ACTIVITY: (12, _ACTIVITY),
}
"""Code and form of what a successful reply holds."""
NO_SUCH_SOURCE = "no such source"
STATUSES = {
    1: "failed",
    2: "not permitted",
    3: "no such command",
    4: NO_SUCH_SOURCE,
    6: "not enabled",
    18: "another version of the protocol",
    19: "wrong length of the request",
}
"""Why a request is refused: those of candm.h that can come of these commands."""


class Reply(NamedTuple):
    """A reply to one of the commands."""

    command: Command
    sequence: int
    data: bytes
    """Empty where it was refused."""
    error: str = ""
    """Why it was refused."""

    def content(self) -> bytes:
        """
        Return the data.

        Raises:
            ValueError: the request was refused.
        """
        if self.error:
            msg = f"chronyd refuses {self.command.name.lower()}: {self.error}"
            raise ValueError(msg)
        return self.data


class Tracking(NamedTuple):
    """How chronyd follows its reference."""

    reference_id: int
    address: str
    """Of the reference; empty where it is no NTP server."""
    stratum: int
    leap: str
    """One of ``LEAPS``."""
    reference_timestamp: float
    """When the reference was last heard, in seconds since 1970."""
    correction_seconds: float
    """What the system clock is behind chronyd's idea of true time."""
    last_offset_seconds: float
    """How far the clock was ahead of the sources when it was last set right."""
    rms_offset_seconds: float
    frequency_ratio: float
    """How much too fast the clock would run by itself."""
    residual_frequency_ratio: float
    skew_ratio: float
    root_delay_seconds: float
    root_dispersion_seconds: float
    update_interval_seconds: float


class Activity(NamedTuple):
    """How many sources are in which state."""

    online: int
    offline: int
    burst_online: int
    burst_offline: int
    unresolved: int


def request(command: Command, sequence: int, source: int = 0) -> bytes:
    """
    Return a request, as long as its reply: chronyd answers to nothing shorter.

    Args:
        command: what to ask for.
        sequence: comes back in the reply; 32 bits.
        source: of which source, where it is one of them that is asked for; from 0 on.
    """
    head = _REQUEST.pack(_VERSION, _TYPE_REQUEST, command, 0, sequence) + _INDEX.pack(source)
    return head.ljust(_REPLY.size + _FORMS[command][1].size, b"\0")


def parse(message: bytes) -> Reply:
    """
    Return what a reply holds.

    Raises:
        ValueError: it is no reply to one of the commands, or too short.
    """
    if len(message) < _REPLY.size:
        msg = f"{len(message)} bytes are no reply of chronyd"
        raise ValueError(msg)
    version, kind, number, code, status, sequence = _REPLY.unpack_from(message)
    if kind != _TYPE_REPLY or version != _VERSION or number not in _FORMS:
        msg = f"no reply of chronyd's version {_VERSION}: version {version}, {kind}, {number}"
        raise ValueError(msg)
    command = Command(number)
    if status != _SUCCESS:
        return Reply(command, sequence, b"", STATUSES.get(status, f"status {status}"))
    wanted, form = _FORMS[command]
    data = message[_REPLY.size :][: form.size]
    if code != wanted or len(data) < form.size:
        msg = f"a reply to {command.name.lower()} of code {code} with {len(data)} bytes"
        raise ValueError(msg)
    return Reply(command, sequence, data)


def parse_float(word: int) -> float:
    """Return chrony's floating-point number: 7 bits of exponent, 25 of coefficient, both signed."""
    exponent = _signed(word >> _COEFFICIENT_BITS, _EXPONENT_BITS)
    coefficient = _signed(word % (1 << _COEFFICIENT_BITS), _COEFFICIENT_BITS)
    return math.ldexp(coefficient, exponent - _COEFFICIENT_BITS)


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def parse_tracking(data: bytes) -> Tracking:
    """
    Return what TRACKING tells.

    Raises:
        ValueError: it is not of its form, or out of range.
    """
    if len(data) != _TRACKING.size:
        msg = f"{len(data)} bytes of tracking"
        raise ValueError(msg)
    reference, raw, family, stratum, leap, high, low, nano, *words = _TRACKING.unpack(data)
    correction, last, rms, frequency, residual, skew, *rest = map(parse_float, words)
    if leap >= len(LEAPS) or stratum > _MOST_STRATUM or min(rms, skew, *rest) < 0:
        msg = f"tracking out of range: leap {leap}, stratum {stratum}, {rms}, {skew}, {rest}"
        raise ValueError(msg)
    ppm = (frequency / _PER_MILLION, residual / _PER_MILLION, skew / _PER_MILLION)
    when = _timestamp(high, low, nano)
    address = _address(raw, family)
    known = (reference, address, stratum, LEAPS[leap], when)
    return Tracking(*known, correction, last, rms, *ppm, *rest)


def _timestamp(high: int, low: int, nano: int) -> float:
    """Return seconds since 1970; the high word is marked where the daemon's time has 32 bits."""
    seconds = low if high == _NO_HIGH_WORD else high << 32 | low
    if nano >= _NANO or high not in {0, _NO_HIGH_WORD}:
        msg = f"no time: {seconds} s, {nano} ns"
        raise ValueError(msg)
    return seconds + nano / _NANO


def _address(raw: bytes, family: int) -> str:
    if family == _IPV4:
        return str(ipaddress.IPv4Address(raw[:_IPV4_BYTES]))
    return str(ipaddress.IPv6Address(raw)) if family == _IPV6 else ""


def parse_activity(data: bytes) -> Activity:
    """
    Return what ACTIVITY tells.

    Raises:
        ValueError: it is not of its form, or out of range.
    """
    if len(data) != _ACTIVITY.size:
        msg = f"{len(data)} bytes of activity"
        raise ValueError(msg)
    activity = Activity(*_ACTIVITY.unpack(data))
    if min(activity) < 0:
        msg = f"fewer sources than none: {tuple(activity)}"
        raise ValueError(msg)
    return activity
