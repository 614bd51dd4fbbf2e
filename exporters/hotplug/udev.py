"""
Uevents through libudev, with pyudev.

The monitor listens to the kernel and not to udevd, so that it works in a container and on a
node without udevd.
"""

import errno
import os
import socket
from collections.abc import Sequence

from exporters.hotplug.events import LOST, Event

LIBRARY = "libudev.so.1"


class UdevEvents:
    """
    Events from a monitor of libudev.

    Raises:
        ImportError: pyudev is not installed.
        OSError: libudev cannot be loaded, or the kernel or a sandbox refuses its socket.
    """

    def __init__(self) -> None:
        import pyudev  # noqa: PLC0415  # 3 MB that only those pay who use it
        from pyudev._ctypeslib import utils  # noqa: PLC0415  # as above

        # pyudev looks for the library with ctypes.util.find_library, which starts ldconfig, gcc
        # and ld in turn, and finds nothing in an image that has none of these programs.
        utils.find_library = {"udev": LIBRARY}.get
        self._monitor = pyudev.Monitor.from_netlink(pyudev.Context(), source="kernel")
        self._monitor.start()
        # The same socket, for what libudev does not offer.
        self._socket = socket.socket(fileno=os.dup(self._monitor.fileno()))

    def fileno(self) -> int:
        """Return the monitor's descriptor."""
        return self._socket.fileno()

    def receive(self) -> Sequence[Event]:
        """Return the events in the monitor's buffer."""
        events: list[Event] = []
        while True:
            try:
                device = self._monitor.poll(timeout=0)
            except OSError as error:
                self._clear(error)
                events.append(Event(LOST, "", ""))
                continue
            if device is None:
                return events
            events.append(Event(device.action, device.subsystem or "", device.device_path))

    def close(self) -> None:
        """Close the monitor; libudev does so when the last reference to it goes."""
        self._socket.close()
        del self._monitor

    def _clear(self, error: OSError) -> None:
        """
        Clear the socket's error if it is an overflow, and raise the given error otherwise.

        pyudev's ``poll`` refuses a socket with an error before it reads anything, so that one
        overflow would make it deaf for good.
        """
        code = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if errno.ENOBUFS not in {code, error.errno}:
            raise error
