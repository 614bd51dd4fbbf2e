"""
What ptp4l's answers hold: one class for each data set, with its parser.

IEEE 1588-2019, clauses 8 and 15.5.3; linuxptp's ``_NP`` ones: its tlv.h, pmc.c. The parsers take
the data of a management TLV. It may be longer than what they know: versions append to it. They
raise ValueError for what is shorter, or cannot be.
"""

import struct
from typing import NamedTuple

from exporters.hardware.facts import tidy

STATES = {
    1: "initializing", 2: "faulty", 3: "disabled", 4: "listening", 5: "pre_master", 6: "master",
    7: "passive", 8: "uncalibrated", 9: "slave", 10: "grand_master",
}  # fmt: skip
"""portState, IEEE 1588-2019 table 20; 10 is linuxptp's own."""
TIME_SOURCES = {
    0x10: "atomic_clock", 0x20: "gnss", 0x30: "terrestrial_radio", 0x39: "serial_time_code",
    0x40: "ptp", 0x50: "ntp", 0x60: "hand_set", 0x90: "other", 0xA0: "internal_oscillator",
}  # fmt: skip
"""timeSource, IEEE 1588-2019 table 6."""
_ACCURACIES = (
    1e-12, 2.5e-12, 1e-11, 2.5e-11, 1e-10, 2.5e-10, 1e-9, 2.5e-9, 1e-8, 2.5e-8, 1e-7, 2.5e-7,
    1e-6, 2.5e-6, 1e-5, 2.5e-5, 1e-4, 2.5e-4, 1e-3, 2.5e-3, 1e-2, 2.5e-2, 1e-1, 2.5e-1, 1.0, 10.0,
)  # fmt: skip
_FIRST_ACCURACY = 0x17
ACCURACY_SECONDS = dict(enumerate(_ACCURACIES, _FIRST_ACCURACY))
"""clockAccuracy, IEEE 1588-2019 table 5: within so many seconds; 0x31 is more than 10 s."""

_NANO, _SCALED_NANO, _RATE = 1e9, 65536 * 1e9, 2.0**41
_IDENTITY_BYTES = 8
_TIME_STATUS = struct.Struct(">qqiiHHQHi8s")
_CURRENT = struct.Struct(">Hqq")
_PARENT = struct.Struct(">8sHBBHiBBBHB8s")
_DEFAULT = struct.Struct(">BBHBBBHB8sBB")
_TIME_PROPERTIES = struct.Struct(">hBB")
_PORT = struct.Struct(">8sHB")
_PORT_PROPERTIES = struct.Struct(">8sHBBB")


def _unpack(layout: struct.Struct, data: bytes, name: str) -> tuple[int, ...]:
    if len(data) < layout.size:
        msg = f"{name} of {len(data)} bytes, wants {layout.size}"
        raise ValueError(msg)
    return layout.unpack_from(data)


def identity(raw: bytes) -> str:
    """
    Return a clockIdentity as ``pmc`` writes it: aabbcc.fffe.ddeeff.

    Raises:
        ValueError: it has not 8 bytes.
    """
    if len(raw) != _IDENTITY_BYTES:
        msg = f"no clock identity: {raw.hex()}"
        raise ValueError(msg)
    return f"{raw[:3].hex()}.{raw[3:5].hex()}.{raw[5:].hex()}"


class TimeStatus(NamedTuple):
    """TIME_STATUS_NP."""

    offset_seconds: float
    """This clock minus its master; of no meaning without a grandmaster or a Sync."""
    ingress_seconds: float
    """Time of the port's clock when the last Sync came in; 0 before the first."""
    rate_offset_ratio: float
    """How much faster the grandmaster runs than this clock, less 1."""
    grandmaster_present: bool
    """Whether the grandmaster is another clock."""
    grandmaster: str


def parse_time_status(data: bytes) -> TimeStatus:
    """Parse TIME_STATUS_NP."""
    fields = _unpack(_TIME_STATUS, data, "TIME_STATUS_NP")
    offset, ingress, rate, *_, present = fields[:9]
    return TimeStatus(
        offset / _NANO, ingress / _NANO, rate / _RATE, bool(present), identity(data[42:50])
    )


