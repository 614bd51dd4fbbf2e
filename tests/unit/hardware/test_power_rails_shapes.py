"""Power rails of boards that are not recorded, in small trees of their shape."""

from collections.abc import Callable, Mapping
from pathlib import Path

from exporters.core import Root
from exporters.core.task import Outcome
from exporters.hardware import power_rails
from exporters.hardware.rails import BOARD, LIMIT, POWER
from tests.support.collect import run
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]


def ina3221(folder: str, rails: Mapping[str, tuple[int, int]]) -> dict[str, str | bytes]:
    """Return the files of a chip with rails, by their millivolts and milliamperes."""
    files: dict[str, str | bytes] = {f"{folder}/name": "ina3221\n"}
    for number, (label, (millivolts, milliamperes)) in enumerate(rails.items(), 1):
        files[f"{folder}/in{number}_label"] = f"{label}\n"
        files[f"{folder}/in{number}_input"] = f"{millivolts}\n"
        files[f"{folder}/curr{number}_input"] = f"{milliamperes}\n"
    return files


def iio(folder: str, rails: Mapping[str, tuple[int, int]], **more: str) -> dict[str, str | bytes]:
    """Return the files of a chip below NVIDIA's older driver."""
    files: dict[str, str | bytes] = {f"{folder}/{file}": f"{text}\n" for file, text in more.items()}
    for number, (label, (millivolts, milliamperes)) in enumerate(rails.items()):
        files[f"{folder}/rail_name_{number}"] = f"{label}\n"
        files[f"{folder}/in_voltage{number}_input"] = f"{millivolts}\n"
        files[f"{folder}/in_current{number}_input"] = f"{milliamperes}\n"
    return files


def outcome_of(tree: Path) -> Outcome:
    """Run the collector on a tree."""
    return run(power_rails.COLLECTOR, Root(str(tree)))


THOR = {"VDD_GPU": (12000, 1000), "VDD_CPU_SOC_MSS": (12000, 500), "VIN_SYS_5V0": (5000, 1300)}


def test_thor_sums_its_module(make_tree: MakeTree) -> None:
    """12 W, 6 W and 6.5 W, where the carrier board does not measure its input."""
    outcome = outcome_of(make_tree(ina3221("sys/class/hwmon/hwmon2", THOR)))

    assert {"VDD_GPU": 12.0, "VDD_CPU_SOC_MSS": 6.0, "VIN_SYS_5V0": 6.5} == readings(
        outcome, POWER, "rail"
    )
    assert {"summed": 24.5} == readings(outcome, BOARD, "method")


def test_thor_measures_its_input_with_another_chip(make_tree: MakeTree) -> None:
    """An INA238 of the carrier board has VIN, which is all (jetson_stats#900)."""
    carrier: dict[str, str | bytes] = {
        "sys/class/hwmon/hwmon3/name": "ina238\n",
        "sys/class/hwmon/hwmon3/label": "VIN\n",
        "sys/class/hwmon/hwmon3/in0_input": "2\n",
        "sys/class/hwmon/hwmon3/in1_input": "20000\n",
        "sys/class/hwmon/hwmon3/curr1_input": "1500\n",
    }
    outcome = outcome_of(make_tree(ina3221("sys/class/hwmon/hwmon2", THOR) | carrier))

    assert 30.0 == readings(outcome, POWER, "rail")["VIN"]
    assert {"measured": 30.0} == readings(outcome, BOARD, "method")


def test_rail_that_is_off_may_seem_to_give_back(make_tree: MakeTree) -> None:
    """VDD_GPU of an idle Thor shows -392 mW, the offset of the amplifier: a reading."""
    outcome = outcome_of(make_tree(ina3221("sys/class/hwmon/hwmon2", {"VDD_GPU": (4900, -80)})))

    assert {"VDD_GPU": -0.392} == readings(outcome, POWER, "rail")


XAVIER_NX = {"VDD_IN": (5024, 700), "VDD_CPU_GPU_CV": (5016, 120), "VDD_SOC": (5016, 250)}


def test_xavier_nx_of_jetpack_5(make_tree: MakeTree) -> None:
    """5024 mV x 700 mA into the module."""
    outcome = outcome_of(make_tree(ina3221("sys/class/hwmon/hwmon4", XAVIER_NX)))

    assert {"measured": 3.5168} == readings(outcome, BOARD, "method")


def test_xavier_nx_of_jetpack_4(make_tree: MakeTree) -> None:
    """Without a file of its power a rail has that of voltage and current; the bus is found."""
    files = iio("sys/bus/i2c/devices/7-0040/iio:device0", XAVIER_NX, warn_current_limit_0="3000 ma")
    outcome = outcome_of(make_tree(files))

    assert {"measured": 3.5168} == readings(outcome, BOARD, "method")
    assert {("VDD_IN", "average"): 3.0} == readings(outcome, LIMIT, "rail", "limit")


def test_one_chip_on_two_buses(make_tree: MakeTree) -> None:
    """A chip that both bus folders link to is read once."""
    tree = make_tree(iio("sys/devices/c240000.i2c/7-0040/iio:device0", XAVIER_NX))
    for bus, target in (
        ("i2c", "../../../devices/c240000.i2c/7-0040"),
        ("iio", "../../../devices/c240000.i2c/7-0040/iio:device0"),
    ):
        (tree / f"sys/bus/{bus}/devices").mkdir(parents=True)
        (tree / f"sys/bus/{bus}/devices" / target.rpartition("/")[2]).symlink_to(target)
    outcome = outcome_of(tree)

    assert {("VDD_IN", "c240000.i2c/7-0040"), ("VDD_SOC", "c240000.i2c/7-0040")} <= set(
        readings(outcome, POWER, "rail", "device")
    )
    assert [] == failed(outcome)


def test_channels_of_one_name(make_tree: MakeTree) -> None:
    """A device tree that names two channels alike makes no duplicate series."""
    files = ina3221("sys/class/hwmon/hwmon0", {"VDD": (5000, 100), "B": (5000, 200)})
    files["sys/class/hwmon/hwmon0/in2_label"] = "VDD\n"
    outcome = outcome_of(make_tree(files))

    assert {"VDD": 0.5, "VDD#2": 1.0} == readings(outcome, POWER, "rail")


def test_chip_without_names_is_no_rail(make_tree: MakeTree) -> None:
    """An INA3221 on a hobbyist's board: its values are in hwmon, what they are of is not known."""
    files = ina3221("sys/class/hwmon/hwmon0", {"A": (5000, 100)})
    del files["sys/class/hwmon/hwmon0/in1_label"]

    assert "absent" == outcome_of(make_tree(files)).status


def test_garbage_is_a_failure(make_tree: MakeTree) -> None:
    """What is no number is no current, and no power, and no total."""
    files = ina3221("sys/class/hwmon/hwmon0", {"A": (5000, 100), "B": (5000, 200)})
    files["sys/class/hwmon/hwmon0/curr1_input"] = "<unknown>\n"
    outcome = outcome_of(make_tree(files))

    assert ({"B": 1.0}, {}) == (
        readings(outcome, POWER, "rail"),
        readings(outcome, BOARD, "method"),
    )
