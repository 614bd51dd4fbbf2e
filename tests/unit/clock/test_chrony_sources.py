"""chronyd's sources one by one; ``chronyc`` is the oracle."""

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.clock.chrony import collector, samples
from exporters.clock.chrony_messages import Command, parse, request
from exporters.clock.chrony_sources import MODES, MOST, STATES, parse_count, parse_source
from exporters.clock.options import ClockOptions
from exporters.core import Root
from exporters.core.runner import run as run_task
from exporters.core.task import Outcome, Task
from tests.support.chrony import REAL, SOURCE, Chronyd, answering, patched, recorded, refusal
from tests.support.collect import values

MODE_MARKS = dict(zip("^=#", MODES, strict=True))
STATE_MARKS = dict(zip("*?x~+-", STATES, strict=True))
REACHABLE = 'tailsight_chrony_reachable_sources{{mode="{}"}}'
SELECTION = 'tailsight_chrony_source_selection{{state="{}"}}'
# Offsets of state, mode and reachability in a reply, 28 bytes of which are its head.
STATE, MODE, REACH = 28 + 24, 28 + 26, 28 + 30


def printed() -> list[list[str]]:
    """Return what ``chronyc -c sources -a`` printed: mode, state, name, stratum, poll, reach."""
    text = (REAL / "sources/chronyc.txt").read_text(encoding="utf-8")
    lines = text.partition("$ chronyc -n -c sources -a\n")[2].splitlines()
    return [line.split(",") for line in lines if line]


def source(number: int) -> bytes:
    """Return the reply on a source."""
    return (REAL / f"sources/source{number}.bin").read_bytes()


def sources(*messages: bytes) -> list[bytes]:
    """Return a follower's replies with other sources."""
    return [*recorded("follower"), *messages]


def scrape(task: Task) -> Outcome:
    """Return the outcome of one scrape."""
    outcome = Outcome()
    run_task(task, outcome, Root())
    return outcome


def asking(address: str) -> Task:
    """Return the collector at work at an address."""
    return Task(collector(ClockOptions(chrony_address=address)), Root(), rediscover_seconds=60.0)


def reached(outcome: Outcome) -> object:
    """Return how many servers answer."""
    return values(outcome).get(REACHABLE.format("server"))


@pytest.mark.parametrize(
    ("command", "number", "asked", "reply"),
    [(Command.SOURCE_COUNT, 14, 0, "count"), (Command.SOURCE, 15, 3, "source3")],
)
def test_a_request(command: Command, number: int, asked: int, reply: str) -> None:
    """Byte for byte by candm.h, the source's number last; as long as the real reply."""
    expected = f"06010000{number:04x}000012345678{'00' * 8}{asked:08x}"
    sent = request(command, 0x12345678, asked)

    assert (REAL / f"sources/{reply}.bin").stat().st_size == len(sent)
    assert bytes.fromhex(expected) == sent[:24]
    assert not any(sent[24:])


def test_sources_by_chronyc() -> None:
    """Each is what chronyc prints of the same bytes; Reach is an octal number."""
    found = [parse_source(parse(source(number)).content()) for number in range(7)]

    assert [
        (MODE_MARKS[mode], STATE_MARKS[state], int(reach, 8) > 0)
        for mode, state, _, _, _, reach, *_ in printed()
    ] == found
    assert 7 == parse_count(parse((REAL / "sources/count.bin").read_bytes()).content())


def test_their_numbers() -> None:
    """A number for each mode and state, 0 too: an alert needs no absent()."""
    found = {
        sample.series.prefix.rstrip(): sample.value
        for sample in samples(map(parse, recorded("sources")))
    }
    states = Counter(STATE_MARKS[row[1]] for row in printed())

    assert [3, 0, 0] == [found[REACHABLE.format(mode)] for mode in MODES]
    assert {state: states[state] for state in STATES} == {
        state: found[SELECTION.format(state)] for state in STATES
    }


@pytest.mark.parametrize("capture", ["follower", "local"])
def test_a_recording_without_sources_tells_nothing_of_them(capture: str) -> None:
    """Not asked is not none."""
    found = samples(map(parse, recorded(capture)))

    assert not any("reachable" in sample.series.prefix for sample in found)


