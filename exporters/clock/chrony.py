"""
Offset, error bound and reference of chronyd, by its command and monitoring protocol.

chrony: ``chronyc(1)``, tracking, activity and sources; candm.h.
"""

import errno
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from exporters.clock import chrony_status
from exporters.clock.asking import Patience
from exporters.clock.chrony_messages import (
    NO_SUCH_SOURCE,
    Command,
    Reply,
    parse,
    parse_activity,
    parse_tracking,
)
from exporters.clock.chrony_socket import Endpoint, Question, endpoints, exchange
from exporters.clock.chrony_sources import METRICS as OF_SOURCES
from exporters.clock.chrony_sources import MOST, parse_count, parse_source, source_samples
from exporters.clock.options import ClockOptions
from exporters.clock.recorded import check, recording
from exporters.core import Collector, Failure, NoData, Root, Sample, Sensor

RECORDING = "chrony"
STATUS = (Question(Command.TRACKING), Question(Command.ACTIVITY))


def samples(replies: Iterable[Reply]) -> Iterator[Sample]:
    """
    Turn replies into values.

    Raises:
        ValueError: one is not of its form, or a refusal.
    """
    sources, counted = [], False
    for reply in replies:
        match reply.command:
            case Command.TRACKING:
                yield from chrony_status.tracking_samples(parse_tracking(reply.content()))
            case Command.ACTIVITY:
                yield from chrony_status.activity_samples(parse_activity(reply.content()))
            case Command.SOURCE_COUNT:
                counted = parse_count(reply.content()) >= 0
            case Command.SOURCE if reply.error != NO_SUCH_SOURCE:
                sources.append(parse_source(reply.content()))
    if counted or sources:
        yield from source_samples(sources)


@dataclass(slots=True)
class Daemon:
    """A chronyd, and what it is asked for."""

    endpoint: Endpoint
    questions: Sequence[Question]
    patience: Patience = field(default_factory=Patience)

    @property
    def where(self) -> str:
        """Where it listens."""
        return self.endpoint.where

    def read(self, root: Root) -> Sequence[Sample]:
        """Ask it, unless it has just been silent."""
        try:
            replies = self.patience.ask(root, lambda: exchange(self.endpoint, self.questions))
        except ConnectionRefusedError as error:
            # By this number the runner looks whether it is there at all.
            raise OSError(errno.ENOENT, error.strerror, self.where) from None
        return tuple(samples(replies))


@dataclass(slots=True)
class Sources:
    """The sources of a chronyd, each asked about."""

    daemon: Daemon
    count: int = 0

    @property
    def where(self) -> str:
        """Where chronyd listens, and what of it this is."""
        return f"{self.daemon.where} sources"

    def read(self, root: Root) -> Sequence[Sample]:
        """Ask about as many as there were last, and again where there are others now."""
        del root
        if self.daemon.patience.lost:
            return ()  # which its own reading has told
        replies = self._ask()
        count = min(parse_count(replies[0].content()), MOST)
        if count != self.count:
            self.count = count
            replies = self._ask()
        return tuple(samples(replies))

    def _ask(self) -> list[Reply]:
        each = (Question(Command.SOURCE, number) for number in range(self.count))
        return exchange(self.daemon.endpoint, (Question(Command.SOURCE_COUNT), *each))


def recorded(messages: Iterable[bytes]) -> Iterator[Sample]:
    """Turn recorded replies into values."""
    return samples(map(parse, messages))


def check_recording(files: Mapping[str, bytes]) -> None:
    """
    Check the messages of ``replay/chrony``: one reply in each file, a refusal at most, or nothing.

    Raises:
        ValueError: a file is something else; the text says which.
    """
    check(files, _take)


def _take(message: bytes) -> None:
    reply = parse(message)
    if not reply.error:
        tuple(samples([reply]))


@dataclass(frozen=True, slots=True)
class Chrony:
    """Looks for chronyd."""

    options: ClockOptions

    def discover(self, root: Root) -> Iterator[Sensor | Failure]:
        """Find where it answers, and what it may be asked for."""
        if not root.live:
            yield recording(root, RECORDING, recorded)
            return
        address = self.options.chrony_address
        failures = []
        try:
            places = endpoints(address)
        except OSError as error:
            yield Failure(address, error)
            return
        for place in places:
            try:
                replies = exchange(place, STATUS)
            except (ConnectionRefusedError, FileNotFoundError):
                continue
            except (OSError, ValueError) as error:
                failures.append(Failure(place.where, error))
            else:
                yield from _daemon(place, replies)
                return
        if not failures:
            msg = f"chronyd does not run, or not with this cmdport: nobody listens at {address}"
            raise NoData(msg)
        yield from failures


def _daemon(place: Endpoint, replies: Sequence[Reply]) -> Iterator[Sensor | Failure]:
    """Ask for what was answered from now on; tell of what was refused."""
    for reply in replies:
        try:
            reply.content()
        except ValueError as error:
            yield Failure(place.where, error)
    granted = tuple(Question(reply.command) for reply in replies if not reply.error)
    if granted:
        daemon = Daemon(place, granted)
        yield daemon
        yield Sources(daemon)


def collector(options: ClockOptions) -> Collector:
    """Return the collector of the chronyd that the options lead to."""
    return Collector(
        "chrony",
        (*chrony_status.METRICS, *OF_SOURCES),
        Chrony(options).discover,
        source="chronyd's command port",
        advice=(
            "start chronyd, and let --chrony.address be its cmdport (not 0) or bindcmdaddress; in a"
            " container use the host's network, or mount the folder of its socket, writable, which"
            " is root's and chrony's alone: /run/chrony/chronyd.sock"
        ),
    )
