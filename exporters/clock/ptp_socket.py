"""
Talks with ptp4l over its socket: some requests there, their answers back, all within a moment.

ptp4l sends its answers to the path that the asker's socket is bound to, so there must be one, and
ptp4l must be able to reach it. Its owner and mode must let it, too, where ptp4l is not root; only
the socket that is connected to can send to ours, so it may be open to all.
"""

import errno
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from exporters.clock.ptp_messages import MOST_BYTES

FOLDERS = ("/run/tailsight", "/tmp")  # noqa: S108  # the name in it cannot be foreseen
"""Where the path for answers is made if the folder of ptp4l's socket cannot be written to."""
TIMEOUT_SECONDS = 0.15
"""ptp4l answers in less than a millisecond, or up to ten later if it waits for a time stamp."""
_EVERYBODY = 0o666


class SilenceError(TimeoutError):
    """ptp4l did not answer, or not everything; ``strerror`` says what may be wrong."""


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
                channel.settimeout(_left(deadline))
                channel.send(request)
            enough = False
            while not enough:
                channel.settimeout(_left(deadline))
                enough = take(channel.recv(MOST_BYTES))
                answers += 1
        except TimeoutError:
            raise _silence(server, path, seconds, answers) from None


@contextmanager
def _replies_to(server: str) -> Iterator[tuple[socket.socket, str]]:
    """Give a socket that is connected to the server, and the path where answers come in."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
        path = _bind(channel, (os.path.dirname(server), *FOLDERS))
        try:
            try:
                channel.connect(server)
            except OSError as error:
                raise OSError(error.errno, os.strerror(error.errno or 0), server) from None
            os.chmod(path, _EVERYBODY)
            yield channel, path
        finally:
            with suppress(FileNotFoundError):
                os.unlink(path)


def _bind(channel: socket.socket, folders: Sequence[str]) -> str:
    """Bind to a new path in the first folder that takes it."""
    failed = []
    for folder in folders:
        path = f"{folder}/tailsight.{os.getpid()}.{os.urandom(4).hex()}"
        try:
            channel.bind(path)
        except OSError as error:
            failed.append(f"{folder} ({error.strerror or error})")
        else:
            return path
    msg = f"no folder for a socket to answer to: {', '.join(failed)}"
    raise OSError(errno.EACCES, msg)


def _left(deadline: float) -> float:
    """Return how long to wait still; never 0, which would mean not to wait but to fail."""
    return max(1e-3, deadline - time.monotonic())


def _silence(server: str, path: str, seconds: float, answers: int) -> SilenceError:
    begun = f"only {answers} answers" if answers else "no answer"
    reason = (
        f"{begun} within {seconds} s at {path}: ptp4l has another domain or transportSpecific,"
        " cannot reach that path (share the folder of its socket with it, writable), or hangs"
    )
    return SilenceError(errno.ETIMEDOUT, reason, server)
