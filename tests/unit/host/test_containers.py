"""Containers that come, go, break and are too many, in a folder."""

import errno
import os
from pathlib import Path

import pytest

from exporters.core import Failure, Metric, Root
from exporters.host import container_metrics as metrics
from exporters.host.containers import collector
from exporters.host.options import HostOptions
from exporters.host.place import Place
from tests.support.cgroups import Cgroups, Names, Scraper, docker, pairs
from tests.support.collect import values
from tests.support.readings import failed, readings

A, B, C = (f"{number:012x}" for number in (1, 2, 3))
OTHER = metrics.OTHER.container


@pytest.fixture
def node(tmp_path: Path) -> Cgroups:
    """Return a node with version 2 and no groups."""
    return Cgroups(tmp_path)


def test_keys_are_absent_where_the_controller_is(node: Cgroups) -> None:
    """A group without any has CPU time and pressure alone; no number is made up."""
    node.write(f"{docker(1)}/cpu.stat", "usage_usec 7\nuser_usec 4\nsystem_usec 3\n")
    outcome = Scraper(node.root, Names()).scrape()

    labels = f'{{namespace="",pod="",container="{A}",workload="{A}"'
    assert {
        f'tailsight_container_cpu_seconds_total{labels},mode="user"}}': 4e-6,
        f'tailsight_container_cpu_seconds_total{labels},mode="system"}}': 3e-6,
        "tailsight_containers": 1,
        "tailsight_containers_other": 0,
    } == values(outcome)
    assert [] == outcome.failures


def test_services_count_where_they_are_limited(node: Cgroups) -> None:
    """By memory or by CPU; others are left out, and so is a slice."""
    node.put("system.slice", memory_max="9999")
    node.put("system.slice/free.service")
    node.put("system.slice/memory.service", memory_max="8192", memory=(5000, 1000))
    node.put("system.slice/cpu.service", cpu_max="50000 100000")
    table = {f"/system.slice/{x}.service": Place(workload=x) for x in ("memory", "cpu", "free")}
    outcome = Scraper(node.root, Names(table)).scrape()

    assert {"memory": 4000, "cpu": 4096} == readings(outcome, metrics.WORKING_SET, "workload")
    assert {"memory": 8192} == readings(outcome, metrics.MEMORY_LIMIT, "workload")
    assert {"cpu": 0.5} == readings(outcome, metrics.CPU_LIMIT, "workload")


def test_a_sandbox_is_left_out(node: Cgroups) -> None:
    """Who names places says which container is one."""
    node.put(docker(1))
    node.put(docker(2))
    names = Names({f"/{docker(2)}": Place("ns", "pod", "", "work")})

    assert {A: 4096} == Scraper(node.root, names).told(metrics.USAGE)


def test_above_the_bound_all_are_other(node: Cgroups) -> None:
    """Sums, without limits and pressure; how many they are is told."""
    for number in (1, 2, 3):
        node.put(
            docker(number),
            memory=(1000 * number, 100),
            memory_max="8192",
            cpu=(1_000_000 * number, 0),
            tasks=(number, "9"),
            lost=(1, 1),
        )
    outcome = Scraper(node.root, Names(), most=1).scrape()

    assert {A: 1000, OTHER: 5000} == readings(outcome, metrics.USAGE, "container")
    assert {A: 900, OTHER: 4800} == readings(outcome, metrics.WORKING_SET, "container")
    assert {A: 1, OTHER: 5} == readings(outcome, metrics.TASKS, "container")
    cpu = pairs(outcome, metrics.CPU, "mode")
    assert 5.0 == cpu[OTHER, "user"]
    for metric in (metrics.MEMORY_LIMIT, metrics.TASKS_LIMIT):
        assert {A} == readings(outcome, metric, "container").keys()
    assert {A} == {container for container, _ in pairs(outcome, metrics.WAITING, "resource")}
    assert {(): 3} == readings(outcome, metrics.CONTAINERS, *())
    assert {(): 2} == readings(outcome, metrics.OTHERS, *())


