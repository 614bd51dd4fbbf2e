"""Cooling devices: what is done against heat, and which of it is throttling."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.hardware import cooling, throttle
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
FOLDER = "sys/class/thermal"


def device(number: int, kind: str, state: str, most: str = "3") -> dict[str, str | bytes]:
    """Return the files of a cooling device."""
    folder = f"{FOLDER}/cooling_device{number}"
    return {
        f"{folder}/type": f"{kind}\n",
        f"{folder}/cur_state": f"{state}\n",
        f"{folder}/max_state": f"{most}\n",
    }


def test_states_of_an_orin_nano() -> None:
    """The fan runs in step 1 of 4, nothing else does anything (SOURCES.md)."""
    outcome = run(cooling.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-nano-jp6"))))
    states = readings(outcome, cooling.STATE, "type")
    most = readings(outcome, cooling.MAX_STATE, "type")

    assert 13 == len(states)
    assert {"pwm-fan": 1} == {kind: state for kind, state in states.items() if state}
    assert (4, 25, 6, 2) == tuple(
        most[kind]
        for kind in ("pwm-fan", "cpufreq-cpu0", "devfreq-17000000.gpu", "hot-surface-alert")
    )


def test_only_what_slows_something_can_throttle() -> None:
    """Neither the fan nor the warning of a hot surface is in the table of throttling."""
    outcome = run(cooling.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-nano-jp6"))))
    domains = ("cpu", "cv0", "cv1", "cv2", "gpu", "soc0", "soc1", "soc2")
    alerts = [f"{domain}-throttle-alert" for domain in domains]

    assert {"17000000.gpu", "cpufreq-cpu0", "cpufreq-cpu4", *alerts} == readings(
        outcome, throttle.ACTIVE, "device"
    ).keys()


@pytest.mark.parametrize(
    ("kind", "domain", "name"),
    [
        ("cpu-throttle-alert", "cpu", "cpu-throttle-alert"),
        ("gpu-throttle-alert", "gpu", "gpu-throttle-alert"),
        ("cv1-throttle-alert", "cv", "cv1-throttle-alert"),
        ("soc012-throttle-alert", "soc", "soc012-throttle-alert"),
        ("tj-throttle-alert", "soc", "tj-throttle-alert"),
        ("cpufreq-cpu0", "cpu", "cpufreq-cpu0"),
        ("thermal-cpufreq-0", "cpu", "thermal-cpufreq-0"),
        ("devfreq-17000000.gpu", "gpu", "17000000.gpu"),
        ("devfreq-gpu-gpc-0", "gpu", "gpu-gpc-0"),
        ("devfreq-gpu-nvd-0", "gpu", "gpu-nvd-0"),
        ("17000000.ga10b", "gpu", "17000000.ga10b"),
        ("17000000.gv11b", "gpu", "17000000.gv11b"),
        ("devfreq-dmc", "soc", "devfreq-dmc"),
        ("cpu-balanced", "cpu", "cpu-balanced"),
        ("gpu-balanced", "gpu", "gpu-balanced"),
        ("emergency-balanced", "soc", "emergency-balanced"),
        ("tegra-heavy", "soc", "tegra-heavy"),
    ],
)
@pytest.mark.parametrize("state", [0, 1, 2])
def test_throttling_of_each_platform(
    make_tree: MakeTree, kind: str, domain: str, name: str, state: int
) -> None:
    """Every row of the table throttles its domain from state 1 on."""
    outcome = run(cooling.COLLECTOR, Root(str(make_tree(device(0, kind, str(state))))))

    assert {(domain, "thermal", "cooling_device", name): min(state, 1)} == readings(
        outcome, throttle.ACTIVE, "domain", "cause", "source", "device"
    )
    assert {kind: state} == readings(outcome, cooling.STATE, "type")


@pytest.mark.parametrize(
    "kind",
    ["pwm-fan", "hot-surface-alert", "Processor", "Fan", "intel_powerclamp", "TCC Offset", "LCD"],
)
def test_what_must_not_count(make_tree: MakeTree, kind: str) -> None:
    """A fan, a warning, an ACPI device at work is no throttling."""
    outcome = run(cooling.COLLECTOR, Root(str(make_tree(device(0, kind, "1")))))

    assert {} == readings(outcome, throttle.ACTIVE, "device")
    assert {kind: 1} == readings(outcome, cooling.STATE, "type")


def test_many_devices_of_one_type_stay_apart(make_tree: MakeTree) -> None:
    """A NUC has a Processor for each CPU; types that throttle are told apart as well."""
    tree = make_tree(
        device(0, "Processor", "0") | device(1, "Processor", "2")
        | device(2, "cpufreq-cpu0", "0") | device(3, "cpufreq-cpu0", "1")
    )  # fmt: skip

    outcome = run(cooling.COLLECTOR, Root(str(tree)))

    assert {f"cooling_device{n}": state for n, state in enumerate((0, 2, 0, 1))} == readings(
        outcome, cooling.STATE, "device"
    )
    assert {"cpufreq-cpu0#cooling_device2": 0, "cpufreq-cpu0#cooling_device3": 1} == readings(
        outcome, throttle.ACTIVE, "device"
    )


def test_powerclamp_that_is_off_has_no_state(make_tree: MakeTree) -> None:
    """Its -1 means that it injects no idle time: neither a state nor a failure."""
    outcome = run(cooling.COLLECTOR, Root(str(make_tree(device(0, "intel_powerclamp", "-1")))))

    assert {} == readings(outcome, cooling.STATE, "type")
    assert {"intel_powerclamp": 3.0} == readings(outcome, cooling.MAX_STATE, "type")
    assert [] == failed(outcome)


@pytest.mark.parametrize("text", ["-1", "", "<unknown>"])
def test_what_is_no_state_is_a_failure(make_tree: MakeTree, text: str) -> None:
    """Of any other device -1 is no state."""
    outcome = run(cooling.COLLECTOR, Root(str(make_tree(device(0, "cpufreq-cpu0", text)))))

    assert {} == readings(outcome, throttle.ACTIVE, "device")
    assert [f"{FOLDER}/cooling_device0/cur_state"] == failed(outcome)


def test_state_that_cannot_be_read_costs_only_itself(mounted: Mounted, make_tree: MakeTree) -> None:
    """EINVAL of one device (node_exporter#3420), a type that is gone: the last still tells."""
    tree = make_tree(device(0, "Fan", "0") | device(1, "x", "0") | device(2, "cpufreq-cpu0", "4"))
    faults = Faults(
        {
            f"{FOLDER}/cooling_device0/cur_state": errno.EINVAL,
            f"{FOLDER}/cooling_device1/type": errno.EIO,
            f"{FOLDER}/cooling_device2/max_state": errno.EIO,
        }
    )

    outcome = run(cooling.COLLECTOR, Root(str(mounted(tree, faults))))

    assert {"cpufreq-cpu0": 4} == readings(outcome, cooling.STATE, "type")
    assert {"cpufreq-cpu0": 1} == readings(outcome, throttle.ACTIVE, "device")
    assert {"Fan": 3.0} == readings(outcome, cooling.MAX_STATE, "type")
    assert sorted(faults.errors) == failed(outcome)


def test_node_without_cooling_is_absent(make_tree: MakeTree) -> None:
    """No cooling device is an answer."""
    outcome = run(cooling.COLLECTOR, Root(str(make_tree({"sys/kernel/.keep": ""}))))

    assert "absent" == outcome.status
