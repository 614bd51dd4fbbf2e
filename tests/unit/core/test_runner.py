"""The runner keeps collectors apart, in time too."""

import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from exporters.core import (
    Collector,
    Failure,
    FileSensor,
    Kind,
    Metric,
    NoData,
    Root,
    Sample,
    Sensor,
    Unit,
)
from exporters.core.runner import Runner
from exporters.hardware.numbers import whole

UP = Metric("example", Kind.GAUGE, Unit.NONE, "An example.", ("which",))


class Call:
    """A sensor that is a call."""

    def __init__(self, name: str, wait: threading.Event | None = None) -> None:
        self.where = name
        self.calls = 0
        self._wait = wait

    def read(self, _: Root) -> Sequence[Sample]:
        """Wait where told to, then answer 1."""
        self.calls += 1
        if self._wait:
            self._wait.wait()
        return (UP.sample(1, which=self.where),)


def fixed(name: str, *sensors: Sensor) -> Collector:
    """Return a collector over given sensors."""
    return Collector(name, (UP,), lambda _: sensors, name, "")


def raising(error: Exception) -> Collector:
    """Return a collector whose search raises."""

    def discover(_: Root) -> Iterator[Sensor | Failure]:
        raise error

    return Collector(type(error).__name__, (UP,), discover, "", "")


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Whatever hangs in a test goes on at its end."""
    event = threading.Event()
    yield event
    event.set()


def test_hung_broken_and_absent_stay_alone(tmp_path: Path, release: threading.Event) -> None:
    """One of each leaves the good one untouched, and threads do not pile up."""
    hung = Call("hung", release)
    runner = Runner(
        [fixed("hung", hung), raising(TypeError()), raising(NoData()), fixed("good", Call("a"))],
        Root(str(tmp_path)),
        timeout_seconds=0.4,
    )
    before = threading.active_count()
    for _ in range(3):
        outcomes = runner.scrape()

        assert {"hung": "timeout", "TypeError": "error", "NoData": "absent", "good": "ok"} == {
            name: outcome.status for name, outcome in outcomes.items()
        }
    assert 1 == hung.calls
    assert threading.active_count() <= before + 2  # the stuck lane and the one at work


def test_a_collector_that_comes_back_works_again(tmp_path: Path, release: threading.Event) -> None:
    """When the hung call returns, its collector is run at the next scrape."""
    before = set(threading.enumerate())
    runner = Runner([fixed("hung", Call("hung", release))], Root(str(tmp_path)), 0.1)

    assert "timeout" == runner.scrape()["hung"].status
    release.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(5.0)

    assert "ok" == runner.scrape()["hung"].status


def test_a_slow_collector_does_not_keep_others_waiting(
    tmp_path: Path, release: threading.Event
) -> None:
    """While the first collector waits, another thread runs the rest within the time."""
    late = threading.Event()

    class Releasing(Call):
        def read(self, root: Root) -> Sequence[Sample]:
            release.set()
            late.set()
            return super().read(root)

    runner = Runner(
        [fixed("slow", Call("slow", release)), fixed("next", Releasing("next"))],
        Root(str(tmp_path)),
        timeout_seconds=30.0,
    )

    assert ["ok", "ok"] == [outcome.status for outcome in runner.scrape().values()]
    assert late.is_set()


def test_a_hung_file_costs_itself_only(tmp_path: Path) -> None:
    """After a read hangs, the other sensors of its collector are still read at every scrape."""
    for name in ("one", "two"):
        (tmp_path / name).write_text("7")
    os.mkfifo(tmp_path / "hung")
    writer = os.open(tmp_path / "hung", os.O_RDWR)

    class BlockingRoot(Root):
        """Opens as a sysfs file that hangs would: without O_NONBLOCK."""

        def read_bytes(self, path: str) -> bytes:
            if path != "hung" or path in self._stuck:
                return super().read_bytes(path)
            self._enter(path)
            with Path(self.locate(path)).open("rb") as file:
                return file.read(1)

    root = BlockingRoot(str(tmp_path))
    sensors = [FileSensor(UP.series(which=w), w, whole()) for w in ("one", "hung", "two")]
    runner = Runner([fixed("files", *sensors)], root, timeout_seconds=0.2)

    first = runner.scrape()["files"]
    seconds = runner.scrape()["files"]
    third = runner.scrape()["files"]
    os.write(writer, b"1")
    os.close(writer)

    assert ("timeout", ["one"]) == (first.status, [s.series.values[0] for s in first.samples])
    for later in (seconds, third):
        assert "timeout" == later.status
        assert ["one", "two"] == [sample.series.values[0] for sample in later.samples]
        assert ["hung"] == [failure.where for failure in later.failures]
        assert later.reason.startswith("hung has not come back for")


def test_a_hung_call_is_not_laid_on_the_file_before_it(
    tmp_path: Path, release: threading.Event
) -> None:
    """What was read before a call that hangs is not to blame: it stays readable."""
    (tmp_path / "one").write_text("7")
    root = Root(str(tmp_path))
    sensors = FileSensor(UP.series(which="one"), "one", whole()), Call("hung", release)
    runner = Runner([fixed("files", *sensors)], root, timeout_seconds=0.2)

    outcome = runner.scrape()["files"]

    assert ("timeout", []) == (outcome.status, outcome.failures)
    assert outcome.reason.startswith("a call has not come back for")
    assert [] == root.stuck()


def test_the_time_is_kept(tmp_path: Path, release: threading.Event) -> None:
    """However many hang, all answer within the scrape's time, and threads are bounded."""
    runner = Runner(
        [fixed(f"hung{number}", Call("hung", release)) for number in range(10)],
        Root(str(tmp_path)),
        timeout_seconds=0.5,
    )

    outcomes = runner.scrape()

    assert {"timeout"} == {outcome.status for outcome in outcomes.values()}


def test_close_ends_idle_threads(tmp_path: Path) -> None:
    """A runner that is closed leaves no thread behind."""
    before = set(threading.enumerate())
    runner = Runner([fixed("good", Call("a"))], Root(str(tmp_path)), 5.0)
    runner.scrape()
    lanes = set(threading.enumerate()) - before
    runner.close()
    for thread in lanes:
        thread.join(5.0)

    assert lanes
    assert not any(thread.is_alive() for thread in lanes)


def test_invalidate_reaches_every_collector(tmp_path: Path) -> None:
    """After a hot-plug event, every collector looks anew."""
    searches: list[str] = []

    def discover(_: Root) -> Iterator[Sensor | Failure]:
        searches.append("")
        yield Call("a")

    runner = Runner([Collector("x", (UP,), discover, "", "")], Root(str(tmp_path)), 5.0)
    runner.scrape()
    runner.scrape()
    runner.invalidate()
    runner.scrape()

    assert 2 == len(searches)


def test_no_thread_to_be_had_costs_one_scrape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A container at its limit of processes loses what it could not run, and nothing for good."""
    runner = Runner([fixed("one", Call("one"))], Root(str(tmp_path)), 0.2)

    def refuse(_: threading.Thread) -> None:
        msg = "can't start new thread"
        raise RuntimeError(msg)

    with monkeypatch.context() as limit:
        limit.setattr(threading.Thread, "start", refuse)
        assert "timeout" == runner.scrape()["one"].status

    assert "ok" == runner.scrape()["one"].status
    runner.close()
