"""Sensor chips: values in base units, limits only where some are set, one failure for each."""

import errno
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Metric, Root
from exporters.core.replay import ReplayRoot
from exporters.core.task import Outcome, Task
from exporters.hardware import hwmon
from exporters.hardware.numbers import scaled
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
CHIP = "sys/class/hwmon/hwmon0"


def chip(name: str = "chip", **files: str | bytes) -> dict[str, str | bytes]:
    """Return the files of a chip."""
    return {f"{CHIP}/{file}": text for file, text in {"name": name, **files}.items()}


@pytest.mark.parametrize(
    ("file", "text", "metric", "expected"),
    [
        # docs.kernel.org/hwmon/sysfs-interface: m°C, mV, mA, uW, uJ, milli-percent; Hz
        ("temp1_input", "-1500", hwmon.TEMPERATURE, -1.5),
        ("in0_input", "3312", hwmon.VOLTAGE, 3.312),
        ("in1_input", "-12040", hwmon.VOLTAGE, -12.04),
        ("curr1_input", "-250", hwmon.CURRENT, -0.25),
        ("power1_input", "18250000", hwmon.POWER, 18.25),
        ("power1_average", "9125000", hwmon.POWER_AVERAGE, 9.125),
        ("energy1_input", "18446744073709551615", hwmon.ENERGY, 18446744073709.551615),
        ("humidity1_input", "45125", hwmon.HUMIDITY, 0.45125),
        ("freq1_input", "214000000", hwmon.FREQUENCY, 214e6),
    ],
)
def test_units_are_base_units(
    make_tree: MakeTree, file: str, text: str, metric: Metric, expected: float
) -> None:
    """Each quantity is scaled as the kernel documents it."""
    outcome = run(hwmon.COLLECTOR, Root(str(make_tree(chip(**{file: text})))))

    assert {file.partition("_")[0]: expected} == readings(outcome, metric, "sensor")


def test_average_of_anything_but_power_is_left_out(make_tree: MakeTree) -> None:
    """A chip's own average of a current stands for nothing that its readings do not tell."""
    outcome = run(
        hwmon.COLLECTOR, Root(str(make_tree(chip(curr1_average="900", curr1_input="1000"))))
    )

    assert {"curr1": 1.0} == readings(outcome, hwmon.CURRENT, "sensor")
    assert 1 == len(outcome.samples)


def test_core_temperatures_have_the_names_of_the_cores() -> None:
    """temp26 is core 24 on hybrid Intel CPUs: the label tells."""
    outcome = run(hwmon.COLLECTOR, ReplayRoot(str(board_root("nuc13-i915"))))
    found = readings(outcome, hwmon.TEMPERATURE, "chip", "sensor", "label")

    assert 53.0 == found["coretemp", "temp1", "Package id 0"]
    assert 46.0 == found["coretemp", "temp25", "Core 23"]


def test_limits_of_a_nuc_s_disk() -> None:
    """Its second sensor's limits of -273.15 and 65261.85 degrees are none (SOURCES.md)."""
    outcome = run(hwmon.COLLECTOR, ReplayRoot(str(board_root("nuc13-i915"))))
    limits = readings(outcome, hwmon.TEMPERATURE_LIMIT, "chip", "sensor", "limit")

    assert {("nvme", "temp1", "crit"): 84.85, ("nvme", "temp1", "max"): 82.85} == {
        key: value for key, value in limits.items() if isinstance(key, tuple) and "nvme" in key
    }
    assert [] == failed(outcome)


def test_limits_of_a_disk(make_tree: MakeTree) -> None:
    """-0.15 degrees is a limit; -273.15 and 65261.85 stand for none (thinkfan#157)."""
    tree = chip(
        "nvme",
        temp1_input="43850", temp1_min="-150", temp1_max="84850", temp1_crit="94850",
        temp2_input="43850", temp2_min="-273150", temp2_max="65261850",
    )  # fmt: skip

    outcome = run(hwmon.COLLECTOR, Root(str(make_tree(tree))))

    assert {
        ("temp1", "min"): -0.15,
        ("temp1", "max"): 84.85,
        ("temp1", "crit"): 94.85,
    } == readings(outcome, hwmon.TEMPERATURE_LIMIT, "sensor", "limit")
    assert [] == failed(outcome)


