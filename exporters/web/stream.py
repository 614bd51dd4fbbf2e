"""A client's socket, on which nothing waits for ever."""

import contextlib
import socket
import time
from collections.abc import Callable

_MOST_AT_ONCE = 16384
_MOST_DRAINED = 1 << 16


class Gone(Exception):  # noqa: N818  # clients may go
    """The client went away, or does not take what it is sent."""


Wrap = Callable[[socket.socket], socket.socket]
"""Makes a connection secure, within the socket's timeout; raises OSError where that fails."""


def not_wrapped(client: socket.socket) -> socket.socket:
    """Leave a connection as it is."""
    return client


class Stream:
    """Bytes from and to one client."""

    def __init__(self, client: socket.socket) -> None:
        self._socket = client

    def wrap(self, wrap: Wrap, seconds: float) -> None:
        """
        Make the connection secure.

        Raises:
            Gone: it did not come about within the time.
        """
        try:
            # A scrape's last packet should not wait for the acknowledgement of the one before.
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket.settimeout(seconds)
            self._socket = wrap(self._socket)
        except OSError as error:
            raise Gone(error) from None

    def receive(self, deadline: float) -> bytes:
        """
        Return some bytes; none where the client will send no more.

        Raises:
            TimeoutError: nothing came by the deadline (``time.monotonic``).
            Gone: the connection broke.
        """
        try:
            self._socket.settimeout(_left(deadline))
            return self._socket.recv(_MOST_AT_ONCE)
        except TimeoutError:
            raise
        except OSError as error:
            raise Gone(error) from None

    def send(self, data: bytes, seconds: float) -> None:
        """
        Send all of the data.

        Raises:
            Gone: the client did not take it within the time, or the connection broke.
        """
        deadline = time.monotonic() + seconds
        view = memoryview(data)
        try:
            while view:
                self._socket.settimeout(_left(deadline))
                view = view[self._socket.send(view) :]
        except OSError as error:
            raise Gone(error) from None

    def drain(self, seconds: float) -> None:
        """
        End our side and read what the client still sends, for a while.

        A client of TLS is told first that this is the end (RFC 8446, section 6.1): without that it
        must take a body that ends with the connection for one that was cut off.

        Closing a socket that has unread bytes resets the connection, and a client that is reset
        may lose the response that it was just sent.
        """
        deadline = time.monotonic() + seconds
        with contextlib.suppress(OSError):
            self._socket.settimeout(seconds)
            getattr(self._socket, "unwrap", bool)()
        with contextlib.suppress(OSError, Gone):
            socket.socket.shutdown(self._socket, socket.SHUT_WR)
            left = _MOST_DRAINED
            while left > 0 and (data := self.receive(deadline)):
                left -= len(data)

    def cut(self) -> None:
        """End both directions now; what waits in another thread comes back."""
        with contextlib.suppress(OSError):
            # The base class's: that of a TLS socket would forget its session under a reader.
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def close(self) -> None:
        """Give the descriptor back."""
        self._socket.close()


def _left(deadline: float) -> float:
    """Return the seconds until a deadline, at least a moment: 0 would mean not to wait."""
    return max(deadline - time.monotonic(), 0.001)
