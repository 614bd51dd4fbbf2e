"""What is told of ptp4l, when, and how it is asked."""

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from exporters.clock.asking import RETRY_SECONDS, _bind
from exporters.clock.options import ClockOptions
from exporters.clock.ptp4l import check_recording, collector
from exporters.clock.ptp_answers import Answers, gather
from exporters.clock.ptp_messages import Id, parse
from exporters.clock.ptp_status import samples
from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.core.runner import run as run_task
from exporters.core.task import Outcome, Task
from tests.support.clock import ClockRoot
from tests.support.collect import run, values
from tests.support.ptp import PTP, REAL, Ptp4l, answering, patched, recorded
from tests.support.uevents import descriptors

MakeTree = Callable[[dict[str, str | bytes]], Path]

SYNCHRONIZED = 'tailsight_clock_synchronized{source="ptp4l"}'
OFFSET = 'tailsight_clock_offset_seconds{source="ptp4l"}'
BOUND = 'tailsight_clock_error_bound_seconds{source="ptp4l"}'
OWN_BOUND = "tailsight_ptp_error_bound_seconds"
PRESENT = "tailsight_ptp_grandmaster_present"
DELAY = "tailsight_ptp_mean_path_delay_seconds"


def state(name: str, interface: str = "veth0", port: int = 1) -> str:
    """Return the series of a port in a state."""
    return f'tailsight_ptp_port_state_info{{port="{port}",interface="{interface}",state="{name}"}}'


def replayed(tmp_path: Path, *files: Path) -> dict[str, object]:
    """Return what is exported of recorded answers."""
    folder = tmp_path / "replay/ptp4l"
    folder.mkdir(parents=True)
    for file in files:
        shutil.copy(file, folder)
    outcome = run(collector(ClockOptions()), ReplayRoot(str(tmp_path)))
    assert "ok" == outcome.status, outcome.reason
    return values(outcome)


def said(answers: Answers) -> dict[str, object]:
    """Return what is exported of answers."""
    return {sample.series.prefix.rstrip(): sample.value for sample in samples(answers)}


def of(capture: str) -> Answers:
    """Return the answers of a capture."""
    return gather(map(parse, recorded(capture)))


def test_a_follower(tmp_path: Path) -> None:
    """
    All of it, by the numbers that ``pmc`` printed.

    The bound is offset and path delay, 127 + 2483 ns; true time is another 100 ns away at most,
    by clockAccuracy 0x21.
    """
    assert {
        SYNCHRONIZED: 1,
        state("slave"): 1,
        PRESENT: 1,
        "tailsight_ptp_grandmaster_info{"
        'grandmaster="020000.fffe.000001",parent="020000.fffe.000001-1",'
        'clock_class="6",accuracy="1e-07"}': 1,
        "tailsight_ptp_steps_removed": 1,
        "tailsight_ptp_time_properties_info{"
        'timescale="arbitrary",traceable="false",leap="none",source="gnss"}': 1,
        OFFSET: -127e-9,
        "tailsight_ptp_rate_offset_ratio": 0,
        "tailsight_ptp_last_sync_timestamp_seconds": pytest.approx(1796096376.491720597),
        DELAY: 2483e-9,
        OWN_BOUND: pytest.approx(2610e-9),
        BOUND: pytest.approx(2710e-9),
    } == replayed(tmp_path, *(REAL / "follower").glob("*.bin"))


def test_a_grandmaster_that_went_away(tmp_path: Path) -> None:
    """
    ptp4l goes on to name it, with gmPresent, the last offset and delay: none of it is told.

    Its port listens, and the time of the last Sync is back at 0.
    """
    assert {SYNCHRONIZED: 0, state("listening"): 1, PRESENT: 0} == replayed(
        tmp_path, *(REAL / "grandmaster-gone").glob("*.bin")
    )


def test_a_slave_on_another_time_scale(tmp_path: Path) -> None:
    """A real slave that is off by TAI minus UTC: the offset shows, but it does not follow."""
    found = replayed(tmp_path, *(REAL / "tai-taken-for-utc").glob("*.bin"))
    assert (0, 1, 37.000000422) == (found[SYNCHRONIZED], found[state("slave")], found[OFFSET])
    assert 37 == found["tailsight_ptp_utc_offset_seconds"]
    assert set() == {BOUND, OWN_BOUND} & found.keys()


@pytest.mark.parametrize(
    ("name", "offset", "present"), [("locked", -571e-9, 1), ("huge", 70366.639424941, 1)]
)
def test_the_status_alone(tmp_path: Path, name: str, offset: float, present: int) -> None:
    """An offset as ptp4l says it; without the ports' states nobody knows whether it follows."""
    found = replayed(tmp_path, PTP / f"time_status_np_{name}.bin")
    assert (offset, present) == (found[OFFSET], found[PRESENT])
    assert SYNCHRONIZED not in found


def test_no_grandmaster_no_offset(tmp_path: Path) -> None:
    """With gmPresent=0 the offset has no meaning."""
    assert {PRESENT: 0} == replayed(tmp_path, PTP / "time_status_np_no_gm.bin")


