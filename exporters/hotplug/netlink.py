"""
Uevents from the kernel's own multicast group, with nothing but a socket.

Needs no library, no udevd, no privilege. ``lib/kobject_uevent.c`` writes the messages.
"""

import errno
import socket
from collections.abc import Sequence

from exporters.hotplug.events import LOST, Event

NETLINK_KOBJECT_UEVENT = 15
# Group 1 is the kernel's; udevd repeats what it has worked off to group 2.
KERNEL_GROUP = 1
# A message's sender is a port; the kernel's is 0, which no process can have.
KERNEL_PORT = 0
# UEVENT_BUFFER_SIZE is 2048 bytes, and the header with the path comes on top.
_MESSAGE_BYTES = 8192


def parse_uevent(message: bytes) -> Event:
    """
    Parse ``ACTION@DEVPATH`` and the ``KEY=value`` strings after it, each ended by a NUL.

    Raises:
        ValueError: it is not a message of the kernel.
    """
    head, *strings = message.decode(errors="replace").split("\0")
    fields = dict(string.split("=", 1) for string in strings if "=" in string)
    try:
        event = Event(fields["ACTION"], fields["SUBSYSTEM"], fields["DEVPATH"])
    except KeyError as error:
        msg = f"uevent without {error.args[0]}: {head[:200]!r}"
        raise ValueError(msg) from None
    if head != f"{event.action}@{event.devpath}":
        msg = f"uevent that contradicts itself: {head[:200]!r}"
        raise ValueError(msg)
    return event


class NetlinkEvents:
    """
    Events from a socket of our own.

    Raises:
        OSError: the kernel or a sandbox refuses such a socket.
    """

    def __init__(self) -> None:
        kind = socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK
        self._socket = socket.socket(socket.AF_NETLINK, kind, NETLINK_KOBJECT_UEVENT)
        try:
            self._socket.bind((0, KERNEL_GROUP))
        except OSError:
            self._socket.close()
            raise

    def fileno(self) -> int:
        """Return the socket's descriptor."""
        return self._socket.fileno()

    def receive(self) -> Sequence[Event]:
        """Return the events in the socket's buffer."""
        events: list[Event] = []
        while True:
            try:
                message, (port, _) = self._socket.recvfrom(_MESSAGE_BYTES)
            except BlockingIOError:
                return events
            except OSError as error:
                if error.errno != errno.ENOBUFS:
                    raise
                events.append(Event(LOST, "", ""))
                continue
            if port == KERNEL_PORT:
                events.append(_event(message))

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


def _event(message: bytes) -> Event:
    """Return the event in a message; what cannot be understood is as good as lost."""
    try:
        return parse_uevent(message)
    except ValueError:
        return Event(LOST, "", "")
