"""
Offset, ports and grandmaster of ptp4l, by its management socket.

linuxptp: ``ptp4l(8)``, ``pmc(8)``. The first of the sockets that answers is asked; the read-only
ones come first, as they take nothing but questions.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from exporters.clock import ptp_status
from exporters.clock.asking import Patience
from exporters.clock.options import ClockOptions
from exporters.clock.ptp_answers import NAMES, STATE, Answers, ask, gather
from exporters.clock.ptp_messages import parse
from exporters.clock.recorded import check, recording
from exporters.core import Collector, Failure, NoData, Root, Sample, Sensor

RECORDING = "ptp4l"


@dataclass(slots=True)
class Daemon:
    """One ptp4l at the socket where it answered."""

    where: str
    interfaces: Mapping[int, str]
    """By the numbers of the ports; empty where it does not tell."""
    ask: Callable[[], Answers]
    patience: Patience = field(default_factory=Patience)

    def read(self, root: Root) -> Sequence[Sample]:
        """Ask it, unless it has just been silent."""
        answers = self.patience.ask(root, self.ask)
        answers.interfaces.update(self.interfaces)
        return tuple(ptp_status.samples(answers))


def recorded(messages: Iterable[bytes]) -> Iterator[Sample]:
    """Turn recorded messages into values."""
    return ptp_status.samples(gather(map(parse, messages)))


def check_recording(files: Mapping[str, bytes]) -> None:
    """
    Check the messages of ``replay/ptp4l``: one response to a GET in each file, or nothing.

    Raises:
        ValueError: a file is something else; the text says which.
    """
    check(files, lambda message: Answers().take(parse(message)))


@dataclass(frozen=True, slots=True)
class Ptp4l:
    """Looks for a ptp4l that answers."""

    options: ClockOptions

    def discover(self, root: Root) -> Iterator[Sensor | Failure]:
        """Find the first socket that answers; where none does, say of each why."""
        if not root.live:
            yield recording(root, RECORDING, recorded)
            return
        paths = [path for path in self.options.ptp4l_sockets if root.exists(path.lstrip("/"))]
        if not paths:
            msg = f"ptp4l does not run: no {', no '.join(self.options.ptp4l_sockets)}"
            raise NoData(msg)
        failures = []
        for path in paths:
            found = self._try(path)
            if isinstance(found, Daemon):
                yield found
                return
            failures.append(found)
        yield from failures

    def _try(self, path: str) -> Daemon | Failure:
        try:
            names = ask(path, NAMES, self.options)
        except (OSError, ValueError) as error:
            return Failure(path, error)
        return Daemon(path, names.interfaces, lambda: ask(path, STATE, self.options))


def collector(options: ClockOptions) -> Collector:
    """Return the collector of the ptp4l that the options lead to."""
    return Collector(
        "ptp4l",
        ptp_status.METRICS,
        Ptp4l(options).discover,
        source="ptp4l's socket",
        advice=(
            "start ptp4l, or name its socket (uds_ro_address, uds_address) with --ptp4l.sockets;"
            " in a container mount the folder of the socket, writable: the answers come back there;"
            " /var/run/ptp4l is root's and its group's alone (uds_file_mode), /var/run/ptp4lro"
            " (linuxptp 4.0 on) is not; --ptp4l.domain and --ptp4l.transport must be ptp4l's"
        ),
    )
