"""Rows of pods, beside those of their containers."""

from pathlib import Path
from typing import Any

import pytest

from exporters.host import container_metrics as metrics
from exporters.host.place import Place
from tests.support.cgroups import Cgroups, Names, Scraper, container_id, pairs
from tests.support.readings import readings

POD = "kubepods/pod402b7eec-0fbd-4eb2-8ba6-b4624fd238c9"
OTHER = metrics.OTHER.container


@pytest.fixture
def node(tmp_path: Path) -> Cgroups:
    """Return a node with version 2 and no groups."""
    return Cgroups(tmp_path)


def pod(node: Cgroups, *numbers: int, **values: Any) -> Names:
    """Make a pod with containers; return what names them: ``c1`` is that of 1."""
    node.put(POD, **values)
    place = Place("ns", "pod", "", "work")
    table = {f"/{POD}": place}
    for number in numbers:
        path = f"{POD}/{container_id(number)}"
        node.put(path, cpu=(10, 5), events=(0, 0, 0, 0, number))
        table[f"/{path}"] = place._replace(container=f"c{number}")
    return Names(table)


def test_a_pod_tells_what_its_own_limits_did(node: Cgroups) -> None:
    """Its quota throttles containers that have none, which their own files do not show."""
    names = pod(node, 1, cpu_max="200000 100000", quota=(40, 30, 5_000_000))
    outcome = Scraper(node.root, names).scrape()

    assert {"": 2.0} == readings(outcome, metrics.CPU_LIMIT, "container")
    assert {"c1": 0, "": 5.0} == readings(outcome, metrics.THROTTLED, "container")
    for metric in (metrics.USAGE, metrics.TASKS):
        assert ["c1"] == [*readings(outcome, metric, "container")]
    assert {(): 1} == readings(outcome, metrics.CONTAINERS, *())


def test_a_pod_without_a_quota_has_no_throttling(node: Cgroups) -> None:
    """Nor limits; the kernel's zeros would say nothing."""
    outcome = Scraper(node.root, pod(node, 1)).scrape()

    for metric in (metrics.THROTTLED, metrics.PERIODS, metrics.MEMORY_LIMIT):
        assert "" not in readings(outcome, metric, "container")


def test_kills_outlive_the_container(node: Cgroups) -> None:
    """A container whose only process is killed ends with its group; the pod's counts go on."""
    names = pod(node, 1, 2, events=(0, 0, 9, 4, 3))
    scraper = Scraper(node.root, names)
    found = pairs(scraper.scrape(), metrics.MEMORY_EVENTS, "event")
    assert (1, 2, 3) == tuple(found[name, "oom_kill"] for name in ("c1", "c2", ""))
    node.end(f"{POD}/{container_id(2)}")
    node.put(POD, events=(0, 0, 11, 5, 4))
    found = pairs(scraper.scrape(), metrics.MEMORY_EVENTS, "event")
    assert (11, 5, 4) == tuple(found["", event] for event in ("max", "oom", "oom_kill"))
    assert ("c2", "oom_kill") not in found


def test_pods_have_as_much_room_as_containers(node: Cgroups) -> None:
    """Above it they have no row: in other their events would count twice."""
    for number in (1, 2):
        node.put(f"{POD[:-1]}{number}", events=(0, 0, 0, 0, 7))
        node.put(f"{POD[:-1]}{number}/{container_id(number)}", events=(0, 0, 0, 0, number))
    table = {f"/{POD[:-1]}{number}": Place("ns", f"pod-{number}") for number in (1, 2)}
    outcome = Scraper(node.root, Names(table), most=1).scrape()

    found = readings(outcome, metrics.MEMORY_EVENTS, "pod", "container", "event")
    kills = {key[:2]: value for key, value in found.items() if key[2] == "oom_kill"}  # type: ignore[index]
    assert {("", container_id(1)[:12]): 1, ("pod-1", ""): 7, (OTHER, OTHER): 2} == kills
