"""The server over real sockets: what it serves, and what it does not put up with."""

import select
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from exporters.core.agent import Agent
from exporters.web.connection import Patience
from exporters.web.response import Response
from exporters.web.server import MAX_CONNECTIONS, MAX_REFUSALS, Server
from tests.support.web import Fixed, connect, fetch, make_agent, serving, status_of, talk

HASTY = Patience(head=0.3, idle=0.3, send=0.3, linger=0.2)
GET = b"GET /-/healthy HTTP/1.1\r\nHost: node\r\n"


@pytest.fixture
def agent() -> Agent:
    """Return an agent with one reading."""
    return make_agent(Fixed("cpu", 41.5))


@pytest.mark.parametrize("data", [b"", b"G", GET])
def test_slow_clients_are_cut(agent: Agent, data: bytes) -> None:
    """A head that does not end in time costs its client the connection, with 408 if it began."""
    with serving(agent, HASTY) as address:
        answer = talk(address, data)

    assert (b"" if not data else b"HTTP/1.1 408") == answer[:12]


def test_slowloris(agent: Agent) -> None:
    """A client that sends a byte now and then gains no time by it."""
    with serving(agent, HASTY) as address, connect(address) as client:
        started = time.monotonic()
        client.sendall(GET)
        client.settimeout(0.05)
        answer = b""
        while not answer and time.monotonic() - started < 5:
            client.sendall(b"X")
            try:
                answer = client.recv(100)
            except TimeoutError:
                continue

    assert 408 == status_of(answer)


def test_a_slow_reader_is_cut() -> None:
    """Who asks for much and reads nothing does not hold its thread."""
    ended = threading.Event()

    def endless(_request: object) -> Response:
        def body() -> Iterator[bytes]:
            try:
                while True:
                    yield b"x" * 100_000
            finally:
                ended.set()

        return Response(200, "text/plain", body())

    with (
        Server("127.0.0.1:0", endless, patience=HASTY) as server,
        connect(server.address) as client,
    ):
        client.sendall(GET + b"\r\n")

        assert ended.wait(10)


def test_a_hundred_clients_at_once(agent: Agent) -> None:
    """All are answered at once: with 200, or with 503 where there are too many; none hangs."""
    with serving(agent) as address, ThreadPoolExecutor(100) as pool:
        started = time.monotonic()
        replies = list(pool.map(lambda _: safely(address), range(100)))
        took = time.monotonic() - started
        assert 200 == fetch(address).status

    assert took < 10
    assert {200} <= set(replies) <= {200, 503, 0}
    assert replies.count(200) >= MAX_CONNECTIONS


def safely(address: str) -> int:
    """Scrape; return the status, 0 where the connection was cut."""
    try:
        return fetch(address).status
    except OSError:
        return 0


def test_too_many_clients(agent: Agent) -> None:
    """Above the limit a client gets 503; further above, the end of the connection."""
    with serving(agent) as address, ExitStack() as stack:
        held = [stack.enter_context(connect(address)) for _ in range(MAX_CONNECTIONS)]
        for client in held:
            client.sendall(GET)
        refusal = talk(address, GET + b"\r\n")
        assert 503 == status_of(refusal)
        assert b"\r\nConnection: close\r\n" in refusal
        refused = [stack.enter_context(connect(address)) for _ in range(MAX_REFUSALS)]
        for client in refused:
            client.sendall(GET)
        assert b"" == talk(address, b"")
        held[0].sendall(b"\r\n")
        assert 200 == status_of(held[0].recv(1000))


def ended(clients: list[socket.socket]) -> int:
    """Return how many connections the server has ended, once it has ended one."""
    patience = time.monotonic() + 10.0
    count = 0
    while not count and time.monotonic() < patience:
        for client in select.select(clients, [], [], 1.0)[0]:
            count += not client.recv(65536)
    return count


def test_idle_clients_make_room(agent: Agent) -> None:
    """A connection that is merely kept gives way to a client that has something to ask."""
    with serving(agent) as address, ExitStack() as stack:
        kept = [stack.enter_context(connect(address)) for _ in range(MAX_CONNECTIONS)]
        for client in kept:
            client.sendall(GET + b"\r\n")
            assert 200 == status_of(client.recv(1000))

        assert 200 == status_of(talk(address, GET + b"Connection: close\r\n\r\n"))
        # Which of them has been idle longest is a matter of milliseconds: any one may go.
        assert 1 == ended(kept)


def test_close_waits_for_requests_but_not_for_long() -> None:
    """A request under way gets its answer; one that hangs, and idle clients, are cut within 1 s."""
    begun, release = threading.Event(), threading.Event()

    def slow(_request: object) -> Response:
        begun.set()
        release.wait(20)
        return Response(200, "text/plain", b"done")

    server = Server("127.0.0.1:0", slow)
    server.start()
    with connect(server.address) as client, connect(server.address) as other:
        client.sendall(GET + b"\r\n")
        assert begun.wait(5)
        threading.Timer(0.1, release.set).start()
        server.close()
        assert client.recv(1000).endswith(b"done")
        assert b"" == other.recv(1)

    release.clear()
    begun.clear()
    server = Server("127.0.0.1:0", slow)
    server.start()
    with connect(server.address) as client:
        client.sendall(GET + b"\r\n")
        assert begun.wait(5)
        started = time.monotonic()
        server.close()
        took = time.monotonic() - started
        release.set()
        assert b"" == client.recv(1)
    assert took < 1
    with pytest.raises(ConnectionRefusedError):
        connect(server.address)


def test_a_server_that_never_started_can_be_closed() -> None:
    """Its port is free again."""
    server = Server("127.0.0.1:0", lambda _: Response(200, "text/plain", b""))
    server.close()
    Server(server.address, lambda _: Response(200, "text/plain", b"")).close()


def test_a_mistake_of_ours_is_500_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client learns nothing of the inside, our log does, and the next client is served."""
    reported: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda what: reported.append(what.exc_type))

    def broken(_request: object) -> Response:
        msg = "secret detail"
        raise LookupError(msg)

    with Server("127.0.0.1:0", broken) as server:
        for _ in range(2):
            reply = fetch(server.address)
            assert (500, b"500 Internal Server Error\n") == (reply.status, reply.body)
        wait_for_threads()

    assert [LookupError, LookupError] == reported


def test_nothing_leaks(agent: Agent) -> None:
    """A thousand requests of all kinds leave no thread and no descriptor behind."""
    descriptors = Path("/proc/self/fd")
    with serving(agent, HASTY) as address:
        fetch(address)
        wait_for_threads()
        before = len(list(descriptors.iterdir())), threading.active_count()
        for number in range(250):
            fetch(address, "/-/healthy")
            talk(address, b"nonsense %d\r\n\r\n" % number)
            connect(address).close()
            fetch(address, "/nope", method="HEAD")
        wait_for_threads()
        after = len(list(descriptors.iterdir())), threading.active_count()

    assert before == after


def wait_for_threads() -> None:
    """Wait until no client's thread is left."""
    deadline = time.monotonic() + 5
    while any(one.name == "web client" for one in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