@pytest.mark.parametrize(("clock_class", "expected"), [(6, 1), (7, 1), (13, 1), (248, 0), (255, 0)])
def test_a_grandmaster_itself(clock_class: int, expected: int) -> None:
    """It is synchronised where it has the time from elsewhere; 248 is what everybody starts as."""
    answers = of("follower")
    assert answers.time_status
    assert answers.parent
    answers.time_status = answers.time_status._replace(grandmaster_present=False)
    answers.parent = answers.parent._replace(clock_class=clock_class)
    answers.ports = {1: answers.ports[1]._replace(state="master")}
    found = said(answers)
    assert (expected, 0) == (found[SYNCHRONIZED], found[PRESENT])
    assert set() == {OFFSET, BOUND, OWN_BOUND, DELAY} & found.keys()


def test_an_offset_before_the_first_sync() -> None:
    """The 0 that ptp4l starts with is no reading."""
    answers = of("follower")
    assert answers.time_status
    answers.time_status = answers.time_status._replace(offset_seconds=0.0, ingress_seconds=0.0)
    found = said(answers)
    assert 0 == found[SYNCHRONIZED]
    assert set() == {OFFSET, BOUND, OWN_BOUND, DELAY} & found.keys()


def test_beyond_a_boundary_clock() -> None:
    """What it adds to the error is not told, so there is no bound."""
    answers = of("follower")
    assert answers.current
    answers.current = answers.current._replace(steps_removed=2)
    assert set() == {BOUND, OWN_BOUND} & said(answers).keys()


def test_a_grandmaster_of_unknown_accuracy() -> None:
    """By default clockAccuracy is 0xFE: a bound to the grandmaster, none to true time."""
    answers = of("follower")
    assert answers.parent
    answers.parent = answers.parent._replace(accuracy_seconds=None)
    found = said(answers)
    assert OWN_BOUND in found
    assert BOUND not in found


def test_a_recording_as_time_passes(tmp_path: Path) -> None:
    """A later version takes the place of the first, and an empty one of both."""
    folder = tmp_path / "replay/ptp4l"
    folder.mkdir(parents=True)
    (tmp_path / "replay/clock.json").write_text('{"epoch": 0, "speed": 0}')
    shutil.copy(PTP / "time_status_np_locked.bin", folder / "status.bin")
    shutil.copy(PTP / "time_status_np_huge.bin", folder / "status@60.bin")
    (folder / "status@90.5.bin").touch()
    root = ReplayRoot(str(tmp_path))
    seen = []
    for second in (0.0, 59.9, 60.0, 91.0):
        root.elapsed = lambda second=second: second  # type: ignore[method-assign,misc]
        seen.append(values(run(collector(ClockOptions()), root)).get(OFFSET))
    assert [-571e-9, -571e-9, 70366.639424941, None] == seen


def test_a_recording_is_checked() -> None:
    """A file that is no answer is named, a sound or an empty one is not."""
    sound = (PTP / "time_status_np_locked.bin").read_bytes()
    check_recording({"a.bin": sound, "b@5.bin": b""})
    with pytest.raises(ValueError, match=r"^c\.bin: 50 bytes are no PTP management message"):
        check_recording({"c.bin": sound[:50]})
    with pytest.raises(ValueError, match=r"^c@x\.bin: wants NAME@SECOND\.bin"):
        check_recording({"c@x.bin": sound})


def test_a_recording_without_it(make_tree: MakeTree) -> None:
    """The sockets of this machine are not asked."""
    outcome = run(collector(ClockOptions()), ReplayRoot(str(make_tree({"proc/version": "x"}))))
    assert ("absent", "the recording has no replay/ptp4l/*.bin") == (outcome.status, outcome.reason)


def asking(*sockets: Path, domain: int = 0, root: Root | None = None) -> Task:
    """Return the collector at work, with these sockets to try."""
    options = ClockOptions(ptp4l_sockets=tuple(map(str, sockets)), ptp4l_domain=domain)
    return Task(collector(options), root or Root(), rediscover_seconds=60.0)


def scrape(task: Task) -> Outcome:
    """Return the outcome of one scrape."""
    outcome = Outcome()
    run_task(task, outcome, Root())
    return outcome


def test_a_live_one(tmp_path: Path) -> None:
    """A socket gives what a recording gives, and leaves neither files nor descriptors behind."""
    path = tmp_path / "ptp4l"
    with answering(path, Ptp4l(recorded("follower"))):
        task = asking(path)
        expected = values(scrape(task))
        before = descriptors()
        for _ in range(5):
            assert expected == values(scrape(task))
        assert (before, ["ptp4l"]) == (descriptors(), os.listdir(tmp_path))
    assert expected == replayed(tmp_path, *(REAL / "follower").glob("*.bin"))


def test_a_read_only_socket(tmp_path: Path) -> None:
    """It tells no names of interfaces (linuxptp: NOT_SUPPORTED); all else is there."""
    path = tmp_path / "ptp4lro"
    with answering(path, Ptp4l(recorded("follower"), refuses=[Id.PORT_PROPERTIES_NP])):
        found = values(scrape(asking(path)))
    assert 1 == found[state("slave", interface="")]
    assert -127e-9 == found[OFFSET]


