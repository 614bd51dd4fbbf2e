"""Fans: speed and duty, from chips and from Tegra's own driver."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.hardware import fan
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
CHIP = "sys/class/hwmon/hwmon0"
TEGRA = "sys/devices/pwm-fan"


def test_orin_nano_has_a_duty_and_a_tachometer() -> None:
    """pwm1 is 60 of 255; the tachometer's file is rpm, not fan1_input (jetson_stats#428)."""
    outcome = run(fan.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-nano-jp6"))))

    assert {("pwmfan", "pwm1"): 60 / 255} == readings(outcome, fan.DUTY, "chip", "sensor")
    assert {("pwmfan", "pwm1"): 1} == readings(outcome, fan.MODE, "chip", "sensor")
    assert {("pwm_tach", "rpm"): 1786} == readings(outcome, fan.SPEED, "chip", "sensor")


def test_nano_of_jetpack_4() -> None:
    """Its driver's folder tells the duty and where it goes; its tachometer is switched off."""
    outcome = run(fan.COLLECTOR, ReplayRoot(str(board_root("jetson-nano-jp4"))))

    assert {"pwm-fan": 0.0} == readings(outcome, fan.DUTY, "device")
    assert {"pwm-fan": 0.0} == readings(outcome, fan.TARGET_DUTY, "device")
    assert {} == readings(outcome, fan.SPEED, "device")
    assert "ok" == outcome.status


@pytest.mark.parametrize("tachometer", [{f"{TEGRA}/tach_enable": "1"}, {}])
def test_tegra_fan_that_is_measured(make_tree: MakeTree, tachometer: dict[str, str]) -> None:
    """With its tachometer on, or always on, the speed is told."""
    tree = {
        f"{TEGRA}/cur_pwm": "120\n",
        f"{TEGRA}/target_pwm": "255\n",
        f"{TEGRA}/rpm_measured": "2310\n",
    }

    outcome = run(fan.COLLECTOR, Root(str(make_tree({**tree, **tachometer}))))

    assert {"pwm-fan": 2310} == readings(outcome, fan.SPEED, "chip")
    assert {"pwm-fan": 120 / 255} == readings(outcome, fan.DUTY, "chip")
    assert {"pwm-fan": 1.0} == readings(outcome, fan.TARGET_DUTY, "chip")


def test_fans_of_chips_old_and_new() -> None:
    """Sensors of applesmc lie in its device's folder, those of the nct6779 in its own."""
    outcome = run(fan.COLLECTOR, ReplayRoot(str(board_root("node-exporter"))))

    assert {
        ("applesmc", "fan1", "Left side"): 0,
        ("applesmc", "fan2", "Right side"): 1998,
        ("nct6779", "fan2", ""): 1098,
    } == readings(outcome, fan.SPEED, "chip", "sensor", "label")
    assert {
        ("applesmc", "fan1", "max"): 6156.0,
        ("applesmc", "fan1", "min"): 2160.0,
        ("applesmc", "fan2", "max"): 5700.0,
        ("applesmc", "fan2", "min"): 2000.0,
        ("nct6779", "fan2", "min"): 0.0,
    } == readings(outcome, fan.LIMIT, "chip", "sensor", "limit")
    assert {"nct6779": 27000} == readings(outcome, fan.TARGET, "chip")
    assert {"asus": 2, "asus_wmi_sensors": 2, "nct6779": 5} == readings(outcome, fan.MODE, "chip")


def test_fan_that_is_not_there_has_no_speed(make_tree: MakeTree) -> None:
    """A fan whose fault file says 1 is not told to stand still."""
    tree: dict[str, str | bytes] = {
        f"{CHIP}/name": "chip", f"{CHIP}/fan1_input": "0", f"{CHIP}/fan1_fault": "1",
        f"{CHIP}/fan2_input": "900",
    }  # fmt: skip

    outcome = run(fan.COLLECTOR, Root(str(make_tree(tree))))

    assert {"fan2": 900} == readings(outcome, fan.SPEED, "sensor")


@pytest.mark.parametrize("text", ["65535", "-1", "", "<unknown>"])
def test_what_is_no_speed_is_a_failure(make_tree: MakeTree, text: str) -> None:
    """All bits set is not 65535 turns a minute."""
    tree: dict[str, str | bytes] = {f"{CHIP}/name": "chip", f"{CHIP}/fan1_input": text}

    outcome = run(fan.COLLECTOR, Root(str(make_tree(tree))))

    assert {} == readings(outcome, fan.SPEED, "sensor")
    assert [f"{CHIP}/fan1_input"] == failed(outcome)


def test_fan_that_cannot_be_read_costs_only_itself(mounted: Mounted, make_tree: MakeTree) -> None:
    """The first speed and the first duty fail, the second of each are told."""
    tree: dict[str, str | bytes] = {
        f"{CHIP}/name": "chip", f"{CHIP}/fan1_input": "1", f"{CHIP}/fan2_input": "1200",
        f"{CHIP}/pwm1": "1", f"{CHIP}/pwm2": "51",
    }  # fmt: skip
    faults = Faults({f"{CHIP}/fan1_input": errno.ENXIO, f"{CHIP}/pwm1": errno.EIO})

    outcome = run(fan.COLLECTOR, Root(str(mounted(make_tree(tree), faults))))

    assert {"fan2": 1200} == readings(outcome, fan.SPEED, "sensor")
    assert {"pwm2": 0.2} == readings(outcome, fan.DUTY, "sensor")
    assert sorted(faults.errors) == failed(outcome)


def test_chip_that_cannot_be_looked_into_costs_only_itself(
    mounted: Mounted, make_tree: MakeTree
) -> None:
    """The first chip's name and the second's label fail; the second's speed is told."""
    tree: dict[str, str | bytes] = {
        f"{CHIP}/name": "bad", f"{CHIP}/fan1_input": "1",
        "sys/class/hwmon/hwmon1/name": "good", "sys/class/hwmon/hwmon1/fan1_input": "800",
        "sys/class/hwmon/hwmon1/fan1_label": "x", "sys/class/hwmon/hwmon1/temp1_label": "y",
    }  # fmt: skip
    broken = [
        f"{CHIP}/name",
        *(f"sys/class/hwmon/hwmon1/{kind}1_label" for kind in ("fan", "temp")),
    ]
    faults = Faults(dict.fromkeys(broken, errno.EIO))

    outcome = run(fan.COLLECTOR, Root(str(mounted(make_tree(tree), faults))))

    assert {("good", ""): 800} == readings(outcome, fan.SPEED, "chip", "label")
    assert [CHIP, "sys/class/hwmon/hwmon1/fan1_label"] == failed(outcome)


def test_fan_that_is_switched_off_is_not_asked(make_tree: MakeTree) -> None:
    """An empty fan header answers nothing, which is nobody's failure."""
    tree: dict[str, str | bytes] = {
        f"{CHIP}/name": "chip", f"{CHIP}/fan1_input": "", f"{CHIP}/fan1_enable": "0",
        f"{CHIP}/fan2_input": "900",
    }  # fmt: skip

    outcome = run(fan.COLLECTOR, Root(str(make_tree(tree))))

    assert {"fan2": 900} == readings(outcome, fan.SPEED, "sensor")
    assert [] == failed(outcome)


def test_node_without_fans_is_absent() -> None:
    """A NUC whose chips have no fan is absent, not broken; so is a node without any chip."""
    without_fan = run(fan.COLLECTOR, ReplayRoot(str(board_root("nuc13-i915"))))

    assert ("absent", []) == (without_fan.status, without_fan.failures)


def test_node_without_chips_is_absent(make_tree: MakeTree) -> None:
    """No chip, no fan."""
    outcome = run(fan.COLLECTOR, Root(str(make_tree({"sys/kernel/.keep": ""}))))

    assert "absent" == outcome.status


@given(st.text() | st.integers().map(str))
def test_parsers_never_surprise(text: str) -> None:
    """Any input is a ratio and a speed within bounds, or a ValueError."""
    for parse, highest in ((fan.duty, 1), (fan.speed, fan.HIGHEST_RPM)):
        try:
            value = parse(text)
        except ValueError:
            continue
        assert 0 <= value <= highest
