"""
Talks with ptp4l over its socket: some requests there, their answers back, all within a moment.

ptp4l sends its answers to the path that the asker's socket is bound to, so there must be one, and
ptp4l must be able to reach it.
"""

import errno
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from exporters.clock.asking import SilenceError, answered_at, left
from exporters.clock.ptp_messages import MOST_BYTES

FOLDERS = ("/run/tailsight", "/tmp")  # noqa: S108  # the name in it cannot be foreseen
"""Where the path for answers is made if the folder of ptp4l's socket cannot be written to."""
TIMEOUT_SECONDS = 0.15
"""ptp4l answers in less than a millisecond, or up to ten later if it waits for a time stamp."""


def exchange(
    server: str,
    requests: Sequence[bytes],
    take: Callable[[bytes], bool],
    seconds: float = TIMEOUT_SECONDS,
) -> None:
    """
    Send requests to a socket of ptp4l and hand over its answers, until ``take`` says: enough.

    The answers are taken as they come: ptp4l waits, and steers no clock, while an asker's queue
    (net.unix.max_dgram_qlen, often 10) is full.

    Raises:
        SilenceError: the answers were not enough in time.
        OSError: there is nobody at the socket, it may not be used, or no answer could come back.
    """
    deadline = time.monotonic() + seconds
    answers = 0
    with _replies_to(server) as (channel, path):
        try:
            for request in requests:
                channel.settimeout(left(deadline))
                channel.send(request)
            enough = False
            while not enough:
                channel.settimeout(left(deadline))
                enough = take(channel.recv(MOST_BYTES))
                answers += 1
        except TimeoutError:
            raise _silence(server, path, seconds, answers) from None


@contextmanager
def _replies_to(server: str) -> Iterator[tuple[socket.socket, str]]:
    """Give a socket that is connected to the server, and the path where answers come in."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
        try:
            channel.connect(server)
        except OSError as error:
            raise OSError(error.errno, os.strerror(error.errno or 0), server) from None
        with answered_at(channel, (os.path.dirname(server), *FOLDERS)) as path:
            yield channel, path


def _silence(server: str, path: str, seconds: float, answers: int) -> SilenceError:
    begun = f"only {answers} answers" if answers else "no answer"
    reason = (
        f"{begun} within {seconds} s at {path}: ptp4l has another domain or transportSpecific,"
        " cannot reach that path (share the folder of its socket with it, writable), or hangs"
    )
    return SilenceError(errno.ETIMEDOUT, reason, server)
