"""How chronyd is asked: at a port or a socket, and what comes of one that does not answer."""

import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from exporters.clock.asking import RETRY_SECONDS
from exporters.clock.chrony import collector
from exporters.clock.chrony_socket import endpoints
from exporters.clock.options import ClockOptions
from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.core.runner import run as run_task
from exporters.core.task import Outcome, Task
from tests.support.chrony import REAL, Chronyd, answering, patched, recorded
from tests.support.clock import ClockRoot
from tests.support.collect import run, values
from tests.support.uevents import descriptors

SYNCHRONIZED = 'tailsight_clock_synchronized{source="chrony"}'


def asking(address: str, root: Root | None = None) -> Task:
    """Return the collector at work at an address."""
    options = ClockOptions(chrony_address=address)
    return Task(collector(options), root or Root(), rediscover_seconds=60.0)


def scrape(task: Task) -> Outcome:
    """Return the outcome of one scrape."""
    outcome = Outcome()
    run_task(task, outcome, Root())
    return outcome


def unused_port() -> int:
    """Return a UDP port of 127.0.0.1 that nobody listens to."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.mark.parametrize("place", ["127.0.0.1", "::1", "socket"])
def test_a_live_one(tmp_path: Path, place: str) -> None:
    """A port or a socket gives what a recording gives, and nothing stays behind."""
    folder = tmp_path / "run"
    folder.mkdir()
    where = folder / "chronyd.sock" if place == "socket" else place
    with answering(where, Chronyd(recorded("sources"))) as address:
        task = asking(address)
        expected = values(scrape(task))
        before = descriptors()
        for _ in range(5):
            assert expected == values(scrape(task))
        assert before == descriptors()
        assert ["chronyd.sock"] * (place == "socket") == os.listdir(folder)
    shutil.copytree(REAL / "sources", tmp_path / "replay/chrony")
    assert expected == values(run(collector(ClockOptions()), ReplayRoot(str(tmp_path))))


def test_it_can_answer_to_its_socket(tmp_path: Path) -> None:
    """Beside chronyd's own lies ours, while it is asked, open to chronyd, which is not root."""
    seen: list[int] = []

    class Looking(Chronyd):
        def answers(self, request: bytes) -> Iterator[bytes]:
            paths = tmp_path.glob("tailsight.*")
            seen.extend(path.stat().st_mode & 0o777 for path in paths)
            return super().answers(request)

    with answering(tmp_path / "chronyd.sock", Looking(recorded("follower"))) as address:
        assert "ok" == scrape(asking(address)).status
    assert {0o666} == set(seen)


def test_requests_differ() -> None:
    """A reply to an older request cannot be taken for one to this."""
    with answering("127.0.0.1", Chronyd(recorded("follower"))) as address:
        task, daemon = asking(address), Chronyd([])
        scrape(task)
        with answering("127.0.0.1", daemon) as other:
            scrape(asking(other))
            scrape(asking(other))
    assert 4 == len({request[8:12] for request in daemon.requests})


def test_replies_to_others_are_passed_over() -> None:
    """Of three replies, the one with the right sequence number counts."""

    class Confused(Chronyd):
        def answers(self, request: bytes) -> Iterator[bytes]:
            for message in super().answers(request):
                wrong = (int.from_bytes(message[16:20], "big") ^ 1).to_bytes(4, "big")
                yield patched(patched(message, 16, wrong), 28 + 24, b"\0\1")
                yield message

    with answering("127.0.0.1", Confused(recorded("follower"))) as address:
        assert 6 == values(scrape(asking(address)))["tailsight_chrony_stratum"]


def test_nobody_at_the_port() -> None:
    """The kernel says so at once: there is none, with the address and what may be the cause."""
    address = f"127.0.0.1:{unused_port()}"
    outcome = scrape(asking(address))
    assert ("absent", []) == (outcome.status, outcome.failures)
    assert outcome.reason == (
        f"chronyd does not run, or not with this cmdport: nobody listens at {address}"
    )


def test_nobody_at_the_socket(tmp_path: Path) -> None:
    """Neither without a socket nor with one that was left behind."""
    path = tmp_path / "chronyd.sock"
    assert "absent" == scrape(asking(str(path))).status
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as dead:
        dead.bind(str(path))
    assert "absent" == scrape(asking(str(path))).status
    assert ["chronyd.sock"] == os.listdir(tmp_path)


def test_a_host_that_is_not_known() -> None:
    """The reason names it."""
    outcome = scrape(asking("256.0.0.1:323"))
    assert "error" == outcome.status
    assert outcome.reason.startswith("256.0.0.1:323: ")


