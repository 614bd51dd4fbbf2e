"""Containers that really reach their limits, in control groups of version 2."""

from collections.abc import Callable, Mapping

import pytest

from tests.lab.guest_cgroups import (
    BUSY_SECONDS,
    CACHE_LIMIT,
    KILLED,
    OOM_LIMIT,
    PERIOD,
    QUOTA,
    SWAP_LIMIT,
)
from tests.lab.guest_groups import CONTAINER, IDS, NAMESPACE, POD_NAME
from tests.lab.incidents import Incidents, Look

pytestmark = pytest.mark.lab

ID_LENGTH = 12
"""Of a container's id, where there is no name."""
LABELS = {name: {"container": digits[:ID_LENGTH]} for name, digits in IDS.items()} | {
    "busy": {"namespace": NAMESPACE, "pod": POD_NAME, "container": CONTAINER}
}
EVENTS = ("low", "high", "max", "oom", "oom_kill")
MICROSECONDS = 1e6


def flat(key: str, unit: float = 1) -> Callable[[str], float]:
    """Return what finds a key of a flat keyed file, ``key value`` in each line."""
    return lambda text: float(dict(map(str.split, text.splitlines()))[key]) / unit


def total(kind: str) -> Callable[[str], float]:
    """Return what finds the seconds of ``some`` or ``full`` in a file of pressure."""

    def find(text: str) -> float:
        line = next(line for line in text.splitlines() if line.startswith(kind))
        return int(line.rpartition("total=")[2]) / MICROSECONDS

    return find


def one(look: Look, name: str, metric: str, **labels: str) -> float:
    """Return what tailsight serves of a container."""
    return look.one(f"tailsight_container_{metric}", **LABELS[name], **labels)


def test_incidents_happened(incidents: Incidents) -> None:
    """What the groups' files say is what those saw who were in them: the lab itself is right."""
    groups = incidents.end.before["groups"]
    assert KILLED == incidents.seen["killed"]
    assert KILLED == flat("oom_kill")(groups["oom"]["memory.events"])
    throttled = incidents.seen["throttled"]
    assert BUSY_SECONDS <= throttled["wall"]
    assert QUOTA / PERIOD == pytest.approx(throttled["cpu"] / throttled["wall"], rel=0.1)
    lost = flat("throttled_usec", MICROSECONDS)(groups["busy"]["cpu.stat"])
    assert throttled["lost"] == pytest.approx(lost, rel=0.1)


def test_nothing_happened_before(incidents: Incidents) -> None:
    """All events are of the incidents, for at first there is none."""
    series = incidents.quiet.all("tailsight_container_memory_events_total")
    assert {0.0} == set(series.values())


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("event", EVENTS)
def test_memory_events(incidents: Incidents, name: str, event: str) -> None:
    """Each container has the events of its own group."""
    low, high = incidents.end.said("groups", name, "memory.events", of=flat(event))
    assert low <= one(incidents.end, name, "memory_events_total", event=event) <= high


def test_limit_reached(incidents: Incidents) -> None:
    """Page cache is reclaimed at the limit, and at memory.high: nobody is killed for it."""
    events = {
        event: one(incidents.end, "cache", "memory_events_total", event=event) for event in EVENTS
    }
    assert events["max"] > 0
    assert events["high"] > 0
    assert 0 == events["oom"] == events["oom_kill"]


def test_killed(incidents: Incidents) -> None:
    """So many died of SIGKILL, says waitpid(2): the container's kills, and the node's."""
    killed = incidents.seen["killed"]
    assert killed == one(incidents.end, "oom", "memory_events_total", event="oom_kill")
    assert killed == incidents.end.one("tailsight_vmstat_oom_kill_total")


@pytest.mark.parametrize(
    ("name", "limit"), [("cache", CACHE_LIMIT), ("oom", OOM_LIMIT), ("swap", SWAP_LIMIT)]
)
def test_memory_limit(incidents: Incidents, name: str, limit: int) -> None:
    """A limit is served in bytes."""
    assert limit == one(incidents.end, name, "memory_limit_bytes")


@pytest.mark.parametrize("name", ["busy", "numa"])
def test_no_memory_limit(incidents: Incidents, name: str) -> None:
    """Where there is no limit, there is no number for it."""
    metric = "tailsight_container_memory_limit_bytes"
    assert {} == incidents.end.all(metric, **LABELS[name])


