"""Thermal zones: what is measured is told, and nothing else is."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.hardware import thermal
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
ZONES = "sys/class/thermal"
VIRTUAL = "sys/devices/virtual/thermal"


def zone(number: int, kind: str, temperature: str, **files: str) -> dict[str, str | bytes]:
    """Return the files of a zone."""
    named = {"type": f"{kind}\n", "temp": f"{temperature}\n", **files}
    return {f"{ZONES}/thermal_zone{number}/{name}": text for name, text in named.items()}


def test_temperatures_of_an_orin_nano() -> None:
    """Zones of JetPack 6 tell millidegrees; names lose their suffix (SOURCES.md)."""
    outcome = run(thermal.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-nano-jp6"))))

    assert {
        ("thermal_zone0", "cpu-thermal", "cpu"): 45.812,
        ("thermal_zone1", "gpu-thermal", "gpu"): 46.843,
        ("thermal_zone5", "soc0-thermal", "soc0"): 46.093,
        ("thermal_zone6", "soc1-thermal", "soc1"): 46.281,
        ("thermal_zone7", "soc2-thermal", "soc2"): 44.843,
        ("thermal_zone8", "tj-thermal", "tj"): 46.843,
    } == readings(outcome, thermal.TEMPERATURE, "zone", "type", "sensor")


def test_rail_that_is_off_is_a_failure_and_costs_no_other_zone(mounted: Mounted) -> None:
    """EAGAIN of the three CV zones (procfs#698) is counted, once each; six zones still tell."""
    outcome = run(thermal.COLLECTOR, Root(str(mounted("jetson-orin-nano-jp6"))))

    assert [f"{ZONES}/thermal_zone{n}/temp" for n in (2, 3, 4)] == failed(outcome)
    assert {errno.EAGAIN} == {getattr(f.error, "errno", None) for f in outcome.failures}
    assert 6 == len(readings(outcome, thermal.TEMPERATURE, "zone"))


@pytest.mark.parametrize(
    "number", [errno.EAGAIN, errno.EINVAL, errno.EIO, errno.ENODATA, errno.ENXIO]
)
def test_first_zone_fails_and_the_last_is_read(
    mounted: Mounted, make_tree: MakeTree, number: int
) -> None:
    """No errno of one zone takes another with it, nor reads as 0 (node_exporter#1703, #2980)."""
    tree = make_tree(zone(0, "iwlwifi_1", "") | zone(1, "x86_pkg_temp", "53000"))
    faults = Faults({f"{ZONES}/thermal_zone0/temp": number})

    outcome = run(thermal.COLLECTOR, Root(str(mounted(tree, faults))))

    assert {"thermal_zone1": 53.0} == readings(outcome, thermal.TEMPERATURE, "zone")
    assert [number] == [getattr(f.error, "errno", None) for f in outcome.failures]


def test_zone_without_a_readable_type_is_a_failure(mounted: Mounted, make_tree: MakeTree) -> None:
    """What cannot be named is not told, and the others are."""
    tree = make_tree(zone(0, "", "1000") | zone(1, "tj-thermal", "42593"))
    faults = Faults({f"{ZONES}/thermal_zone0/type": errno.EIO})

    outcome = run(thermal.COLLECTOR, Root(str(mounted(tree, faults))))

    assert {"tj": 42.593} == readings(outcome, thermal.TEMPERATURE, "sensor")
    assert 1 == len(outcome.failures)


@pytest.mark.parametrize("text", ["-256000", "-263200", "-273150", "-274000", "2147483647", ""])
def test_sentinel_is_a_failure(make_tree: MakeTree, text: str) -> None:
    """-256 of a gated rail (jetson_stats#350) or -263.2 of acpitz is no temperature."""
    outcome = run(thermal.COLLECTOR, Root(str(make_tree(zone(0, "GPU-therm", text)))))

    assert {} == readings(outcome, thermal.TEMPERATURE, "zone")
    assert [f"{ZONES}/thermal_zone0/temp"] == failed(outcome)


@pytest.mark.parametrize(("text", "expected"), [("0", 0.0), ("-31500", -31.5), ("12376", 12.376)])
def test_cold_is_a_temperature(make_tree: MakeTree, text: str, expected: float) -> None:
    """A node outdoors measures 0 and less, which is nothing to doubt."""
    outcome = run(thermal.COLLECTOR, Root(str(make_tree(zone(0, "cpu-thermal", text)))))

    assert {"thermal_zone0": expected} == readings(outcome, thermal.TEMPERATURE, "zone")


@pytest.mark.parametrize(
    ("board", "kind", "number"),
    [
        ("jetson-nano-jp4", "PMIC-Die", "thermal_zone4"),
        ("nuc13-i915", "INT3400 Thermal", "thermal_zone2"),
    ],
)
def test_constant_is_named_and_not_told_as_a_temperature(
    board: str, kind: str, number: str
) -> None:
    """100 degrees of the PMIC for ever is no heat (balena-jetson#142); it is no failure either."""
    outcome = run(thermal.COLLECTOR, ReplayRoot(str(board_root(board))))

    assert {(number, kind): 1} == readings(outcome, thermal.NO_READING, "zone", "type")
    assert number not in readings(outcome, thermal.TEMPERATURE, "zone")
    assert [] == failed(outcome)


def test_twins_of_acpitz_stay_two() -> None:
    """A NUC has two zones called acpitz (thermal_daemon#556)."""
    outcome = run(thermal.COLLECTOR, ReplayRoot(str(board_root("nuc13-i915"))))
    found = readings(outcome, thermal.TEMPERATURE, "type", "zone")

    assert {("acpitz", "thermal_zone0"), ("acpitz", "thermal_zone1")} <= found.keys()


def test_trip_points_of_an_orin_nano() -> None:
    """99 and 104.5 degrees throttle and switch off, 70 with 8 less warns of a hot surface."""
    outcome = run(thermal.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-nano-jp6"))))
    trips = readings(outcome, thermal.TRIP, "sensor", "trip", "kind")
    less = readings(outcome, thermal.HYSTERESIS, "sensor", "trip", "kind")

    assert 99.0 == trips["cpu", "0", "passive"]
    assert 104.5 == trips["cpu", "1", "critical"]
    assert 70.0 == trips["cpu", "2", "passive"]
    assert 8.0 == less["cpu", "2", "passive"]
    # Each of several points is divided by 1000 once (psutil#2439).
    assert {51.0, 35.0} == {trips["tj", "1", "active"], trips["tj", "0", "active"]}


def test_trip_points_that_are_not_set_are_left_out() -> None:
    """-274000 and 0 stand for no trip point on a NUC, and are nobody's failure."""
    outcome = run(thermal.COLLECTOR, ReplayRoot(str(board_root("nuc13-i915"))))
    trips = readings(outcome, thermal.TRIP, "zone", "trip")

    assert {
        ("thermal_zone0", "0"): 119.0,
        ("thermal_zone0", "1"): 119.0,
    }.items() <= trips.items()
    assert ("thermal_zone0", "2") not in trips
    assert {("thermal_zone5", "0"), ("thermal_zone6", "0")}.isdisjoint(trips)
    assert 110.05 == trips["thermal_zone3", "0"]
    assert [] == failed(outcome)


def test_trip_point_that_cannot_be_read_costs_only_itself(
    mounted: Mounted, make_tree: MakeTree
) -> None:
    """Neither the zone's temperature nor its other points suffer."""
    points = {
        "trip_point_0_type": "passive", "trip_point_0_temp": "99000",
        "trip_point_1_type": "hot", "trip_point_1_temp": "101000",
        "trip_point_2_type": "critical", "trip_point_2_temp": "104500",
    }  # fmt: skip
    tree = make_tree(zone(0, "cpu-thermal", "45812", **points))
    folder = f"{ZONES}/thermal_zone0"
    faults = Faults(
        {f"{folder}/trip_point_0_type": errno.EIO, f"{folder}/trip_point_1_temp": errno.EINVAL}
    )

    outcome = run(thermal.COLLECTOR, Root(str(mounted(tree, faults))))

    assert {"thermal_zone0": 45.812} == readings(outcome, thermal.TEMPERATURE, "zone")
    assert {"2": 104.5} == readings(outcome, thermal.TRIP, "trip")
    assert [f"{folder}/trip_point_0_type", f"{folder}/trip_point_1_temp"] == failed(outcome)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("CPU-therm", "cpu"), ("cpu-thermal", "cpu"), ("cpu_thermal", "cpu"), ("tj-therm", "tj"),
        ("CV0-therm", "cv0"), ("thermal-fan-est", "thermal-fan-est"),
        ("Tboard_tegra", "tboard_tegra"), ("x86_pkg_temp", "x86_pkg_temp"),
    ],
)  # fmt: skip
def test_one_name_over_all_releases(raw: str, expected: str) -> None:
    """JetPack 4, 5, 6 and mainline kernels name one sensor in three ways."""
    assert expected == thermal.normalise(raw)


def test_type_that_is_not_text_is_a_label_all_the_same(make_tree: MakeTree) -> None:
    """Bytes that are no UTF-8 are replaced, not raised (node_exporter#2416)."""
    tree = make_tree(zone(0, "x", "45000") | {f"{ZONES}/thermal_zone0/type": b"zo\xffne\n"})

    outcome = run(thermal.COLLECTOR, Root(str(tree)))

    assert {"zo\N{REPLACEMENT CHARACTER}ne": 45.0} == readings(outcome, thermal.TEMPERATURE, "type")


def test_node_without_zones_is_absent(make_tree: MakeTree) -> None:
    """A virtual machine has none, which is an answer."""
    outcome = run(thermal.COLLECTOR, Root(str(make_tree({"sys/kernel/.keep": ""}))))

    assert ("absent", "no thermal zone: /sys/class/thermal has none") == (
        outcome.status,
        outcome.reason,
    )


@given(st.text() | st.integers().map(str))
def test_parser_of_trip_points_never_surprises(text: str) -> None:
    """Any input is a plausible trip point, no trip point, or a ValueError."""
    try:
        found = thermal.parse_trip(text)
    except ValueError:
        return
    assert found is None or (-100 <= found <= 250 and found != 0)