def test_none_is_a_number() -> None:
    """A chronyd that has none, and says so, has 0 that answer."""
    with answering("127.0.0.1", Chronyd(sources())) as address:
        assert 0 == reached(scrape(asking(address)))


def test_sources_come_and_go() -> None:
    """Each scrape has them all; asked for one too many, chronyd says that there is none."""
    daemon = Chronyd(sources(source(1)))
    with answering("127.0.0.1", daemon) as address:
        task = asking(address)
        assert 1 == reached(scrape(task))
        daemon.messages = sources(source(1), source(2), source(3))
        assert 3 == reached(scrape(task))
        daemon.messages = sources(source(2), source(4))
        assert 1 == reached(scrape(task))
        asked = len(daemon.requests)
        assert 1 == reached(scrape(task))
        # tracking, activity, the number of sources and the two of them
        assert 5 == len(daemon.requests) - asked


def test_a_source_that_goes_in_between() -> None:
    """It was counted and is there no more: no failure, the others count."""

    class Losing(Chronyd):
        def answers(self, request: bytes) -> Iterator[bytes]:
            last = request[4:6] == SOURCE and request[20:24] == b"\0\0\0\2"
            gone = patched(refusal(SOURCE, 4), 16, request[8:12])
            return iter([gone]) if last else super().answers(request)

    with answering("127.0.0.1", Losing(sources(source(1), source(2), source(3)))) as address:
        outcome = scrape(asking(address))
        assert ([], 2) == (outcome.failures, reached(outcome))


def test_more_than_can_be_asked_for() -> None:
    """The first 64 count."""
    with answering("127.0.0.1", Chronyd(sources(*[source(1)] * 100))) as address:
        assert (64, 64) == (MOST, reached(scrape(asking(address))))


def test_they_are_not_permitted() -> None:
    """Chronyd may leave the command out (opencommands): a failure of these alone."""
    denied = refusal(b"\0\x0e", 2)
    with answering("127.0.0.1", Chronyd(sources(denied))) as address:
        outcome = scrape(asking(address))
    reason = "chronyd refuses source_count: not permitted"
    assert [(f"{address} sources", reason)] == [
        (failure.where, str(failure.error)) for failure in outcome.failures
    ]
    assert 1 == values(outcome)['tailsight_clock_synchronized{source="chrony"}']


def test_a_silent_chronyd_is_waited_for_once() -> None:
    """What tracking has told is not told again for its sources."""
    daemon = Chronyd(sources(source(1)))
    with answering("127.0.0.1", daemon) as address:
        task = asking(address)
        scrape(task)
        daemon.messages = []
        outcome = scrape(task)
    assert [address] == [failure.where for failure in outcome.failures]


@pytest.mark.parametrize(("place", "value"), [(STATE, b"\0\6"), (MODE, b"\0\3"), (REACH, b"\1\0")])
def test_what_cannot_be(place: int, value: bytes) -> None:
    """A state, mode or register that candm.h does not have."""
    with pytest.raises(ValueError, match="source out of range"):
        parse_source(parse(patched(source(1), place, value)).content())


@pytest.mark.parametrize(("register", "expected"), [(0, False), (1, True), (0x80, True)])
def test_one_answered_poll_is_enough(register: int, expected: bool) -> None:  # noqa: FBT001  # a table
    """The register has a bit for each of eight polls, the latest in bit 0."""
    reply = patched(source(1), REACH, register.to_bytes(2, "big"))

    assert expected == parse_source(parse(reply).content()).reachable


@given(st.binary(max_size=80))
def test_any_bytes(data: bytes) -> None:
    """Any bytes are a source, or a number of them, or a ValueError."""
    for parser in (parse_source, parse_count):
        try:
            assert parser(data) is not None
        except ValueError:
            continue


def test_a_reply_to_something_else_is_passed_over() -> None:
    """Even if it has the sequence number of a request for a source."""

    class Confused(Chronyd):
        def answers(self, request: bytes) -> Iterator[bytes]:
            for message in super().answers(request):
                if request[4:6] == SOURCE:
                    yield patched(self.messages[0], 16, request[8:12])
                yield message

    with answering("127.0.0.1", Confused(sources(source(1)))) as address:
        assert 1 == reached(scrape(asking(address)))