def test_other_has_no_limit(node: Cgroups) -> None:
    """Also where all that is in it is limited: the sum would be nobody's."""
    for name in ("a", "b", "c"):
        node.put(f"{name}.service", memory_max="8192", cpu_max="1 2")
    outcome = Scraper(node.root, Names(), most=1).scrape()

    assert {"a.service": 4096, OTHER: 8192} == readings(outcome, metrics.USAGE, "container")
    for metric in (metrics.MEMORY_LIMIT, metrics.CPU_LIMIT):
        assert ["a.service"] == [*readings(outcome, metric, "container")]


def test_who_was_admitted_stays(node: Cgroups) -> None:
    """Newcomers that sort before it wait until there is room."""
    node.put(docker(2))
    scraper = Scraper(node.root, Names(), most=1)
    assert {B} == scraper.told(metrics.USAGE).keys()
    node.put(docker(1))
    assert {B, OTHER} == scraper.told(metrics.USAGE).keys()
    node.end(docker(2))
    assert {A} == scraper.told(metrics.USAGE).keys()


def user(scraper: Scraper) -> dict[str, float]:
    """Return the CPU time in user mode by container."""
    found = pairs(scraper.scrape(), metrics.CPU, "mode")
    return {name: value for (name, mode), value in found.items() if mode == "user"}


def test_other_never_falls(node: Cgroups) -> None:
    """A death takes nothing away; who began since adds all, who grew adds that."""
    node.put(docker(1))
    for number, seconds in ((2, 10), (3, 20)):
        node.put(docker(number), cpu=(seconds * 1_000_000, 0))
    scraper = Scraper(node.root, Names(), most=1)
    assert 30.0 == user(scraper)[OTHER]
    node.end(docker(2))
    node.put(docker(3), cpu=(21_000_000, 0))
    assert 31.0 == user(scraper)[OTHER]
    node.put(docker(4), cpu=(5_000_000, 0))
    assert 36.0 == user(scraper)[OTHER]


def test_who_joins_other_late_adds_what_it_counts_from_then(node: Cgroups) -> None:
    """What was taken for a sandbox, or had no limit, and was there before."""
    for number in (1, 2, 3):
        node.put(docker(number), cpu=(10_000_000, 0))
    node.put("x.service", cpu=(10_000_000, 0))
    names = Names({f"/{docker(3)}": Place("", "pod")})
    scraper = Scraper(node.root, names, most=1)
    assert {A: 10.0, OTHER: 10.0} == user(scraper)
    names.table.clear()
    node.write("x.service/memory.max", "9999")
    assert {A: 10.0, OTHER: 10.0} == user(scraper)
    node.put(docker(3), cpu=(11_000_000, 0))
    node.put("x.service", cpu=(12_000_000, 0), memory_max="9999")
    assert {A: 10.0, OTHER: 13.0} == user(scraper)


def test_a_container_made_anew_under_its_name_is_another(node: Cgroups) -> None:
    """Same path, another folder: what it counts comes on top, so that no total falls."""
    node.put(docker(1))
    node.put(docker(2), cpu=(10_000_000, 0))
    scraper = Scraper(node.root, Names(), most=1)
    assert 10.0 == user(scraper)[OTHER]
    os.rename(node.tree / "sys/fs/cgroup" / docker(2), node.tree / "old")
    node.put(docker(2), cpu=(11_000_000, 0))
    assert 21.0 == user(scraper)[OTHER]


def test_two_of_one_name_are_one_series(node: Cgroups) -> None:
    """While the old one dies and the new one is there; a limit that one lacks is none."""
    place = Place("ns", "pod", "main", "work")
    names = Names({f"/{docker(number)}": place for number in (1, 2)})
    node.put(docker(1), memory=(100, 0), memory_max="1000", cpu=(7_000_000, 0))
    scraper = Scraper(node.root, names)
    assert {"main": 7.0} == user(scraper)
    node.put(docker(2), memory=(20, 0), memory_max="1000", cpu=(1_000_000, 0))
    outcome = scraper.scrape()
    assert {"main": 120} == readings(outcome, metrics.USAGE, "container")
    assert {"main": 2000} == readings(outcome, metrics.MEMORY_LIMIT, "container")
    assert {"main": 8.0} == user(scraper)
    node.put(docker(2), memory_max="max", cpu=(2_000_000, 0))
    assert {} == scraper.told(metrics.MEMORY_LIMIT)
    node.end(docker(1))
    assert {"main": 9.0} == user(scraper)


