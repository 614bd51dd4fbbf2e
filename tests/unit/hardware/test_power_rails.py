"""Power rails of Jetson boards: what is measured, what is a limit, and what the board draws."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.core.task import Outcome, Task
from exporters.hardware import power_rails
from exporters.hardware.ina3221 import parse_limit
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
CHIP = "sys/class/hwmon/hwmon2"
ORIN_NANO = "platform/bus@0/c240000.i2c/i2c-1/1-0040"
NANO_IIO = "sys/devices/50000000.host1x/546c0000.i2c/i2c-6/6-0040/iio:device0"
AGX_GPU = "sys/devices/platform/c240000.i2c/i2c-1/1-0040/hwmon/hwmon3"


class CountingRoot(ReplayRoot):
    """A root that notes what is read."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.reads: list[str] = []

    def read(self, path: str) -> str:
        """Read, and remember the file's name."""
        self.reads.append(path.rpartition("/")[2])
        return super().read(path)


def chip(**files: str) -> dict[str, str | bytes]:
    """Return the files of an INA3221 under hwmon."""
    return {f"{CHIP}/{file}": text for file, text in {"name": "ina3221", **files}.items()}


def channel(number: int, label: str, millivolts: int, milliamperes: int) -> dict[str, str]:
    """Return the files of one of its channels."""
    return {
        f"in{number}_label": label,
        f"in{number}_input": f"{millivolts}\n",
        f"curr{number}_input": f"{milliamperes}\n",
    }


def collect(tree: Path) -> Outcome:
    """Return what the rails of a tree say."""
    return run(power_rails.COLLECTOR, Root(str(tree)))