def test_one_that_is_restarted() -> None:
    """While it is away it is absent, and then it is asked as before."""
    port = unused_port()
    with answering("127.0.0.1", Chronyd(recorded("follower")), port) as address:
        task = asking(address)
        assert "ok" == scrape(task).status
    outcome = scrape(task)
    assert ("absent", []) == (outcome.status, outcome.samples)
    with answering("127.0.0.1", Chronyd(recorded("follower")), port):
        task.invalidate()
        assert "ok" == scrape(task).status


@pytest.mark.parametrize("place", ["127.0.0.1", "socket"])
def test_one_that_falls_silent(tmp_path: Path, place: str) -> None:
    """It costs the wait once, not at every scrape, and is asked again after a while."""
    root, daemon = ClockRoot(), Chronyd(recorded("follower"))
    with answering(tmp_path / "s" if place == "socket" else place, daemon) as address:
        task = asking(address, root)
        assert "ok" == scrape(task).status
        daemon.messages = []
        assert "no answer within 0.1 s" in scrape(task).reason
        asked = len(daemon.requests)
        assert "no answer within 0.1 s" in scrape(task).reason
        assert asked == len(daemon.requests)
        daemon.messages = recorded("follower")
        root.seconds = RETRY_SECONDS
        assert "ok" == scrape(task).status


def test_one_that_is_silent_from_the_start() -> None:
    """The reason says what to look at; it is kept, not waited for anew."""
    with answering("127.0.0.1", Chronyd([])) as address:
        task = asking(address)
        first, again = scrape(task), scrape(task)
    assert "cmdallow" in first.reason
    assert ("error", first.reason) == (again.status, again.reason)


def test_half_an_answer() -> None:
    """What is missing might be what matters: it fails as a whole."""
    messages = [(REAL / "follower/activity.bin").read_bytes()]
    with answering("127.0.0.1", Chronyd(messages)) as address:
        outcome = scrape(asking(address))
    assert ("error", []) == (outcome.status, outcome.samples)


def test_a_part_that_is_not_permitted() -> None:
    """Chronyd may permit TRACKING alone (opencommands): that is told, with a failure beside."""
    tracking = (REAL / "follower/tracking.bin").read_bytes()
    denied = patched((REAL / "refused/tracking.bin").read_bytes(), 4, b"\x00\x2c\x00\x01\x00\x02")
    with answering("127.0.0.1", Chronyd([tracking, denied])) as address:
        outcome = scrape(asking(address))
    assert ("ok", 1) == (outcome.status, values(outcome)[SYNCHRONIZED])
    assert ["chronyd refuses activity: not permitted"] == [str(f.error) for f in outcome.failures]


def test_nothing_that_is_permitted() -> None:
    """The reason is chronyd's."""
    tracking = (REAL / "refused/tracking.bin").read_bytes()
    with answering("127.0.0.1", Chronyd([tracking, patched(tracking, 4, b"\x00\x2c")])) as address:
        outcome = scrape(asking(address))
    assert "error" == outcome.status
    assert "chronyd refuses tracking: wrong length of the request" in outcome.reason


def test_garbage_from_it() -> None:
    """An answer that is none is a failure, with the reason."""
    messages = [one[:40] for one in recorded("follower")]
    with answering("127.0.0.1", Chronyd(messages)) as address:
        outcome = scrape(asking(address))
    assert "error" == outcome.status
    assert "with 12 bytes" in outcome.reason


def test_no_place_for_our_socket(tmp_path: Path) -> None:
    """The reason names the folder; here its path is too long for one more socket."""
    folder = tmp_path / ("x" * (95 - len(str(tmp_path))))
    folder.mkdir()
    with answering(folder / "s", Chronyd(recorded("follower"))) as address:
        outcome = scrape(asking(address))
    assert "error" == outcome.status
    assert f"no folder for a socket to answer to: {folder}" in outcome.reason


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1:323", ["127.0.0.1:323"]),
        ("[::1]:1323", ["[::1]:1323"]),
        ("/run/chrony/chronyd.sock", ["/run/chrony/chronyd.sock"]),
    ],
)
def test_addresses(address: str, expected: list[str]) -> None:
    """A port of an IPv4 or IPv6 address, or a path."""
    assert expected == [place.where for place in endpoints(address)]


def test_an_address_without_a_host() -> None:
    """It is this machine's, by either protocol."""
    assert "127.0.0.1:323" in {place.where for place in endpoints(":323")}