@pytest.mark.parametrize("name", IDS)
def test_working_set(incidents: Incidents, name: str) -> None:
    """It is what is charged without what is cached of files and was not used for long."""

    def working_set(files: Mapping[str, str]) -> float:
        return int(files["memory.current"]) - flat("inactive_file")(files["memory.stat"])

    low, high = incidents.end.said("groups", name, of=working_set)
    assert low <= one(incidents.end, name, "memory_working_set_bytes") <= high


def test_cache_is_no_working_set(incidents: Incidents) -> None:
    """A container that read a disk once is full, and nearly all of that can be had back."""
    usage = one(incidents.end, "cache", "memory_usage_bytes")
    assert 0.9 * CACHE_LIMIT / 2 < usage <= CACHE_LIMIT / 2  # memory.high is half the limit
    assert one(incidents.end, "cache", "memory_working_set_bytes") < usage / 2
    full = one(incidents.end, "swap", "memory_working_set_bytes")
    assert 0.9 * SWAP_LIMIT < full <= SWAP_LIMIT  # memory that programs filled cannot


def test_throttled(incidents: Incidents) -> None:
    """A busy process in a container lost so much time to its quota as it says itself."""
    end, seen = incidents.end, incidents.seen["throttled"]
    assert seen["lost"] == pytest.approx(one(end, "busy", "cpu_throttled_seconds_total"), rel=0.1)
    used = sum(one(end, "busy", "cpu_seconds_total", mode=mode) for mode in ("user", "system"))
    assert seen["cpu"] == pytest.approx(used, rel=0.1)
    periods = seen["wall"] * MICROSECONDS / PERIOD
    assert periods == pytest.approx(one(end, "busy", "cpu_throttled_periods_total"), abs=3)
    assert QUOTA / PERIOD == one(end, "busy", "cpu_limit")


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize(
    ("metric", "key", "unit"),
    [
        ("cpu_periods_total", "nr_periods", 1),
        ("cpu_throttled_periods_total", "nr_throttled", 1),
        ("cpu_throttled_seconds_total", "throttled_usec", MICROSECONDS),
    ],
)
def test_quota(incidents: Incidents, name: str, metric: str, key: str, unit: float) -> None:
    """Each container has the counters of its own group."""
    low, high = incidents.end.said("groups", name, "cpu.stat", of=flat(key, unit))
    assert low <= one(incidents.end, name, metric) <= high


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("resource", ["cpu", "memory", "io"])
@pytest.mark.parametrize(("metric", "kind"), [("waiting", "some"), ("stalled", "full")])
def test_pressure(incidents: Incidents, name: str, resource: str, metric: str, kind: str) -> None:
    """Each container has the pressure of its own group."""
    low, high = incidents.end.said("groups", name, f"{resource}.pressure", of=total(kind))
    value = one(incidents.end, name, f"pressure_{metric}_seconds_total", resource=resource)
    assert low <= value <= high


def test_who_was_short(incidents: Incidents) -> None:
    """Memory was short where it was limited, CPU time where that was."""
    end = incidents.end
    for name in ("cache", "swap", "oom"):
        assert one(end, name, "pressure_waiting_seconds_total", resource="memory") > 0
    assert 0 == one(end, "busy", "pressure_waiting_seconds_total", resource="memory")
    lost = incidents.seen["throttled"]["lost"]
    stalled = one(end, "busy", "pressure_stalled_seconds_total", resource="cpu")
    assert lost == pytest.approx(stalled, rel=0.1)


@pytest.mark.parametrize(("metric", "kind"), [("waiting", "some"), ("stalled", "full")])
def test_pressure_of_the_node(incidents: Incidents, metric: str, kind: str) -> None:
    """The node's memory pressure is the kernel's, and more than there was at first."""
    name = f"tailsight_pressure_{metric}_seconds_total"
    quiet, end = (look.one(name, resource="memory") for look in (incidents.quiet, incidents.end))
    low, high = incidents.end.said("pressure", of=total(kind))
    assert low <= end <= high
    assert quiet < end


def test_names(incidents: Incidents) -> None:
    """The kubelet's container has the names of its logs; the others have the ids of theirs."""
    found = incidents.end.all("tailsight_containers")
    assert [len(IDS)] == list(found.values())
    one(incidents.end, "busy", "tasks")
