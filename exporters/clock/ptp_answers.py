"""What ptp4l is asked at a scrape, and its answers taken together."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from exporters.clock.options import ClockOptions
from exporters.clock.ptp_datasets import (
    Current,
    Default,
    Parent,
    Port,
    TimeProperties,
    TimeStatus,
    parse_current,
    parse_default,
    parse_parent,
    parse_port,
    parse_port_properties,
    parse_time_properties,
    parse_time_status,
)
from exporters.clock.ptp_messages import Id, Reply, parse, request
from exporters.clock.ptp_socket import exchange

STATE = (
    Id.DEFAULT_DATA_SET,
    Id.TIME_STATUS_NP,
    Id.CURRENT_DATA_SET,
    Id.PARENT_DATA_SET,
    Id.TIME_PROPERTIES_DATA_SET,
    Id.PORT_DATA_SET,
)
"""What changes. With a port or two the answers fit into a queue of ten."""
NAMES = (Id.DEFAULT_DATA_SET, Id.PORT_PROPERTIES_NP)
"""What ports are called; answered on the read-write socket alone."""
_ONE_OF_EACH_PORT = frozenset({Id.PORT_DATA_SET, Id.PORT_PROPERTIES_NP})
_PORT_MASK = 0xFFFF


@dataclass(slots=True)
class Answers:
    """What ptp4l told; None is what it did not."""

    default: Default | None = None
    time_status: TimeStatus | None = None
    current: Current | None = None
    parent: Parent | None = None
    time_properties: TimeProperties | None = None
    ports: dict[int, Port] = field(default_factory=dict)
    """By their numbers."""
    interfaces: dict[int, str] = field(default_factory=dict)
    """Names of the ports' interfaces by the ports' numbers."""
    refused: dict[str, str] = field(default_factory=dict)
    """What was asked for in vain, with the reason."""

    def take(self, reply: Reply) -> None:
        """
        Add an answer; one to a question that was not asked is passed over.

        Raises:
            ValueError: it is not of its form.
        """
        if reply.error:
            name = Id(reply.id).name if reply.id in set(Id) else f"{reply.id:#06x}"
            self.refused[name] = reply.error
            return
        match reply.id:
            case Id.DEFAULT_DATA_SET:
                self.default = parse_default(reply.data)
            case Id.TIME_STATUS_NP:
                self.time_status = parse_time_status(reply.data)
            case Id.CURRENT_DATA_SET:
                self.current = parse_current(reply.data)
            case Id.PARENT_DATA_SET:
                self.parent = parse_parent(reply.data)
            case Id.TIME_PROPERTIES_DATA_SET:
                self.time_properties = parse_time_properties(reply.data)
            case Id.PORT_DATA_SET:
                port = parse_port(reply.data)
                self.ports[port.number] = port
            case Id.PORT_PROPERTIES_NP:
                named = parse_port_properties(reply.data)
                self.interfaces[named.number] = named.interface


def gather(replies: Iterable[Reply]) -> Answers:
    """
    Take answers together.

    Raises:
        ValueError: one is not of its form, or all were refused.
    """
    answers = Answers()
    told = False
    for reply in replies:
        answers.take(reply)
        told = told or not reply.error
    if answers.refused and not told:
        msg = ", ".join(f"{name}: {reason}" for name, reason in answers.refused.items())
        raise ValueError(msg)
    return answers


@dataclass(slots=True)
class Talk:
    """Questions, and the answers that have come."""

    questions: Sequence[Id]
    """By their sequence numbers."""
    replies: list[Reply] = field(default_factory=list)
    ports: int = 1

    def take(self, message: bytes) -> bool:
        """
        Add an answer, unless it answers no question, and return whether all have come.

        Raises:
            ValueError: it is not of its form.
        """
        reply = parse(message)
        if reply.id in self.questions[reply.sequence : reply.sequence + 1]:
            self.replies.append(reply)
            if reply.id == Id.DEFAULT_DATA_SET and not reply.error:
                self.ports = parse_default(reply.data).ports
        return self.complete()

    def complete(self) -> bool:
        """Whether each question has its answer, those to each port from every port."""
        counts = Counter(reply.id for reply in self.replies)
        refused = {reply.id for reply in self.replies if reply.error}
        return all(
            counts[what] >= (self.ports if what in _ONE_OF_EACH_PORT - refused else 1)
            for what in self.questions
        )


def ask(server: str, wanted: Sequence[Id], options: ClockOptions) -> Answers:
    """
    Ask ptp4l at one of its sockets.

    Raises:
        OSError: as ``exchange``.
        ValueError: an answer is not of its form.
    """
    asker = os.getpid() & _PORT_MASK
    requests = [
        request(what, number, options.ptp4l_domain, options.ptp4l_transport, asker)
        for number, what in enumerate(wanted)
    ]
    talk = Talk(wanted)
    exchange(server, requests, talk.take)
    return gather(talk.replies)
