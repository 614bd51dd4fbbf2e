"""What it takes to ask a daemon that may not answer: for how long, where, and when not again."""

import errno
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

from exporters.core import Root

RETRY_SECONDS = 10.0
"""How long a daemon that fell silent is not waited for again."""
_EVERYBODY = 0o666

Answer = TypeVar("Answer")


class SilenceError(TimeoutError):
    """A daemon did not answer, or not everything; ``strerror`` says what may be wrong."""


@dataclass(slots=True)
class Patience:
    """Asks a daemon, but for one that has just been silent: not every scrape pays the wait."""

    _until: float = 0.0
    _silence: SilenceError | None = None

    @property
    def lost(self) -> bool:
        """Whether it was silent when it was asked last."""
        return self._silence is not None

    def ask(self, root: Root, question: Callable[[], Answer]) -> Answer:
        """
        Return the answer.

        Raises:
            SilenceError: there is none, or there was none a moment ago.
            Exception: whatever the question raises else.
        """
        if self._silence and root.monotonic() < self._until:
            raise SilenceError(*self._silence.args)
        try:
            answer = question()
        except SilenceError as error:
            self._until = root.monotonic() + RETRY_SECONDS
            self._silence = SilenceError(*error.args)
            raise
        self._silence = None
        return answer


def left(deadline: float) -> float:
    """Return how long to wait still; never 0, which would mean not to wait but to fail."""
    return max(1e-3, deadline - time.monotonic())


@contextmanager
def answered_at(channel: socket.socket, folders: Sequence[str]) -> Iterator[str]:
    """
    Bind a connected Unix socket to a new path where answers come in; take it away at the end.

    Only who the socket is connected to can send to it, so it may be open to all, as it must be to
    a daemon that is another user's.

    Args:
        channel: the socket.
        folders: the first that takes it has the path.

    Raises:
        OSError: none takes it.
    """
    path = _bind(channel, folders)
    try:
        os.chmod(path, _EVERYBODY)
        yield path
    finally:
        with suppress(FileNotFoundError):
            os.unlink(path)


def _bind(channel: socket.socket, folders: Sequence[str]) -> str:
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
