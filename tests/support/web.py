"""A served agent, and clients that talk to it over real sockets."""

import http.client
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial

from exporters.core import Collector, Kind, Metric, NoData, Root, Sample, Sensor, Unit
from exporters.core.agent import Agent
from exporters.core.runner import Runner
from exporters.core.selfmetrics import SelfMetrics
from exporters.web.connection import Answer, Patience
from exporters.web.routes import agent_routes, route
from exporters.web.server import Server

DEMO = Metric("demo_temperature", Kind.GAUGE, Unit.CELSIUS, "A made-up reading.", ("place",))


@dataclass(frozen=True, slots=True)
class Fixed:
    """A sensor whose reading is known; ``before`` runs first, and may wait or raise."""

    place: str
    value: float
    before: Callable[[], object] = bool

    @property
    def where(self) -> str:
        """Say what is read."""
        return f"the place {self.place}"

    def read(self, _root: Root) -> Sequence[Sample]:
        """Give the reading."""
        self.before()
        return (DEMO.sample(self.value, place=self.place),)


def make_agent(*sensors: Sensor, timeout_seconds: float = 3.0) -> Agent:
    """Return an agent: collector ``demo`` has these sensors, ``none`` is absent."""

    def absent(_root: Root) -> Iterator[Sensor]:
        msg = "no <such> thing & no 'other'"
        raise NoData(msg)

    demo = Collector("demo", (DEMO,), lambda _root: sensors, source="here", advice="look")
    none = Collector("none", (), absent, source="there", advice="look")
    return Agent(Runner((demo, none), Root(), timeout_seconds), SelfMetrics("0.1.0", "3.11.2"))


@contextmanager
def serving(agent: Agent, patience: Patience | None = None) -> Iterator[str]:
    """Serve an agent on a free port; give its address."""
    answer: Answer = partial(route, agent_routes(agent))
    with Server("127.0.0.1:0", answer, patience=patience or Patience()) as server:
        yield server.address


@dataclass(frozen=True, slots=True)
class Reply:
    """What a client of the standard library got."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def fetch(
    address: str,
    path: str = "/metrics",
    headers: Mapping[str, str] | None = None,
    method: str = "GET",
) -> Reply:
    """Ask once, by ``http.client``."""
    with closing(http.client.HTTPConnection(address, timeout=10)) as client:
        client.request(method, path, headers=dict(headers or {}))
        answer = client.getresponse()
        named = {name.lower(): value for name, value in answer.getheaders()}
        return Reply(answer.status, named, answer.read())


def connect(address: str) -> socket.socket:
    """Return a connection to an address such as ``127.0.0.1:9749``."""
    host, _, port = address.rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)), timeout=10)


def talk(address: str, data: bytes) -> bytes:
    """Send bytes; return all that comes back until the server closes the connection."""
    with connect(address) as client:
        client.sendall(data)
        return b"".join(iter(partial(client.recv, 65536), b""))


def status_of(data: bytes) -> int:
    """Return the status of a response."""
    return int(data.split(b" ", 2)[1])
