"""
Talks with chronyd: requests to its command port or socket, their replies, all within a moment.

``chronyd(8)``, ``chrony.conf(5)``: cmdport, bindcmdaddress, cmdallow. Over its Unix socket chronyd
answers to the path that the asker's socket is bound to, so there must be one that it can reach: as
``chronyc`` does, we make it in the folder of chronyd's own.
"""

import errno
import os
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from exporters.clock.asking import SilenceError, answered_at, left
from exporters.clock.chrony_messages import MOST_BYTES, Command, Reply, parse, request

TIMEOUT_SECONDS = 0.1
"""chronyd answers in less than a millisecond."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where chronyd may listen."""

    where: str
    """As the settings have it, or what that was resolved to."""
    family: int
    address: str | tuple[object, ...]
    """As ``socket.connect`` takes it."""


def endpoints(address: str) -> tuple[Endpoint, ...]:
    """
    Return where HOST:PORT or the path of a socket leads.

    Raises:
        OSError: there is no such host.
    """
    if address.startswith("/"):
        return (Endpoint(address, socket.AF_UNIX, address),)
    host, _, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    found = socket.getaddrinfo(host or None, int(port), type=socket.SOCK_DGRAM)
    return tuple(
        Endpoint(
            f"[{to[0]}]:{port}" if family == socket.AF_INET6 else f"{to[0]}:{port}", family, to
        )
        for family, _, _, _, to in found
    )


class Question(NamedTuple):
    """What is asked for."""

    command: Command
    source: int = 0
    """Of which source, if of one."""


def exchange(
    endpoint: Endpoint, questions: Sequence[Question], seconds: float = TIMEOUT_SECONDS
) -> list[Reply]:
    """
    Ask for some things at once, and return the replies in this order, refusals among them.

    Raises:
        SilenceError: not all came in time.
        OSError: there is nobody, it may not be asked, or no reply could come back.
        ValueError: something came that is no reply.
    """
    deadline = time.monotonic() + seconds
    asked = {int.from_bytes(os.urandom(4), "big"): question for question in questions}
    replies: dict[Question, Reply] = {}
    with _connected(endpoint) as channel:
        try:
            for sequence, question in asked.items():
                channel.settimeout(left(deadline))
                channel.send(request(question.command, sequence, question.source))
            while asked:
                channel.settimeout(left(deadline))
                reply = parse(channel.recv(MOST_BYTES))
                expected = asked.get(reply.sequence)
                if expected is not None and expected.command == reply.command:
                    replies[asked.pop(reply.sequence)] = reply
        except TimeoutError:
            raise _silence(endpoint, seconds) from None
    return [replies[question] for question in questions]


@contextmanager
def _connected(endpoint: Endpoint) -> Iterator[socket.socket]:
    """Give a socket that is connected to chronyd, and to which it can answer."""
    kind = socket.SOCK_DGRAM | socket.SOCK_CLOEXEC
    with socket.socket(endpoint.family, kind) as channel:
        channel.connect(endpoint.address)
        if endpoint.family == socket.AF_UNIX:
            with answered_at(channel, [os.path.dirname(endpoint.where)]):
                yield channel
        else:
            yield channel


def _silence(endpoint: Endpoint, seconds: float) -> SilenceError:
    if endpoint.family == socket.AF_UNIX:
        why = "it cannot reach the folder of its socket where we have it mounted, or hangs"
    else:
        why = "its cmdallow does not let this address in, a firewall drops it, or it hangs"
    return SilenceError(errno.ETIMEDOUT, f"no answer within {seconds} s: {why}", endpoint.where)
