"""Energy: each part of the machine counted once, and never back."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Collector, NoData, Root
from exporters.core.replay import ReplayRoot
from exporters.hardware import rapl
from exporters.hardware.counters import Unwrapped, UnwrappedSensor
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.clock import ClockRoot
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
FOLDER = "sys/class/powercap"
RANGE = "262143328850"


def zone(name: str, part: str, energy: str, limit: str | None = RANGE) -> dict[str, str | bytes]:
    """Return the files of a zone."""
    files = {"name": part, "energy_uj": energy}
    if limit is not None:
        files["max_energy_range_uj"] = limit
    return {f"{FOLDER}/{name}/{file}": f"{text}\n" for file, text in files.items()}


def energy(root: Root, collector: Collector | None = None) -> dict[object, object]:
    """Return the joules by zone."""
    return readings(run(collector or rapl.collector(), root), rapl.ENERGY, "zone")


def test_the_tree_of_node_exporter() -> None:
    """240,422,366,267 uJ and 118,821,284,256 uJ, as their files say."""
    outcome = run(rapl.collector(), ReplayRoot(str(board_root("node-exporter"))))

    assert {
        ("intel-rapl:0", "package-0", ""): 240422.366267,
        ("intel-rapl:0:0", "core", "package-0"): 118821.284256,
    } == readings(outcome, rapl.ENERGY, "zone", "name", "parent")


def test_the_twin_of_a_package_is_not_counted_again() -> None:
    """Both intel-rapl and intel-rapl-mmio have package-0 (node_exporter#2147)."""
    outcome = run(rapl.collector(), ReplayRoot(str(board_root("nuc13-i915"))))

    assert {
        ("intel-rapl:0", "package-0"): 240422.366267,
        ("intel-rapl:0:0", "core"): 118293.746222,
        ("intel-rapl:0:1", "uncore"): 815.362353,
        ("intel-rapl:1", "psys"): 250111.222333,
    } == readings(outcome, rapl.ENERGY, "zone", "name")


def test_denied_counters_fail_one_by_one(mounted: Mounted) -> None:
    """Four of EACCES, none for the twin; the limits stay."""
    root = Root(str(mounted("nuc13-i915")))
    outcome = run(rapl.collector(), root)
    zones = ("intel-rapl:0", "intel-rapl:0:0", "intel-rapl:0:1", "intel-rapl:1")

    assert sorted(f"{FOLDER}/{name}/energy_uj" for name in zones) == failed(outcome)
    assert {errno.EACCES} == {getattr(one.error, "errno", None) for one in outcome.failures}
    assert ("ok", {}) == (outcome.status, readings(outcome, rapl.ENERGY, "zone"))
    assert "CAP_DAC_READ_SEARCH" in rapl.collector().advice


def test_a_twin_that_can_be_read_stands_in(make_tree: MakeTree, mounted: Mounted) -> None:
    """Where only the other interface answers, its counter of the same energy is told."""
    tree = make_tree(
        {
            **zone("intel-rapl:0", "package-0", "1"),
            **zone("intel-rapl-mmio:0", "package-0", "7000000"),
        }
    )
    faults = Faults({f"{FOLDER}/intel-rapl:0/energy_uj": errno.EACCES})
    outcome = run(rapl.collector(), Root(str(mounted(tree, faults))))

    assert ([], {"intel-rapl-mmio:0": 7.0}) == (
        outcome.failures,
        readings(outcome, rapl.ENERGY, "zone"),
    )


def test_packages_of_one_interface_are_no_twins(make_tree: MakeTree) -> None:
    """Two dies may both be called package-0: two zones, both counted, told apart by the zone."""
    tree = make_tree(
        {
            **zone("intel-rapl:0", "package-0", "1000000"),
            **zone("intel-rapl:1", "package-0", "2000000"),
        }
    )

    assert {"intel-rapl:0": 1.0, "intel-rapl:1": 2.0} == energy(Root(str(tree)))


def test_a_wrap_goes_on(make_tree: MakeTree) -> None:
    """262,143 J, then 1 J after 15 s: the total is 262,144.328850 J, also after looking anew."""
    root = ClockRoot(str(make_tree(zone("intel-rapl:0", "package-0", "262143000000"))))
    collector = rapl.collector()
    first = energy(root, collector)
    make_tree(zone("intel-rapl:0", "package-0", "1000000"))
    root.seconds += 15

    assert {"intel-rapl:0": 262143.0} == first
    assert {"intel-rapl:0": pytest.approx(262144.328850, rel=0, abs=1e-6)} == energy(
        root, collector
    )


def test_a_reloaded_driver_does_not_jump(make_tree: MakeTree) -> None:
    """The zone goes, comes back at 2 J: 100,000 J grow to 100,002, not by a whole range."""
    files = zone("intel-rapl:0", "package-0", "100000000000")
    tree = make_tree(files)
    root, collector = ClockRoot(str(tree)), rapl.collector()
    energy(root, collector)
    for path in files:
        (tree / path).unlink()
    root.seconds += 15
    gone = run(collector, root)
    make_tree(zone("intel-rapl:0", "package-0", "2000000"))
    root.seconds += 15

    assert [] == gone.samples
    assert {"intel-rapl:0": 100002.0} == energy(root, collector)


def test_an_unknown_range_is_said_and_the_counter_told(make_tree: MakeTree) -> None:
    """Without max_energy_range_uj a fall cannot be a wrap; with a broken one, that shows, too."""
    tree = make_tree(
        {
            **zone("intel-rapl:0", "package-0", "5000000", None),
            **zone("intel-rapl:1", "psys", "1", "x"),
        }
    )
    outcome = run(rapl.collector(), Root(str(tree)))

    assert [f"{FOLDER}/intel-rapl:1/max_energy_range_uj"] == failed(outcome)
    assert {"intel-rapl:0": 5.0, "intel-rapl:1": 1e-06} == readings(outcome, rapl.ENERGY, "zone")


def test_a_zone_without_a_name_costs_only_itself(make_tree: MakeTree) -> None:
    """The first zone cannot be told; the second counts."""
    tree = make_tree(
        {f"{FOLDER}/intel-rapl:0/energy_uj": "1\n", **zone("intel-rapl:1", "psys", "3000000")}
    )
    outcome = run(rapl.collector(), Root(str(tree)))

    assert {"intel-rapl:1": 3.0} == readings(outcome, rapl.ENERGY, "zone")
    assert [f"{FOLDER}/intel-rapl:0/name"] == failed(outcome)


def test_no_zone_is_absent(make_tree: MakeTree) -> None:
    """An interface alone, such as idle_inject, has no energy."""
    tree = make_tree({f"{FOLDER}/intel-rapl/enabled": "1\n"})
    with pytest.raises(NoData, match="no power zone"):
        list(rapl.collector().discover(Root(str(tree))))


@given(st.text() | st.integers().map(str))
def test_any_text_is_an_energy_or_refused(text: str) -> None:
    """Any input gives joules within 64 bits of microjoules, or ValueError."""

    class Text(Root):
        def read(self, path: str) -> str:
            del path
            return text

    series = rapl.ENERGY.series(zone="z", name="n", parent="")
    sensor = UnwrappedSensor(series, "energy_uj", rapl._joules, None, Unwrapped(2000))
    try:
        ((_, joules),) = sensor.read(Text())
    except ValueError:
        return
    assert isinstance(joules, float)
    assert 0 <= joules <= 2**64 / 1e6