@pytest.mark.parametrize(
    ("file", "text", "metric", "expected"),
    [
        ("temp1_lcrit", "-20000", hwmon.TEMPERATURE_LIMIT, {"lcrit": -20.0}),
        ("temp1_max_hyst", "80000", hwmon.TEMPERATURE_LIMIT, {"max_hyst": 80.0}),
        ("temp1_emergency", "120000", hwmon.TEMPERATURE_LIMIT, {"emergency": 120.0}),
        ("in0_rated_max", "5250", hwmon.VOLTAGE_LIMIT, {"rated_max": 5.25}),
        ("in0_rated_min", "4750", hwmon.VOLTAGE_LIMIT, {"rated_min": 4.75}),
        ("curr1_crit", "4050", hwmon.CURRENT_LIMIT, {"crit": 4.05}),
        ("power1_cap", "15000000", hwmon.POWER_LIMIT, {"cap": 15.0}),
        ("power1_cap_max", "25000000", hwmon.POWER_LIMIT, {"cap_max": 25.0}),
        ("humidity1_max", "90000", hwmon.HUMIDITY_LIMIT, {"max": 0.9}),
        ("temp1_highest", "90000", hwmon.TEMPERATURE_LIMIT, {}),
        ("temp1_offset", "1000", hwmon.TEMPERATURE_LIMIT, {}),
    ],
)
def test_limits_by_name(
    make_tree: MakeTree, file: str, text: str, metric: Metric, expected: dict[str, float]
) -> None:
    """What the kernel calls a limit is one, in the unit of its sensor; a record is none."""
    outcome = run(hwmon.COLLECTOR, Root(str(make_tree(chip(in9_input="0", **{file: text})))))

    assert expected == readings(outcome, metric, "limit")


def test_chip_that_cannot_be_looked_into_costs_only_itself(
    mounted: Mounted, make_tree: MakeTree
) -> None:
    """Without its name the first chip is a failure, the second is told."""
    other = {"sys/class/hwmon/hwmon1/name": "good", "sys/class/hwmon/hwmon1/temp1_input": "2000"}
    tree = make_tree({**chip(temp1_input="1000"), **other})

    outcome = run(hwmon.COLLECTOR, Root(str(mounted(tree, Faults({f"{CHIP}/name": errno.EIO})))))

    assert {"good": 2.0} == readings(outcome, hwmon.TEMPERATURE, "chip")
    assert [CHIP] == failed(outcome)


def test_channel_whose_switch_cannot_be_read_is_asked(
    mounted: Mounted, make_tree: MakeTree
) -> None:
    """The channel's own read tells whether there is something."""
    tree = make_tree(chip(in1_enable="0", in1_input="5000"))

    outcome = run(
        hwmon.COLLECTOR, Root(str(mounted(tree, Faults({f"{CHIP}/in1_enable": errno.EIO}))))
    )

    assert {"in1": 5.0} == readings(outcome, hwmon.VOLTAGE, "sensor")


