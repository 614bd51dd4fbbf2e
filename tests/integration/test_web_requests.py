"""What is served over real sockets, and what is no request."""

import re
import subprocess

import pytest

from exporters.core.agent import Agent
from tests.support.programs import program
from tests.support.web import Fixed, fetch, make_agent, serving, status_of, talk

GET = b"GET /-/healthy HTTP/1.1\r\nHost: node\r\n"


@pytest.fixture
def agent() -> Agent:
    """Return an agent with one reading."""
    return make_agent(Fixed("cpu", 41.5))


def test_ready_from_the_first_scrape_on(agent: Agent) -> None:
    """Healthy says yes at once; ready says 503 before the first scrape and 200 after."""
    with serving(agent) as address:
        before = [fetch(address, path).status for path in ("/-/healthy", "/-/ready")]
        fetch(address)
        after = [fetch(address, path).status for path in ("/-/healthy", "/-/ready")]

    assert ([200, 503], [200, 200]) == (before, after)


def test_the_page(agent: Agent) -> None:
    """The page shows the collectors of the last scrape, escaped, and forbids what is foreign."""
    with serving(agent) as address:
        fetch(address)
        reply = fetch(address, "/")

    assert (200, "text/html; charset=utf-8") == (reply.status, reply.headers["content-type"])
    assert b"no &lt;such&gt; thing &amp; no &#39;other&#39;" in reply.body
    assert "default-src 'none'" in reply.headers["content-security-policy"]


@pytest.mark.parametrize(
    "path",
    [
        "/metrics/",
        "//metrics",
        "/%6detrics",
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/metrics/../../etc/passwd",
        "/favicon.ico",
        "/metrics%0d%0aX:1",
    ],
)
def test_nothing_else_is_there(agent: Agent, path: str) -> None:
    """A path that is not one of ours is 404, however it is written; nothing of it comes back."""
    with serving(agent) as address:
        reply = fetch(address, path)

    assert (404, b"404 Not Found: see / for what there is\n") == (reply.status, reply.body)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "X"])
def test_other_methods(agent: Agent, method: str) -> None:
    """What is neither GET nor HEAD is 405 and says what is allowed."""
    with serving(agent) as address:
        reply = fetch(address, "/metrics", method=method)

    assert (405, "GET, HEAD") == (reply.status, reply.headers["allow"])


def test_head(agent: Agent) -> None:
    """HEAD has the headers of GET and no body."""
    with serving(agent) as address:
        get, head = fetch(address, "/"), fetch(address, "/", method="HEAD")

    assert b"" == head.body
    assert get.headers["content-length"] == head.headers["content-length"]


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"\x00\x01\x02\x03\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n folded\r\n\r\n", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        (b"GET /" + b"a" * 20_000, 414),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 20_000, 431),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 16_380 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: 1\r\n" * 200 + b"\r\n", 431),
    ],
)
def test_what_is_no_request(agent: Agent, data: bytes, status: int) -> None:
    """Such bytes get their status and the end of the connection, and the next client its answer."""
    with serving(agent) as address:
        answer = talk(address, data)
        assert status == status_of(answer)
        assert b"Connection: close\r\n" in answer
        assert 200 == fetch(address, "/-/healthy").status


def test_several_requests_at_once(agent: Agent) -> None:
    """Pipelined requests are answered in their order, on one connection."""
    with serving(agent) as address:
        answer = talk(
            address,
            GET
            + b"\r\n\r\n"
            + GET.replace(b"healthy", b"x")
            + b"\r\n"
            + GET
            + b"Connection: close\r\n\r\n",
        )

    statuses = re.findall(rb"HTTP/1\.1 (\d+)", answer)
    assert [b"200", b"404", b"200"] == statuses


def test_a_body_is_not_taken_for_a_request(agent: Agent) -> None:
    """The bytes after a request with a body are never parsed: no request is smuggled in."""
    inner = GET + b"\r\n"
    with serving(agent) as address:
        answer = talk(address, GET + b"Content-Length: %d\r\n\r\n" % len(inner) + inner)

    assert 1 == answer.count(b"HTTP/1.1 ")


def test_curl(agent: Agent) -> None:
    """Curl scrapes, compressed, over one connection for two requests."""
    with serving(agent) as address:
        url = f"http://{address}/metrics"
        done = subprocess.run(
            [program("curl"), "-sS", "--compressed", "-w", "%{num_connects}\n", url, url],
            check=True,
            capture_output=True,
            text=True,
            timeout=10,
        )

    assert 2 == done.stdout.count('tailsight_demo_temperature_celsius{place="cpu"} 41.5\n')
    assert ["1", "0"] == [line for line in done.stdout.splitlines() if line in {"0", "1"}]