def test_a_controller_that_is_enabled_late(node: Cgroups) -> None:
    """A runtime makes the folder first and enables controllers then."""
    node.write(f"{docker(1)}/cpu.stat", "usage_usec 0\nuser_usec 0\nsystem_usec 0\n")
    scraper = Scraper(node.root, Names())
    assert {} == scraper.told(metrics.USAGE)
    node.put(docker(1), quota=(5, 4, 3_000_000))
    outcome = scraper.scrape()
    assert {A: 4096} == readings(outcome, metrics.USAGE, "container")
    assert {A: 3.0} == readings(outcome, metrics.THROTTLED, "container")


class Vanishing(Root):
    """A root in which a file answers with an error."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.errors: dict[str, int] = {}

    def read(self, path: str) -> str:
        """Fail for the paths that end as said; with errno 0 answer nonsense."""
        for end, number in self.errors.items():
            if path.endswith(end):
                if not number:
                    return "nonsense"
                raise OSError(number, os.strerror(number), path)
        return super().read(path)


@pytest.mark.parametrize("number", [errno.ENOENT, errno.ENODEV])
def test_a_group_that_goes_during_the_look_is_no_failure(node: Cgroups, number: int) -> None:
    """Whatever file is the first that is not there; the others are told."""
    node.put(docker(1))
    node.put(docker(2))
    root = Vanishing(str(node.tree))
    scraper = Scraper(root, Names())
    scraper.scrape()
    gone = node.tree / "sys/fs/cgroup" / docker(2)
    root.errors = {f"{docker(2)}/{name}": number for name in os.listdir(gone)}
    outcome = scraper.scrape()

    assert [] == outcome.failures
    assert {A: 4096} == readings(outcome, metrics.USAGE, "container")
    assert {(): 1} == readings(outcome, metrics.CONTAINERS, *())


def test_pressure_that_is_off_is_no_failure(node: Cgroups) -> None:
    """With psi=0 its files are there and answer EOPNOTSUPP."""
    node.put(docker(1))
    root = Vanishing(str(node.tree))
    root.errors = {".pressure": errno.EOPNOTSUPP}
    outcome = Scraper(root, Names()).scrape()

    assert [] == outcome.failures
    assert {} == pairs(outcome, metrics.WAITING, "resource")
    assert {A: 4096} == readings(outcome, metrics.USAGE, "container")


@pytest.mark.parametrize(
    ("number", "said"),
    [(errno.EACCES, "Permission denied (for 2 control groups)"), (0, "not a number: 'nonsense'")],
)
def test_a_file_that_cannot_be_read_is_one_failure(node: Cgroups, number: int, said: str) -> None:
    """However many groups it hits; the rest of them is told."""
    node.put(docker(1))
    node.put(docker(2))
    root = Vanishing(str(node.tree))
    root.errors = {"memory.current": number}
    outcome = Scraper(root, Names()).scrape()

    assert "ok" == outcome.status
    assert ["sys/fs/cgroup/[group]/memory.current"] == [
        failure.where.replace("memory.stat", "memory.current") for failure in outcome.failures
    ]
    assert said in str(outcome.failures[0].error)
    assert {} == readings(outcome, metrics.USAGE, "container")
    assert {A: 1, B: 1} == readings(outcome, metrics.TASKS, "container")


def test_a_counter_that_cannot_be_read_stands_still(node: Cgroups) -> None:
    """When it can be read again the total goes on from where it was."""
    node.put(docker(1))
    node.put(docker(2), cpu=(10_000_000, 0))
    node.put(docker(3), cpu=(10_000_000, 0))
    root = Vanishing(str(node.tree))
    scraper = Scraper(root, Names(), most=1)
    assert 20.0 == user(scraper)[OTHER]
    root.errors = {f"{docker(2)}/cpu.stat": errno.EACCES}
    node.put(docker(3), cpu=(11_000_000, 0))
    assert 21.0 == user(scraper)[OTHER]
    root.errors = {}
    node.put(docker(2), cpu=(12_000_000, 0))
    assert 23.0 == user(scraper)[OTHER]


def test_what_cannot_be_listed_is_no_absence(tmp_path: Path) -> None:
    """The mount is there and closed: an error with its path, not a node without containers."""

    class Closed(Root):
        """A root in which no folder can be listed."""

        def folders(self, folder: str) -> list[tuple[str, int]]:
            raise PermissionError(errno.EACCES, "Permission denied", folder)

    Cgroups(tmp_path).put(docker(1))
    outcome = Scraper(Closed(str(tmp_path)), Names()).scrape()

    assert "error" == outcome.status
    assert ["sys/fs/cgroup/[group]"] == failed(outcome)
    assert "Permission denied" in outcome.reason


def test_a_look_that_ends_after_a_later_one_changes_nothing(node: Cgroups) -> None:
    """It hung in a read; what it knows is old, and so is what it would remember."""
    node.put(docker(1), cpu=(10_000_000, 0))
    names = Names()
    many = collector(HostOptions(), names)

    class Late(Names):
        """Has a whole look made while it is asked."""

        def of(self, root: Root, path: str) -> Place:
            many.discover.__self__.names = names  # type: ignore[attr-defined]
            later = list(many.discover(root))
            node.put(docker(1), cpu=(9_000_000, 0))
            seen.append(later)
            return super().of(root, path)

    seen: list[object] = []
    many.discover.__self__.names = Late()  # type: ignore[attr-defined]
    assert seen == [list(many.discover(node.root))]


def test_failures_of_names_are_told(node: Cgroups) -> None:
    """Why names are missing is a failure of this collector."""
    node.put(docker(1))
    names = Names(failures=[Failure("var/log/pods", PermissionError(errno.EACCES, "denied"))])
    outcome = Scraper(node.root, names).scrape()

    assert ["var/log/pods"] == failed(outcome)
    assert "ok" == outcome.status


def test_none_is_absent(node: Cgroups) -> None:
    """The reason says how one can tell."""
    node.put("system.slice/free.service")
    outcome = Scraper(node.root, Names()).scrape()

    assert "absent" == outcome.status
    expected = "none of the 2 control groups at /sys/fs/cgroup is a container or a limited service"
    assert expected == outcome.reason


def test_a_container_that_sees_only_itself(node: Cgroups) -> None:
    """A private cgroup namespace: the reason says what to mount."""
    node.put("")
    node.write("cgroup.type", "domain\n")
    outcome = Scraper(node.root, Names()).scrape()

    assert "absent" == outcome.status
    assert outcome.reason.startswith("/sys/fs/cgroup shows the agent's own control group")
    assert "-v /sys/fs/cgroup:/sys/fs/cgroup:ro" in outcome.reason


def test_no_series_stays_behind(node: Cgroups) -> None:
    """A container that has gone has no series; one of its name goes on, with 5 s and 1 s."""
    node.put(docker(1), cpu=(5_000_000, 0))
    node.put(docker(2))
    scraper = Scraper(node.root, Names())
    scraper.scrape()
    node.end(docker(1))
    assert not [line for line in values(scraper.scrape()) if A in line]
    node.put(docker(1), cpu=(1_000_000, 0))
    assert 6.0 == user(scraper)[A]


@pytest.mark.parametrize("metric", metrics.METRICS, ids=lambda metric: metric.name)
def test_every_metric_is_told_of_something(node: Cgroups, metric: Metric) -> None:
    """None is declared in vain."""
    node.put(docker(1), memory_max="1", cpu_max="1 1", tasks=(1, "7"))
    outcome = Scraper(node.root, Names()).scrape()
    assert metric in {sample.series.metric for sample in outcome.samples}