def test_the_first_that_answers(tmp_path: Path) -> None:
    """What is not there is passed over, and so is a socket that nobody listens to."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as dead:
        dead.bind(str(tmp_path / "dead"))
    path = tmp_path / "ptp4l"
    with answering(path, Ptp4l(recorded("follower"))):
        outcome = scrape(asking(tmp_path / "missing", tmp_path / "dead", path))
    assert ("ok", [], 1) == (outcome.status, outcome.failures, values(outcome)[SYNCHRONIZED])


def test_none_that_is_there() -> None:
    """Without any socket there is no ptp4l."""
    outcome = scrape(asking(Path("/missing/ptp4lro"), Path("/missing/ptp4l")))
    assert "absent" == outcome.status
    assert "ptp4l does not run: no /missing/ptp4lro, no /missing/ptp4l" == outcome.reason


def test_another_domain(tmp_path: Path) -> None:
    """ptp4l is silent then; the reason says what to look at, and is kept, not waited for anew."""
    path = tmp_path / "ptp4l"
    with answering(path, Ptp4l(recorded("follower"), domain=24)) as daemon:
        task = asking(path)
        first, again = scrape(task), scrape(task)
        assert (2, 0, ["ptp4l"]) == (len(daemon.requests), len(first.samples), os.listdir(tmp_path))
        assert "no answer within 0.15 s" in first.reason
        assert "another domain or transportSpecific" in first.reason
        assert first.reason == again.reason
        assert 1 == values(scrape(asking(path, domain=24)))[SYNCHRONIZED]


def test_one_that_falls_silent(tmp_path: Path) -> None:
    """It costs the wait once, not at every scrape, and is asked again after a while."""
    path = tmp_path / "ptp4l"
    root = ClockRoot()
    with answering(path, Ptp4l(recorded("follower"))) as daemon:
        task = asking(path, root=root)
        assert "ok" == scrape(task).status
        daemon.domain = 1
        assert "no answer" in scrape(task).reason
        asked = len(daemon.requests)
        assert "no answer" in scrape(task).reason
        assert asked == len(daemon.requests)
        daemon.domain = 0
        root.seconds = RETRY_SECONDS
        assert "ok" == scrape(task).status


def test_half_an_answer(tmp_path: Path) -> None:
    """What is missing might be what matters: it fails as a whole."""
    messages = recorded("follower")
    # DEFAULT_DATA_SET says three ports, of which one tells.
    three = [
        patched(one, 56, b"\x00\x03") if one[52:54] == b"\x20\x00" else one for one in messages
    ]
    path = tmp_path / "ptp4l"
    with answering(path, Ptp4l(three, refuses=[Id.PORT_PROPERTIES_NP])):
        outcome = scrape(asking(path))
    assert ("error", []) == (outcome.status, outcome.samples)
    assert "only 6 answers within 0.15 s" in outcome.reason


def test_every_port_is_waited_for(tmp_path: Path) -> None:
    """A boundary clock of three ports answers three times."""
    messages = []
    for one in recorded("follower"):
        copies = [one]
        if one[52:54] == b"\x20\x00":
            copies = [patched(one, 56, b"\x00\x03")]
        if one[52:54] == b"\x20\x04":
            # Port number and state.
            copies = [
                patched(one, 62, bytes([0, number, at])) for number, at in ((1, 9), (2, 6), (3, 4))
            ]
        messages += copies
    path = tmp_path / "ptp4l"
    with answering(path, Ptp4l(messages, refuses=[Id.PORT_PROPERTIES_NP])):
        found = values(scrape(asking(path)))
    assert {state("slave", "", 1), state("master", "", 2), state("listening", "", 3)} <= set(found)


def test_one_that_is_restarted(tmp_path: Path) -> None:
    """While it is away there is a failure at once, and then it is asked as before."""
    path = tmp_path / "ptp4l"
    with answering(path, Ptp4l(recorded("follower"))):
        task = asking(path)
        assert "ok" == scrape(task).status
    assert "absent" == scrape(task).status
    with answering(path, Ptp4l(recorded("follower"))):
        task.invalidate()
        assert "ok" == scrape(task).status


def test_garbage_from_it(tmp_path: Path) -> None:
    """An answer that is none is a failure of the collector, with the reason."""
    messages = [one if one[52:54] != b"\x20\x01" else one[:60] for one in recorded("follower")]
    path = tmp_path / "ptp4l"
    with answering(path, Ptp4l(messages)):
        outcome = scrape(asking(path))
    assert "error" == outcome.status
    assert "60 bytes of a PTP message of 72" in outcome.reason


def test_nowhere_to_answer_to() -> None:
    """The reason names the folders that were tried, and why each was not taken."""
    reason = r"no folder for a socket to answer to: /proc/1 \(.*, /missing \(No such file"
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel,
        pytest.raises(PermissionError, match=reason),
    ):
        _bind(channel, ("/proc/1", "/missing"))