def test_shunt_voltages_are_microvolts() -> None:
    """960 mA through 5 milliohms drop 4.8 mV, not 4.8 V (docs.kernel.org/hwmon/ina3221)."""
    outcome = run(hwmon.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-nano-jp6"))))
    found = readings(outcome, hwmon.VOLTAGE, "sensor", "label")

    assert {
        ("in1", "VDD_IN"): 4.984,
        ("in2", "VDD_CPU_GPU_CV"): 4.976,
        ("in3", "VDD_SOC"): 4.976,
        ("in4", ""): 0.0048,
        ("in5", ""): 0.0006,
        ("in6", ""): 0.00152,
        ("in7", "sum of shunt voltages"): 0.00808,
    } == found


def test_alarms_which_reading_clears_have_one_reader() -> None:
    """The INA3221 forgets its alert flags when they are read: power_rails does, nobody else."""
    outcome = run(hwmon.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-nano-jp6"))))

    assert {} == readings(outcome, hwmon.ALARM, "sensor", "alarm")


def test_alarms_by_the_limit_that_was_crossed() -> None:
    """in1 of the nct6779 is in alarm, both its case switches are (the fixture's files)."""
    outcome = run(hwmon.COLLECTOR, ReplayRoot(str(board_root("node-exporter"))))
    found = readings(outcome, hwmon.ALARM, "chip", "device", "sensor", "alarm")

    assert {
        ("nct6779", "platform/nct6775.656", "in1", "channel"),
        ("nct6779", "platform/nct6775.656", "intrusion0", "channel"),
        ("nct6779", "platform/nct6775.656", "intrusion1", "channel"),
    } == {key for key, value in found.items() if value}
    assert 0 == found["coretemp", "platform/coretemp.1", "temp5", "crit"]


def test_faulty_sensor_has_no_reading(make_tree: MakeTree) -> None:
    """What a chip says of an open diode is not told; that it is open is."""
    tree = chip(
        temp1_input="127000", temp1_fault="1", temp2_input="42000", temp2_fault="0", temp2_alarm="0"
    )

    outcome = run(hwmon.COLLECTOR, Root(str(make_tree(tree))))

    assert {"temp2": 42.0} == readings(outcome, hwmon.TEMPERATURE, "sensor")
    assert {("temp1", "fault"): 1, ("temp2", "fault"): 0, ("temp2", "channel"): 0} == readings(
        outcome, hwmon.ALARM, "sensor", "alarm"
    )
    assert [] == failed(outcome)


def test_disabled_channel_is_no_failure(mounted: Mounted, make_tree: MakeTree) -> None:
    """A channel that is switched off would answer ENODATA at every read: it is not asked."""
    tree = chip("ina3221", in1_enable="0", in1_input="", in2_enable="1", in2_input="5000")
    faults = Faults({f"{CHIP}/in1_input": errno.ENODATA})

    outcome = run(hwmon.COLLECTOR, Root(str(mounted(make_tree(tree), faults))))

    assert {"in2": 5.0} == readings(outcome, hwmon.VOLTAGE, "sensor")
    assert [] == failed(outcome)


def test_labels_that_are_odd_text(make_tree: MakeTree) -> None:
    """Bytes that are no UTF-8 are replaced, and <unknown> is a text like any other."""
    tree = chip(
        temp1_input="1000", temp1_label=b"CPU\xff\n", temp2_input="2000", temp2_label="<unknown>"
    )

    outcome = run(hwmon.COLLECTOR, Root(str(make_tree(tree))))

    assert {"CPU\N{REPLACEMENT CHARACTER}": 1.0, "<unknown>": 2.0} == readings(
        outcome, hwmon.TEMPERATURE, "label"
    )


@pytest.mark.parametrize("text", ["<unknown>", "nan", "", "1e3", "-273150", "65261850"])
def test_what_is_no_reading_is_a_failure(make_tree: MakeTree, text: str) -> None:
    """Neither NaN nor a sentinel becomes a temperature."""
    outcome = run(hwmon.COLLECTOR, Root(str(make_tree(chip(temp1_input=text)))))

    assert {} == readings(outcome, hwmon.TEMPERATURE, "sensor")
    assert [f"{CHIP}/temp1_input"] == failed(outcome)


@pytest.mark.parametrize("number", [errno.EIO, errno.ENXIO, errno.ENODATA, errno.EAGAIN])
def test_first_sensor_fails_and_the_last_is_read(
    mounted: Mounted, make_tree: MakeTree, number: int
) -> None:
    """A sensor, a label and a limit fail (thinkfan#36, node_exporter#1009): the rest is told."""
    tree = chip(
        temp1_input="1000", temp1_label="first", temp2_input="2000", temp2_label="second",
        temp2_max="90000", temp2_crit="99000",
    )  # fmt: skip
    faults = Faults(
        {f"{CHIP}/{file}": number for file in ("temp1_input", "temp2_label", "temp2_crit")}
    )

    outcome = run(hwmon.COLLECTOR, Root(str(mounted(make_tree(tree), faults))))

    assert {("temp2", ""): 2.0} == readings(outcome, hwmon.TEMPERATURE, "sensor", "label")
    assert {"max": 90.0} == readings(outcome, hwmon.TEMPERATURE_LIMIT, "limit")
    assert sorted(faults.errors) == failed(outcome)


def test_chip_that_gets_another_number_stays_the_same_series(tmp_path: Path) -> None:
    """A driver that is loaded anew moves from hwmon4 to hwmon2: found again within the scrape."""
    place = tmp_path / "sys/devices/platform/coretemp.0/hwmon"
    classes = tmp_path / "sys/class/hwmon"
    for folder in (place / "hwmon4", classes):
        folder.mkdir(parents=True)
    (place / "hwmon4/name").write_text("coretemp\n")
    (place / "hwmon4/temp1_input").write_text("51000\n")
    (classes / "hwmon4").symlink_to("../../devices/platform/coretemp.0/hwmon/hwmon4")
    task = Task(hwmon.COLLECTOR, Root(str(tmp_path)), 3600.0)
    task.collect(before := Outcome())

    (place / "hwmon4").rename(place / "hwmon2")
    (classes / "hwmon4").unlink()
    (classes / "hwmon2").symlink_to("../../devices/platform/coretemp.0/hwmon/hwmon2")
    task.collect(after := Outcome())

    assert {("coretemp", "platform/coretemp.0", "temp1"): 51.0} == readings(
        after, hwmon.TEMPERATURE, "chip", "device", "sensor"
    )
    assert before.samples == after.samples
    assert [] == failed(after)


def test_twin_chips_do_not_collide() -> None:
    """Two CPUs, three radios of one device, two sensors of one label: each is one series."""
    outcome = run(hwmon.COLLECTOR, ReplayRoot(str(board_root("node-exporter"))))
    prefixes = [sample.series.prefix for sample in outcome.samples]

    assert len(prefixes) == len(set(prefixes))
    assert 15 == len(readings(outcome, hwmon.TEMPERATURE, "chip", "device", "sensor"))


@given(st.text() | st.integers().map(str))
def test_parsers_never_surprise(text: str) -> None:
    """Any input of any quantity is within its bounds or a ValueError."""
    for quantity in hwmon.QUANTITIES.values():
        parse = scaled(quantity.per_unit, quantity.lowest, quantity.highest)
        try:
            value = parse(text)
        except ValueError:
            continue
        assert quantity.lowest <= value <= quantity.highest


def test_a_chip_with_very_many_sensors_is_found_in_time(make_tree: MakeTree) -> None:
    """The search grows with the sensors, not with their square: 12,000 took seconds, once."""
    tree = make_tree(chip(**{f"temp{number}_input": "41000" for number in range(12_000)}))

    started = time.process_time()
    found = list(hwmon.discover(Root(str(tree))))

    assert 12_000 == len(found)
    assert time.process_time() - started < 1.5
