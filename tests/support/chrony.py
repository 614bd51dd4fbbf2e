"""A chronyd that answers from a recording, at a real port or socket."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.boards import FIXTURES

CHRONY = FIXTURES / "chrony"
REAL = CHRONY / "chrony-4.3"

SOURCE_COUNT, SOURCE = b"\0\x0e", b"\0\x0f"
NO_SUCH_SOURCE = 4
_NUMBER = slice(20, 24)
_COMMAND, _SEQUENCE_ASKED, _SEQUENCE = slice(4, 6), slice(8, 12), slice(16, 20)


def recorded(capture: str) -> list[bytes]:
    """Return the replies of a capture."""
    return [path.read_bytes() for path in sorted((REAL / capture).glob("*.bin"))]


def patched(message: bytes, place: int, value: bytes) -> bytes:
    """Return a message with some of its bytes changed."""
    return message[:place] + value + message[place + len(value) :]


def refusal(command: bytes, status: int) -> bytes:
    """Return a reply without data, by candm.h: version 6, a reply of code 1."""
    return b"\6\2\0\0" + command + b"\0\1" + status.to_bytes(2, "big") + b"\0" * 18


@dataclass(slots=True)
class Chronyd:
    """What it answers, and what it was asked."""

    messages: list[bytes]
    requests: list[bytes] = field(default_factory=list)
    senders: list[object] = field(default_factory=list)
    """Where the requests came from."""

    def answers(self, request: bytes) -> Iterator[bytes]:
        """Give the replies to a request: each recorded one to its command."""
        found = [one for one in self.messages if one[_COMMAND] == request[_COMMAND]]
        if request[_COMMAND] == SOURCE:
            number = int.from_bytes(request[_NUMBER], "big")
            found = found[number : number + 1] or [refusal(SOURCE, NO_SUCH_SOURCE)]
        elif request[_COMMAND] == SOURCE_COUNT and not found and self.messages:
            found = [self._count()]
        for message in found:
            yield patched(message, _SEQUENCE.start, request[_SEQUENCE_ASKED])

    def _count(self) -> bytes:
        """Say how many sources were recorded, where the number itself was not."""
        sources = sum(one[_COMMAND] == SOURCE for one in self.messages)
        return patched(refusal(SOURCE_COUNT, 0), 6, b"\0\2") + sources.to_bytes(4, "big")


@contextmanager
def answering(place: str | Path, daemon: Chronyd, port: int = 0) -> Iterator[str]:
    """Have it answer at an IP address or a path until the end of the block; give the address."""
    path = place if isinstance(place, Path) else None
    family = socket.AF_UNIX if path else socket.AF_INET6 if ":" in str(place) else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as server:
        server.bind(str(path) if path else (place, port))
        thread = threading.Thread(target=_serve, args=(server, daemon), daemon=True)
        thread.start()
        try:
            yield str(path) if path else _address(server, str(place))
        finally:
            _stop(server, family, thread)
            if path:
                path.unlink()


def _address(server: socket.socket, host: str) -> str:
    port = server.getsockname()[1]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _stop(server: socket.socket, family: int, thread: threading.Thread) -> None:
    """Send it an empty message, by which it ends."""
    with socket.socket(family, socket.SOCK_DGRAM) as end:
        end.sendto(b"", server.getsockname())
    thread.join(5)


def _serve(server: socket.socket, daemon: Chronyd) -> None:
    while True:
        request, sender = server.recvfrom(1500)
        if not request:
            return
        daemon.requests.append(request)
        daemon.senders.append(sender)
        for answer in daemon.answers(request):
            try:
                server.sendto(answer, sender)
            except OSError:
                break  # nobody waits any more