class Current(NamedTuple):
    """CURRENT_DATA_SET."""

    steps_removed: int
    offset_seconds: float
    mean_path_delay_seconds: float
    """From the master of the last hop to this clock."""


def parse_current(data: bytes) -> Current:
    """Parse CURRENT_DATA_SET."""
    steps, offset, delay = _unpack(_CURRENT, data, "CURRENT_DATA_SET")
    return Current(steps, offset / _SCALED_NANO, delay / _SCALED_NANO)


class Parent(NamedTuple):
    """PARENT_DATA_SET."""

    port: str
    """Whom this clock listens to: identity and port, as ``pmc`` writes them."""
    grandmaster: str
    clock_class: int
    """Of the grandmaster: 6 locked to a primary reference, 7 that in holdover, 248 default."""
    accuracy_seconds: float | None
    """Of the grandmaster; None where it does not tell."""


def parse_parent(data: bytes) -> Parent:
    """Parse PARENT_DATA_SET."""
    fields = _unpack(_PARENT, data, "PARENT_DATA_SET")
    clock_class, accuracy = fields[7:9]
    port = f"{identity(data[:8])}-{fields[1]}"
    return Parent(port, identity(data[24:32]), clock_class, ACCURACY_SECONDS.get(accuracy))


class Default(NamedTuple):
    """DEFAULT_DATA_SET."""

    ports: int
    clock: str
    """This clock's identity."""


def parse_default(data: bytes) -> Default:
    """Parse DEFAULT_DATA_SET."""
    fields = _unpack(_DEFAULT, data, "DEFAULT_DATA_SET")
    return Default(fields[2], identity(data[10:18]))


class TimeProperties(NamedTuple):
    """TIME_PROPERTIES_DATA_SET."""

    utc_offset_seconds: int | None
    """TAI minus UTC; None where it is not known to be valid."""
    leap: str
    """``insert``, ``delete`` or ``none`` at the end of the day."""
    ptp_timescale: bool
    """Whether the time is TAI, else arbitrary."""
    time_traceable: bool
    frequency_traceable: bool
    source: str


def parse_time_properties(data: bytes) -> TimeProperties:
    """Parse TIME_PROPERTIES_DATA_SET."""
    utc_offset, flags, source = _unpack(_TIME_PROPERTIES, data, "TIME_PROPERTIES_DATA_SET")
    leap61, leap59, valid, timescale, traceable, frequency = (
        bool(flags >> bit & 1) for bit in range(6)
    )
    return TimeProperties(
        utc_offset if valid else None,
        "insert" if leap61 else "delete" if leap59 else "none",
        timescale,
        traceable,
        frequency,
        TIME_SOURCES.get(source, f"{source:#04x}"),
    )


class Port(NamedTuple):
    """PORT_DATA_SET, or PORT_PROPERTIES_NP, which only the read-write socket gives."""

    number: int
    state: str
    interface: str = ""


def parse_port(data: bytes) -> Port:
    """Parse PORT_DATA_SET."""
    _, number, state = _unpack(_PORT, data, "PORT_DATA_SET")
    return Port(number, _state(state))


def parse_port_properties(data: bytes) -> Port:
    """Parse PORT_PROPERTIES_NP."""
    _, number, state, _, length = _unpack(_PORT_PROPERTIES, data, "PORT_PROPERTIES_NP")
    name = data[_PORT_PROPERTIES.size : _PORT_PROPERTIES.size + length]
    if len(name) != length:
        msg = f"PORT_PROPERTIES_NP with {len(name)} of {length} bytes of a name"
        raise ValueError(msg)
    return Port(number, _state(state), tidy(name.decode(errors="replace")))


def _state(number: int) -> str:
    if number not in STATES:
        msg = f"no state of a port: {number}"
        raise ValueError(msg)
    return STATES[number]
