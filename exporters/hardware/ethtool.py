"""
Asks the kernel for the driver of a network interface: ``SIOCETHTOOL`` with ``ETHTOOL_GDRVINFO``.

It needs no privilege and no ``ethtool`` program. linux/ethtool.h, struct ethtool_drvinfo.
"""

import array
import errno
import fcntl
import os
import socket
import struct
from typing import NamedTuple

_SIOCETHTOOL = 0x8946
_ETHTOOL_GDRVINFO = 0x3
# cmd; driver, version, fw_version, bus_info, erom_version; reserved2; five counts.
_DRVINFO = struct.Struct("=I32s32s32s32s32s12s5I")
# Name and address of the data; the rest of the union is room that the kernel copies.
_IFREQ = struct.Struct("16sP16x")


class DriverInfo(NamedTuple):
    """What a driver says of itself; empty where it says nothing."""

    driver: str = ""
    version: str = ""
    """The kernel's release where the driver is part of the kernel."""
    firmware: str = ""


def parse_driver_info(reply: bytes) -> DriverInfo:
    """
    Return what a ``struct ethtool_drvinfo`` says.

    Raises:
        ValueError: it has another size.
    """
    if len(reply) != _DRVINFO.size:
        msg = f"{len(reply)} bytes are no ethtool_drvinfo, which has {_DRVINFO.size}"
        raise ValueError(msg)
    _, driver, version, firmware, *_ = _DRVINFO.unpack(reply)
    return DriverInfo(*map(_text, (driver, version, firmware)))


def ask(interface: str, index: int) -> DriverInfo:
    """
    Return the driver of an interface of this machine.

    Args:
        interface: its name.
        index: its number in ``/sys/class/net``: a container that sees the host's ``/sys`` may
            have another interface of that name.

    Raises:
        OSError: it has gone, is another one, or its driver does not answer.
    """
    if socket.if_nametoindex(interface) != index:
        raise OSError(errno.ENODEV, os.strerror(errno.ENODEV), interface)
    data = array.array("B", _DRVINFO.pack(_ETHTOOL_GDRVINFO, *[b""] * 6, *[0] * 5))
    request = _IFREQ.pack(os.fsencode(interface), data.buffer_info()[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
        fcntl.ioctl(channel, _SIOCETHTOOL, request)
    return parse_driver_info(data.tobytes())


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode(errors="replace").strip()