def test_rails_of_an_orin_nano() -> None:
    """Volts times amperes of SOURCES.md: 4.984 x 0.960, 4.976 x 0.120 and 4.976 x 0.304."""
    outcome = run(power_rails.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-nano-jp6"))))

    assert {
        ("VDD_IN", ORIN_NANO): 4.78464,
        ("VDD_CPU_GPU_CV", ORIN_NANO): 0.59712,
        ("VDD_SOC", ORIN_NANO): 1.512704,
    } == readings(outcome, power_rails.POWER, "rail", "device")
    assert {"VDD_IN": 4.984, "VDD_CPU_GPU_CV": 4.976, "VDD_SOC": 4.976} == readings(
        outcome, power_rails.VOLTAGE, "rail"
    )
    assert {"VDD_IN": 0.96, "VDD_CPU_GPU_CV": 0.12, "VDD_SOC": 0.304} == readings(
        outcome, power_rails.CURRENT, "rail"
    )
    assert [] == failed(outcome)


def test_input_rail_is_the_board() -> None:
    """VDD_IN holds the other two: a sum would count them twice (jetson_stats#51)."""
    outcome = run(power_rails.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-nano-jp6"))))

    assert {"measured": 4.78464} == readings(outcome, power_rails.BOARD_POWER, "method")


def test_board_without_an_input_rail_is_summed() -> None:
    """AGX Orin: 12.008 x (0.280 + 0.040) + 4.968 x (0.980 + 0.080); its NC channels are none."""
    outcome = run(power_rails.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-agx-jp5"))))

    assert {"VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0", "VDDQ_VDD2_1V8AO"} == set(
        readings(outcome, power_rails.POWER, "rail")
    )
    assert {"summed": pytest.approx(3.84256 + 5.26608)} == readings(
        outcome, power_rails.BOARD_POWER, "method"
    )


def test_rails_of_a_nano_are_what_its_driver_says() -> None:
    """1750, 0 and 366 mW of SOURCES.md, of which the input rail is the board."""
    outcome = run(power_rails.COLLECTOR, ReplayRoot(str(board_root("jetson-nano-jp4"))))

    assert {"POM_5V_IN": 1.75, "POM_5V_GPU": 0.0, "POM_5V_CPU": 0.366} == readings(
        outcome, power_rails.POWER, "rail"
    )
    assert {"POM_5V_IN": 0.35, "POM_5V_GPU": 0.0, "POM_5V_CPU": 0.073} == readings(
        outcome, power_rails.CURRENT, "rail"
    )
    assert {"measured": 1.75} == readings(outcome, power_rails.BOARD_POWER, "method")
    assert {} == readings(outcome, power_rails.LIMIT, "rail")


def test_monitor_that_only_root_may_read(mounted: Mounted) -> None:
    """JetPack 4 keeps its files at mode 0600: three denied names, no number, not absent."""
    outcome = collect(mounted("jetson-nano-jp4"))

    assert "error" == outcome.status
    assert [f"{NANO_IIO}/rail_name_{number}" for number in range(3)] == failed(outcome)
    assert all(isinstance(failure.error, PermissionError) for failure in outcome.failures)
    assert [] == outcome.samples


@pytest.mark.parametrize(
    "folder",
    [
        "sys/bus/i2c/drivers/ina3221x/7-0040/iio:device0",
        "sys/bus/i2c/devices/7-0040/iio:device0",
        "sys/bus/iio/devices/iio:device0",
    ],
)
def test_iio_device_is_found_by_any_of_its_links(make_tree: MakeTree, folder: str) -> None:
    """Xavier NX with JetPack 4, its chip at 7-0040, all three links to one folder or just one."""
    place = "sys/devices/c250000.i2c/i2c-7/7-0040/iio:device0"
    files = {
        "rail_name_0": "VDD_IN\n",
        "in_voltage0_input": "5056\n",
        "in_current0_input": "1000\n",
        "in_power0_input": "5056\n",
        "crit_current_limit_0": "3600 ma\n",
        "warn_current_limit_0": "32760 ma\n",
    }
    tree = make_tree({f"{place}/{name}": text for name, text in files.items()})
    for link in {folder, "sys/bus/i2c/devices/7-0040/iio:device0"}:
        (tree / link).parent.mkdir(parents=True)
        (tree / link).symlink_to(tree / place)

    outcome = collect(tree)

    assert {("VDD_IN", "c250000.i2c/i2c-7/7-0040"): 5.056} == readings(
        outcome, power_rails.POWER, "rail", "device"
    )
    assert {("VDD_IN", "instantaneous"): 3.6} == readings(
        outcome, power_rails.LIMIT, "rail", "limit"
    )
    assert {"measured": 5.056} == readings(outcome, power_rails.BOARD_POWER, "method")


def test_limits_of_an_orin_nano() -> None:
    """4.05 A is set for VDD_IN; 32.76 A, what the register holds at power-on, is none."""
    outcome = run(power_rails.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-nano-jp6"))))

    assert {("VDD_IN", "instantaneous"): 4.05} == readings(
        outcome, power_rails.LIMIT, "rail", "limit"
    )


def test_alarms_of_an_orin_nano(make_tree: MakeTree) -> None:
    """All seven flags, the sum's among them; curr1_crit_alarm is the one of single readings."""
    rails = channel(1, "VDD_IN", 5000, 1000) | channel(2, "VDD_SOC", 5000, 100)
    alarms = {
        "curr1_crit_alarm": "1", "curr1_max_alarm": "0", "curr2_crit_alarm": "0",
        "curr2_max_alarm": "1", "curr4_crit_alarm": "1",
    }  # fmt: skip

    outcome = collect(make_tree(chip(**rails, **alarms)))

    assert {
        ("VDD_IN", "instantaneous"): 1,
        ("VDD_IN", "average"): 0,
        ("VDD_SOC", "instantaneous"): 0,
        ("VDD_SOC", "average"): 1,
        ("sum", "instantaneous"): 1,
    } == readings(outcome, power_rails.ALARM, "rail", "limit")


def test_alarm_that_can_rise_is_read_before_those_that_cannot() -> None:
    """Any read resets all flags: the one with a limit goes first, and each is read once."""
    root = CountingRoot(str(board_root("jetson-orin-nano-jp6")))
    task = Task(power_rails.COLLECTOR, root, 60.0)
    task.collect(Outcome())
    root.reads.clear()

    task.collect(Outcome())
    alarms = [name for name in root.reads if name.endswith("_alarm")]

    assert "curr1_crit_alarm" == alarms[0]
    assert 7 == len(alarms) == len(set(alarms))


def test_scrape_reads_each_rail_once() -> None:
    """The board's power comes from the rails' own readings; limits are not read again."""
    root = CountingRoot(str(board_root("jetson-orin-nano-jp6")))
    task = Task(power_rails.COLLECTOR, root, 60.0)
    task.collect(Outcome())
    root.reads.clear()

    task.collect(Outcome())

    assert [
        "in1_input", "curr1_input", "in2_input", "curr2_input", "in3_input", "curr3_input",
    ] == [name for name in root.reads if not name.endswith("_alarm")]  # fmt: skip


def test_sum_is_never_told_in_part(mounted: Mounted) -> None:
    """With one rail of AGX Orin broken the other three are told, and no total."""
    faults = Faults({f"{AGX_GPU}/curr2_input": errno.EIO})

    outcome = collect(mounted(board_root("jetson-orin-agx-jp5"), faults))

    assert {"VDD_GPU_SOC", "VIN_SYS_5V0", "VDDQ_VDD2_1V8AO"} == set(
        readings(outcome, power_rails.POWER, "rail")
    )
    assert {} == readings(outcome, power_rails.BOARD_POWER, "method")
    assert 2 == len(outcome.failures)


def test_total_does_not_use_what_an_earlier_scrape_read(make_tree: MakeTree) -> None:
    """A rail that fails at the second scrape takes the total along."""
    rails = channel(1, "VDD_GPU", 12000, 1000) | channel(2, "VDD_CPU", 12000, 500)
    tree = make_tree(chip(**rails))
    task = Task(power_rails.COLLECTOR, Root(str(tree)), 60.0)
    first, second = Outcome(), Outcome()

    task.collect(first)
    (tree / CHIP / "curr2_input").write_text("n/a\n")
    task.collect(second)

    assert {"summed": 18.0} == readings(first, power_rails.BOARD_POWER, "method")
    assert {} == readings(second, power_rails.BOARD_POWER, "method")


def test_measured_total_needs_only_its_rail(mounted: Mounted, make_tree: MakeTree) -> None:
    """A part of the input that fails does not concern the whole."""
    rails = channel(1, "VDD_IN", 5000, 1000) | channel(2, "VDD_SOC", 5000, 100)
    faults = Faults({f"{CHIP}/in2_input": errno.EIO})

    outcome = collect(mounted(make_tree(chip(**rails)), faults))

    assert {"measured": 5.0} == readings(outcome, power_rails.BOARD_POWER, "method")
    assert [f"{CHIP}/in2_input"] == failed(outcome)


def test_rail_without_its_name_leaves_no_sum(mounted: Mounted, make_tree: MakeTree) -> None:
    """It may be the input rail: what it is part of is not known."""
    rails = channel(1, "VDD_GPU", 12000, 1000) | channel(2, "VDD_CPU", 12000, 500)
    faults = Faults({f"{CHIP}/in2_label": errno.EIO})

    outcome = collect(mounted(make_tree(chip(**rails)), faults))

    assert {"VDD_GPU": 12.0} == readings(outcome, power_rails.POWER, "rail")
    assert {} == readings(outcome, power_rails.BOARD_POWER, "method")
    assert [f"{CHIP}/in2_label"] == failed(outcome)


def test_channel_that_is_switched_off_is_not_read(make_tree: MakeTree) -> None:
    """It would answer ENODATA (kernel doc); nothing fails, and what is left is no sum."""
    rails = channel(1, "VDD_GPU", 12000, 1000) | channel(2, "VDD_CPU", 12000, 500)

    outcome = collect(make_tree(chip(**rails, in1_enable="1", in2_enable="0")))

    assert {"VDD_GPU": 12.0} == readings(outcome, power_rails.POWER, "rail")
    assert {} == readings(outcome, power_rails.BOARD_POWER, "method")
    assert [] == failed(outcome)


def test_rails_of_a_thor(make_tree: MakeTree) -> None:
    """20.0 x 0.5 + 20.0 x 0.25 + 5.0 x 2.0 = 25 W; channels without current or name are none."""
    rails = (
        channel(1, "VDD_GPU", 20000, 500)
        | channel(2, "VDD_CPU_SOC_MSS", 20000, 250)
        | channel(3, "VIN_SYS_5V0", 5000, 2000)
        | {"in7_label": "sum of shunt voltages", "in7_input": "8080", "in4_input": "4800"}
    )

    outcome = collect(make_tree(chip(**rails)))

    assert {"VDD_GPU": 10.0, "VDD_CPU_SOC_MSS": 5.0, "VIN_SYS_5V0": 10.0} == readings(
        outcome, power_rails.POWER, "rail"
    )
    assert {"summed": 25.0} == readings(outcome, power_rails.BOARD_POWER, "method")


def test_board_with_other_chips_has_none(make_tree: MakeTree) -> None:
    """A PC's chips are hwmon's matter."""
    other = {"sys/class/hwmon/hwmon0/name": "nct6798", "sys/class/hwmon/hwmon0/in1_input": "1"}

    outcome = collect(make_tree({**other}))

    assert "absent" == outcome.status
    assert "INA3221" in outcome.reason


@pytest.mark.parametrize(
    ("microohms", "text", "expected"),
    [
        # 32760 mA x 5 mOhm = 163.8 mV, all that the register holds (INA3221 data sheet)
        (5000, "32760", None),
        (5000, "32760 ma", None),
        (5000, "32752", 32.752),
        (5000, "4050", 4.05),
        (10_000, "16380", None),
        (10_000, "16376", 16.376),
        (2000, "32760", 32.76),
        (11_000, "14891", None),  # 14890.9 rounded up
        (17_000, "9635", None),  # 9635.3 rounded down
        (5000, "0", 0.0),
        (5000, "-1", None),
    ],
)
def test_limit_of_full_scale_is_none(microohms: int, text: str, expected: float | None) -> None:
    """What the chip cannot measure is no limit, whatever the shunt."""
    assert expected == parse_limit(microohms)(text)


@given(st.text(), st.integers(1, 10**6))
def test_any_text_is_a_limit_or_a_value_error(text: str, microohms: int) -> None:
    """A limit is within what a rail carries."""
    try:
        value = parse_limit(microohms)(text)
    except ValueError:
        return
    assert value is None or 0 <= value <= 1e6


NUMBERS = st.text() | st.integers(-(10**7), 10**7).map(str)


@given(NUMBERS, NUMBERS, NUMBERS | st.none())
def test_any_texts_are_a_rail_or_a_value_error(
    millivolts: str, milliamperes: str, milliwatts: str | None
) -> None:
    """A rail is within what the chip measures."""
    try:
        found = power_rails.parse_rail(millivolts, milliamperes, milliwatts)
    except ValueError:
        return
    assert 0 <= found[0] <= 33
    assert -1700 <= found[1] <= 1700
    assert abs(found[2]) <= 33 * 1700
