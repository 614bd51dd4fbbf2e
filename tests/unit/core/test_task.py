"""One collector's run: one bad sensor never costs the others."""

import errno
import math
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from exporters.core import Collector, Failure, FileSensor, Kind, Metric, NoData, Root, Sensor, Unit
from exporters.core.runner import run as run_task
from exporters.core.task import Outcome, Task
from exporters.hardware.numbers import celsius

HEAT = Metric("heat", Kind.GAUGE, Unit.CELSIUS, "Heat.", ("zone",))


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the zones of a made-up class."""
    for path in root.glob("sys/zone*"):
        yield FileSensor(HEAT.series(zone=path.removeprefix("sys/")), f"{path}/temp", celsius)


def make(tmp_path: Path, **temps: str) -> Task:
    """Return a task over zones that hold these texts."""
    for zone, text in temps.items():
        (tmp_path / "sys" / zone).mkdir(parents=True, exist_ok=True)
        (tmp_path / "sys" / zone / "temp").write_text(text)
    collector = Collector("heat", (HEAT,), discover, "sys/zone*", "Mount /sys.")
    return Task(collector, Root(str(tmp_path)), 60.0)


def run(task: Task) -> Outcome:
    """Return the outcome of one run."""
    run_task(task, outcome := Outcome(), Root("/"))
    return outcome


def readings(outcome: Outcome) -> dict[str, object]:
    """Return the values by zone."""
    return {sample.series.values[0]: sample.value for sample in outcome.samples}


def test_the_first_sensor_fails_alone(tmp_path: Path) -> None:
    """A sentinel in the first zone leaves the second as it is."""
    outcome = run(make(tmp_path, zone0="-256000", zone1="48718"))

    assert {"zone1": 48.718} == readings(outcome)
    assert ["sys/zone0/temp"] == [failure.where for failure in outcome.failures]
    assert "ok" == outcome.status


def test_nothing_there_is_absent(tmp_path: Path) -> None:
    """A node without such hardware is absent, not broken, and says what was looked for."""
    outcome = run(make(tmp_path))

    assert ("absent", "nothing at sys/zone*") == (outcome.status, outcome.reason)


def test_all_broken_is_an_error(tmp_path: Path) -> None:
    """Hardware that is there and gives nothing at all is an error."""
    assert "error" == run(make(tmp_path, zone0="rubbish")).status


def test_a_bug_is_an_error_and_is_run_again(tmp_path: Path) -> None:
    """What a collector raises by mistake stays with it."""
    answers = iter([TypeError("a bug"), None])

    def buggy(root: Root) -> Iterator[Sensor | Failure]:
        if error := next(answers):
            raise error
        yield from discover(root)

    make(tmp_path, zone0="1000")
    task = Task(Collector("heat", (HEAT,), buggy, "x", ""), Root(str(tmp_path)), 60.0)

    assert ("error", "TypeError: a bug") == ((first := run(task)).status, first.reason)
    assert "ok" == run(task).status


@pytest.mark.parametrize("poison", [math.nan, math.inf, -math.inf])
def test_no_number_that_poisons(tmp_path: Path, poison: float) -> None:
    """NaN and infinity never leave a collector (one NaN spoils max() of all nodes)."""
    sensor = FileSensor(HEAT.series(zone="1"), "sys/zone0/temp", lambda _: poison)
    make(tmp_path, zone0="1000")
    task = Task(Collector("heat", (HEAT,), lambda _: [sensor], "x", ""), Root(str(tmp_path)), 60.0)
    outcome = run(task)

    assert ([], 1) == (outcome.samples, len(outcome.failures))


def test_a_renumbered_device_is_found_in_the_same_scrape(tmp_path: Path) -> None:
    """When a path is gone, all is looked for anew at once, so that no reading is missing."""
    task = make(tmp_path, zone0="1000", zone1="2000")
    run(task)
    (tmp_path / "sys/zone0").rename(tmp_path / "sys/zone7")

    outcome = run(task)

    assert {"zone1": 2.0, "zone7": 1.0} == readings(outcome)
    assert [] == outcome.failures


def test_a_new_device_waits_for_its_announcement(tmp_path: Path) -> None:
    """Sensors are kept between scrapes, until told that something changed."""
    task = make(tmp_path, zone0="1000")
    run(task)
    make(tmp_path, zone1="2000")

    assert {"zone0": 1.0} == readings(run(task))
    task.invalidate()

    assert {"zone0": 1.0, "zone1": 2.0} == readings(run(task))


def test_absence_is_remembered_until_something_changes(tmp_path: Path) -> None:
    """An absent collector costs no search at each scrape, and looks again when told."""
    task = make(tmp_path)
    run(task)
    make(tmp_path, zone0="1000")

    assert "absent" == run(task).status
    task.invalidate()

    assert "ok" == run(task).status


def test_absence_is_not_believed_for_long(tmp_path: Path) -> None:
    """Without any event, an absent collector is due again after a while: here, at once."""
    collector = Collector("heat", (HEAT,), discover, "sys/zone*", "")
    task = Task(collector, Root(str(tmp_path)), rediscover_seconds=1e-9)
    run(task)
    make(tmp_path, zone0="1000")

    assert task.is_due()
    task.search()
    assert "ok" == run(task).status


def test_a_scrape_does_not_pay_for_a_due_search(tmp_path: Path) -> None:
    """That time has passed makes a scrape search nothing; only ``search`` does."""
    task = make(tmp_path, zone0="1000")
    task = Task(task.collector, Root(str(tmp_path)), rediscover_seconds=1e-9)
    run(task)
    make(tmp_path, zone1="2000")

    assert {"zone0": 1.0} == readings(run(task))
    task.search()
    assert {"zone0": 1.0, "zone1": 2.0} == readings(run(task))


def test_a_constantly_failing_sensor_does_not_cause_search(tmp_path: Path) -> None:
    """A path that stays gone is searched for once, not at every scrape."""
    searches = []

    def counting(root: Root) -> Iterator[Sensor | Failure]:
        searches.append(1)
        yield from discover(root)
        yield FileSensor(HEAT.series(zone="gone"), "sys/gone/temp", celsius)

    make(tmp_path, zone0="1000")
    task = Task(Collector("heat", (HEAT,), counting, "x", ""), Root(str(tmp_path)), 60.0)
    for _ in range(5):
        outcome = run(task)

    assert errno.ENOENT == getattr(outcome.failures[0].error, "errno", None)
    assert 2 == len(searches)


def test_no_data_carries_its_reason(tmp_path: Path) -> None:
    """What a collector says of an absence reaches people."""

    def absent(_: Root) -> Iterator[Sensor | Failure]:
        msg = "no /sys/class/x: kernel without CONFIG_X"
        raise NoData(msg)

    task = Task(Collector("x", (), absent, "x", ""), Root(str(tmp_path)), 60.0)

    assert "no /sys/class/x: kernel without CONFIG_X" == run(task).reason


def test_what_is_volatile_is_looked_for_at_every_scrape(tmp_path: Path) -> None:
    """A zone that came or went between two scrapes is there, or gone, with no failure."""
    task = make(tmp_path, zone1="41000")
    lively = Task(replace(task.collector, volatile=True), Root(str(tmp_path)), 60.0)
    first = readings(run(lively))
    make(tmp_path, zone2="42000")
    second = run(lively)

    assert {"zone1": 41.0} == first
    assert {"zone1": 41.0, "zone2": 42.0} == readings(second)
    assert not lively.is_due()
    shutil.rmtree(tmp_path / "sys" / "zone1")
    third = run(lively)
    assert {"zone2": 42.0} == readings(third)
    assert [] == third.failures


def test_a_late_search_does_not_undo_a_newer_one(tmp_path: Path) -> None:
    """One that hung until another was made has found what was there then, not what is now."""
    task = make(tmp_path, zone1="41000")
    inner = task.collector.discover

    def slow(root: Root) -> Iterator[Sensor | Failure]:
        found = list(inner(root))
        make(tmp_path, zone2="42000")
        task.collector = replace(task.collector, discover=inner)
        task.search()
        yield from found

    task.collector = replace(task.collector, discover=slow)
    task.search()

    assert {"zone1": 41.0, "zone2": 42.0} == readings(run(task))
