"""The buffer is bounded by size and age, keeps the order, and tells of every loss."""

import threading

from hypothesis import given
from hypothesis import strategies as st

from exporters.otlp.buffer import Buffer, Request
from exporters.otlp.result import Dropped


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


class Bench:
    """A buffer of 10 bytes and 60 seconds, with what it dropped."""

    def __init__(self, max_bytes: int = 10) -> None:
        self.clock = Clock()
        self.lost: list[tuple[Dropped, int]] = []
        self.buffer = Buffer(
            max_bytes, 60.0, lambda reason, points: self.lost.append((reason, points)), self.clock
        )

    def put(self, body: bytes, points: int = 1) -> None:
        """Put a request of now."""
        self.buffer.put(Request(body, points, self.clock()))

    def rest(self) -> list[bytes]:
        """Take all that is left."""
        self.buffer.close()
        bodies = []
        while (request := self.buffer.take()) is not None:
            bodies.append(request.body)
            self.buffer.done()
        return bodies


def test_first_in_first_out() -> None:
    """What was put first is taken first."""
    bench = Bench()
    for body in (b"a", b"b", b"c"):
        bench.put(body)
    assert [b"a", b"b", b"c"] == bench.rest()
    assert 0 == bench.buffer.bytes


def test_the_oldest_goes_first() -> None:
    """Above the size the oldest requests are dropped and counted."""
    bench = Bench()
    for body, points in ((b"aaaa", 1), (b"bbbb", 2), (b"cccc", 4), (b"dddddd", 8)):
        bench.put(body, points)
    assert [(Dropped.BUFFER_FULL, 1), (Dropped.BUFFER_FULL, 2)] == bench.lost
    assert [b"cccc", b"dddddd"] == bench.rest()


def test_a_request_larger_than_the_buffer() -> None:
    """It is dropped and counted like any other."""
    bench = Bench()
    bench.put(b"x" * 11, 5)
    assert ([(Dropped.BUFFER_FULL, 5)], 0) == (bench.lost, bench.buffer.bytes)


def test_old_requests_go() -> None:
    """What is older than a minute is not worth sending, even if there is room."""
    bench = Bench()
    bench.put(b"a", 3)
    bench.clock.now = 61.0
    bench.put(b"b")
    assert ([(Dropped.TOO_OLD, 3)], [b"b"]) == (bench.lost, bench.rest())


def test_restored_is_oldest_again() -> None:
    """What could not be sent comes before what was put meanwhile."""
    bench = Bench()
    bench.put(b"a")
    bench.buffer.take()
    bench.put(b"b")
    bench.buffer.restore()
    assert [b"a", b"b"] == bench.rest()


def test_what_is_being_sent_comes_on_top() -> None:
    """It costs nothing newer its place; once it is back, it is the oldest and goes first."""
    bench = Bench()
    bench.put(b"aaaaaa", 3)
    bench.buffer.take()
    bench.put(b"bbbb")
    bench.put(b"cc")
    assert ([], 12) == (bench.lost, bench.buffer.bytes)
    bench.buffer.restore()
    assert ([(Dropped.BUFFER_FULL, 3)], 6) == (bench.lost, bench.buffer.bytes)
    assert [b"bbbb", b"cc"] == bench.rest()


def test_rest_counts_points() -> None:
    """What would be lost at the end is known, with what is being sent."""
    bench = Bench()
    bench.put(b"a", 3)
    bench.put(b"b", 4)
    bench.buffer.take()
    assert 7 == bench.buffer.rest()


def test_take_waits() -> None:
    """The sender sleeps until there is something to send."""
    bench = Bench()
    taken: list[Request | None] = []
    thread = threading.Thread(target=lambda: taken.append(bench.buffer.take()))
    thread.start()
    bench.put(b"a")
    thread.join(5)
    assert [b"a"] == [request.body for request in taken if request]


def test_close_wakes() -> None:
    """Closing an empty buffer ends the wait."""
    bench = Bench()
    taken: list[Request | None] = []
    thread = threading.Thread(target=lambda: taken.append(bench.buffer.take()))
    thread.start()
    bench.buffer.close()
    thread.join(5)
    assert [None] == taken


@given(st.lists(st.tuples(st.sampled_from("ptrd"), st.integers(0, 12))))
def test_any_use(steps: list[tuple[str, int]]) -> None:
    """Whatever happens in whatever order: within bounds, in order, and nothing unaccounted."""
    bench = Bench()
    taken: Request | None = None
    put, done = 0, 0
    for step, size in steps:
        if step == "p":
            put += 1
            bench.put(b"x" * size, put)
        elif step == "t" and taken is None and bench.buffer.rest():
            taken = bench.buffer.take()
        elif step in "rd" and taken is not None:
            done += taken.points if step == "d" else 0
            bench.buffer.restore() if step == "r" else bench.buffer.done()
            taken = None
        sending = len(taken.body) if taken else 0
        assert bench.buffer.bytes <= 10 + sending
    lost = [points for _, points in bench.lost]
    assert put * (put + 1) // 2 == sum(lost) + done + bench.buffer.rest()
