"""A ptp4l that answers from a recording, at a real socket."""

import socket
import struct
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from exporters.clock.ptp_messages import Id
from tests.support.boards import FIXTURES

PTP = FIXTURES / "ptp"
REAL = PTP / "linuxptp-3.1.1"

_SEQUENCE, _ID = slice(30, 32), slice(52, 54)
NO_SUCH_ID, NOT_SUPPORTED = 2, 6


def recorded(capture: str) -> list[bytes]:
    """Return the messages of a capture."""
    return [path.read_bytes() for path in sorted((REAL / capture).glob("*.bin"))]


def patched(message: bytes, place: int, value: bytes) -> bytes:
    """Return a message with some of its bytes changed."""
    return message[:place] + value + message[place + len(value) :]


@dataclass(slots=True)
class Ptp4l:
    """What it answers, and how often it was asked."""

    messages: list[bytes]
    domain: int = 0
    refuses: Iterable[Id] = ()
    """What it says "not supported" to."""
    requests: list[bytes] = field(default_factory=list)

    def answers(self, request: bytes) -> Iterator[bytes]:
        """Give the answers to a request: one of each message with its identifier."""
        if request[4] != self.domain:
            return
        what = request[_ID]
        found = [one for one in self.messages if one[_ID] == what]
        if int.from_bytes(what, "big") in set(self.refuses):
            yield self._error(request, NOT_SUPPORTED)
        elif not found:
            yield self._error(request, NO_SUCH_ID)
        for message in found if int.from_bytes(what, "big") not in set(self.refuses) else ():
            yield patched(message, _SEQUENCE.start, request[_SEQUENCE])

    def _error(self, request: bytes, number: int) -> bytes:
        head = patched(self.messages[0][:48], _SEQUENCE.start, request[_SEQUENCE])
        tlv = struct.pack(">HHH", 2, 8, number) + request[_ID] + b"\0" * 4
        return patched(head + tlv, 2, struct.pack(">H", 48 + len(tlv)))


@contextmanager
def answering(path: Path, daemon: Ptp4l) -> Iterator[Ptp4l]:
    """Have it answer at a path until the end of the block."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(str(path))
        thread = threading.Thread(target=_serve, args=(server, daemon), daemon=True)
        thread.start()
        try:
            yield daemon
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join(5)
            path.unlink()


def _serve(server: socket.socket, daemon: Ptp4l) -> None:
    while True:
        request, sender = server.recvfrom(1500)
        if not request:
            return
        daemon.requests.append(request)
        for answer in daemon.answers(request):
            try:
                server.sendto(answer, sender)
            except OSError:
                break  # nobody waits any more
