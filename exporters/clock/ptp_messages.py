"""
PTP management messages, as ptp4l takes and gives them on its socket.

IEEE 1588-2019, clause 15; linuxptp's extensions (``_NP``): its tlv.h. All numbers big-endian.
"""

import struct
from enum import IntEnum
from typing import NamedTuple

# Message type and majorSdoId, version, length, domain, minorSdoId, flags, correction, type
# specific; source: clock, port; sequence, control, interval of the message.
_HEADER = struct.Struct(">BBHBB2s8s4s8sHHBb")
# Target: clock, port; starting hops, hops, action, reserved.
_MANAGEMENT = struct.Struct(">8sHBBBB")
# Type and length of what follows the length; management identifier.
_TLV = struct.Struct(">HHH")
# The same of an error: type, length, error, management identifier.
_ERROR = struct.Struct(">HHHH")
_BEFORE = _HEADER.size + _MANAGEMENT.size

_MESSAGE_MANAGEMENT = 0x0D
_VERSION = 0x02
_GET, _RESPONSE = 0, 2
_TYPE_MANAGEMENT, _TYPE_ERROR = 0x0001, 0x0002
_ID_BYTES = 2
_NO_INTERVAL = 0x7F
_EVERY_CLOCK, _EVERY_PORT = b"\xff" * 8, 0xFFFF
_LOW, _VERSIONS = 0x0F, 0x0F

MOST_BYTES = 1500
"""Of a message; linuxptp's buffers are as large."""


class Id(IntEnum):
    """What can be asked for, by managementId."""

    DEFAULT_DATA_SET = 0x2000
    CURRENT_DATA_SET = 0x2001
    PARENT_DATA_SET = 0x2002
    TIME_PROPERTIES_DATA_SET = 0x2003
    PORT_DATA_SET = 0x2004
    TIME_STATUS_NP = 0xC000
    PORT_PROPERTIES_NP = 0xC004


ERRORS = {
    0x0001: "response too big",
    0x0002: "no such id",
    0x0003: "wrong length",
    0x0004: "wrong value",
    0x0005: "not settable",
    0x0006: "not supported",
    0x0007: "unpopulated",
    0xFFFE: "general error",
}
"""managementErrorId, IEEE 1588-2019 table 109."""


class Reply(NamedTuple):
    """A response to a GET."""

    clock: bytes
    """clockIdentity of who answers, 8 bytes."""
    port: int
    sequence: int
    id: int
    """managementId: what was asked for."""
    data: bytes
    """Empty in an error."""
    error: str = ""
    """Why it was refused."""


def request(what: Id, sequence: int, domain: int, transport: int, asker: int) -> bytes:
    """
    Return a GET for every port of the clock on the other side.

    No boundary hops: ptp4l would else pass the request on to the network. No data: it takes both
    that and zeros (``pmc -z``).

    Args:
        what: to ask for.
        sequence: comes back in the answer; 16 bits.
        domain: ptp4l's domainNumber.
        transport: ptp4l's transportSpecific (majorSdoId), 4 bits.
        asker: port number of the asker; 16 bits.
    """
    header = _HEADER.pack(
        transport << 4 | _MESSAGE_MANAGEMENT,
        _VERSION,
        _BEFORE + _TLV.size,
        domain,
        0,
        b"",
        b"",
        b"",
        b"",
        asker,
        sequence,
        0,
        _NO_INTERVAL,
    )
    target = _MANAGEMENT.pack(_EVERY_CLOCK, _EVERY_PORT, 0, 0, _GET, 0)
    return header + target + _TLV.pack(_TYPE_MANAGEMENT, _ID_BYTES, what)


def parse(message: bytes) -> Reply:
    """
    Return what a response says.

    Raises:
        ValueError: it is no response, or shorter than it says.
    """
    if len(message) < _BEFORE + _TLV.size:
        msg = f"{len(message)} bytes are no PTP management message"
        raise ValueError(msg)
    kind, version, length, *_, clock, port, sequence, _, _ = _HEADER.unpack_from(message)
    action = _MANAGEMENT.unpack_from(message, _HEADER.size)[4] & _LOW
    if kind & _LOW != _MESSAGE_MANAGEMENT or version & _VERSIONS != _VERSION or action != _RESPONSE:
        msg = f"no response of PTP 2: type {kind & _LOW}, version {version & _VERSIONS}, {action}"
        raise ValueError(msg)
    if not _BEFORE + _TLV.size <= length <= len(message):
        msg = f"{len(message)} bytes of a PTP message of {length}"
        raise ValueError(msg)
    return _parse_tlv(clock, port, sequence, message[_BEFORE:length])


def _parse_tlv(clock: bytes, port: int, sequence: int, tlv: bytes) -> Reply:
    kind, length, first = _TLV.unpack_from(tlv)
    # What counts begins behind type and length.
    body = tlv[4 : 4 + length]
    if kind == _TYPE_MANAGEMENT and _ID_BYTES <= length == len(body):
        return Reply(clock, port, sequence, first, body[_ID_BYTES:])
    if kind == _TYPE_ERROR and length == len(body) and len(tlv) >= _ERROR.size:
        what = _ERROR.unpack_from(tlv)[3]
        reason = ERRORS.get(first, f"error {first:#06x}")
        return Reply(clock, port, sequence, what, b"", reason)
    msg = f"a PTP message with a TLV of type {kind:#06x} and {length} bytes, {len(body)} there"
    raise ValueError(msg)
