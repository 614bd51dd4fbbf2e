"""
Asks a PTP hardware clock (PHC) how it stands to the system clock: ioctls on ``/dev/ptpN``.

PTP_SYS_OFFSET_EXTENDED (Linux 5.0) reads the system clock right before and after the hardware's
register; PTP_SYS_OFFSET, which every driver has, in between whole reads. linux/ptp_clock.h.
"""

import errno
import fcntl
import os
import struct
from typing import NamedTuple

_SAMPLES = 5
_MOST_SAMPLES = 25
# n_samples and room for more; seconds, nanoseconds and room of one time.
_HEAD = struct.Struct("=I12x")
_TIME = struct.Struct("=qI4x")
EXTENDED_BYTES = _HEAD.size + 3 * _MOST_SAMPLES * _TIME.size
PLAIN_BYTES = _HEAD.size + (2 * _MOST_SAMPLES + 1) * _TIME.size
# _IOWR('=', 9, struct ptp_sys_offset_extended), _IOW('=', 5, struct ptp_sys_offset).
_EXTENDED = 3 << 30 | EXTENDED_BYTES << 16 | ord("=") << 8 | 9
_PLAIN = 1 << 30 | PLAIN_BYTES << 16 | ord("=") << 8 | 5
_LACKS_IT = frozenset({errno.ENOTTY, errno.EOPNOTSUPP, errno.EINVAL})
_NANO = 1_000_000_000


class Reading(NamedTuple):
    """The best of some comparisons."""

    offset_ns: int
    """The hardware clock minus the middle of the system clock's window, in nanoseconds."""
    window_ns: int
    """Between the system clock's times before and after: the offset is off by half of it."""


def parse_offsets(answer: bytes) -> Reading:
    """
    Return the comparison with the smallest window of an answer to either ioctl, told by its size.

    Raises:
        ValueError: it is no such answer.
    """
    if len(answer) not in {EXTENDED_BYTES, PLAIN_BYTES}:
        msg = f"{len(answer)} bytes are no answer of a PTP clock: {EXTENDED_BYTES} or {PLAIN_BYTES}"
        raise ValueError(msg)
    (count,) = _HEAD.unpack_from(answer)
    if not 1 <= count <= _MOST_SAMPLES:
        msg = f"an answer of a PTP clock with {count} samples"
        raise ValueError(msg)
    # In the plain one, the time after a sample is that before the next.
    step, times = (3, 3 * count) if len(answer) == EXTENDED_BYTES else (2, 2 * count + 1)
    moments = [_moment(answer, number) for number in range(times)]
    readings = [
        Reading(phc - (before + after) // 2, after - before)
        for before, phc, after in zip(
            moments[::step], moments[1::step], moments[2::step], strict=False
        )
        # The system clock may be set in between; such a sample says nothing.
        if after >= before
    ]
    if not readings:
        msg = "the system clock went back in every sample"
        raise ValueError(msg)
    return min(readings, key=lambda reading: reading.window_ns)


def _moment(answer: bytes, number: int) -> int:
    seconds, nanoseconds = _TIME.unpack_from(answer, _HEAD.size + number * _TIME.size)
    if nanoseconds >= _NANO:
        msg = f"a time with {nanoseconds} nanoseconds"
        raise ValueError(msg)
    return int(seconds * _NANO + nanoseconds)


def ask(device: str) -> bytes:
    """
    Return a clock's answer.

    Args:
        device: such as ``/dev/ptp0``; reading it is enough.

    Raises:
        OSError: it is not there, may not be read, or its driver fails.
    """
    descriptor = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return _ask(descriptor)
    finally:
        os.close(descriptor)


def _ask(descriptor: int) -> bytes:
    answer = bytearray(EXTENDED_BYTES)
    _HEAD.pack_into(answer, 0, _SAMPLES)
    try:
        fcntl.ioctl(descriptor, _EXTENDED, answer)
    except OSError as error:
        if error.errno not in _LACKS_IT:
            raise
        answer = bytearray(PLAIN_BYTES)
        _HEAD.pack_into(answer, 0, _SAMPLES)
        fcntl.ioctl(descriptor, _PLAIN, answer)
    return bytes(answer)
