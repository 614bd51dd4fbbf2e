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
from exporters.hardware import power_rails, rails
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
CHIP = "sys/class/hwmon/hwmon2"
ORIN_NANO = "platform/bus@0/c240000.i2c/i2c-1/1-0040"
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
    } == readings(outcome, rails.POWER, "rail", "device")
    assert {"VDD_IN": 4.984, "VDD_CPU_GPU_CV": 4.976, "VDD_SOC": 4.976} == readings(
        outcome, rails.VOLTAGE, "rail"
    )
    assert {"VDD_IN": 0.96, "VDD_CPU_GPU_CV": 0.12, "VDD_SOC": 0.304} == readings(
        outcome, rails.CURRENT, "rail"
    )
    assert [] == failed(outcome)


def test_input_rail_is_the_board() -> None:
    """VDD_IN holds the other two: a sum would count them twice (jetson_stats#51)."""
    outcome = run(power_rails.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-nano-jp6"))))

    assert {"measured": 4.78464} == readings(outcome, rails.BOARD, "method")


def test_board_without_an_input_rail_is_summed() -> None:
    """AGX Orin: 12.008 x (0.280 + 0.040) + 4.968 x (0.980 + 0.080); its NC channels are none."""
    outcome = run(power_rails.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-agx-jp5"))))

    assert {"VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0", "VDDQ_VDD2_1V8AO"} == set(
        readings(outcome, rails.POWER, "rail")
    )
    assert {"summed": pytest.approx(3.84256 + 5.26608)} == readings(outcome, rails.BOARD, "method")


def test_rails_of_a_nano_are_what_its_driver_says() -> None:
    """1750, 0 and 366 mW of SOURCES.md, of which the input rail is the board."""
    outcome = run(power_rails.COLLECTOR, ReplayRoot(str(board_root("jetson-nano-jp4"))))

    assert {"POM_5V_IN": 1.75, "POM_5V_GPU": 0.0, "POM_5V_CPU": 0.366} == readings(
        outcome, rails.POWER, "rail"
    )
    assert {"POM_5V_IN": 0.35, "POM_5V_GPU": 0.0, "POM_5V_CPU": 0.073} == readings(
        outcome, rails.CURRENT, "rail"
    )
    assert {"measured": 1.75} == readings(outcome, rails.BOARD, "method")
    assert {} == readings(outcome, rails.LIMIT, "rail")


def test_monitor_that_only_root_may_read(mounted: Mounted) -> None:
    """JetPack 4 keeps its files at mode 0600: three denied names, no number, not absent."""
    outcome = collect(mounted("jetson-nano-jp4"))

    assert "error" == outcome.status
    assert ["rail_name_0", "rail_name_1", "rail_name_2"] == [
        where.rpartition("/")[2] for where in failed(outcome) if "board_power" not in where
    ]
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
    """Xavier NX with JetPack 4, its chip at 7-0040, with one link only."""
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
    (tree / folder).parent.mkdir(parents=True)
    (tree / folder).symlink_to(tree / place)

    outcome = collect(tree)

    assert {("VDD_IN", "c250000.i2c/i2c-7/7-0040"): 5.056} == readings(
        outcome, rails.POWER, "rail", "device"
    )
    assert {("VDD_IN", "instantaneous"): 3.6} == readings(outcome, rails.LIMIT, "rail", "limit")
    assert {"measured": 5.056} == readings(outcome, rails.BOARD, "method")


def test_limits_of_an_orin_nano() -> None:
    """4.05 A is set for VDD_IN; 32.76 A, what the register holds at power-on, is none."""
    outcome = run(power_rails.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-nano-jp6"))))

    assert {("VDD_IN", "instantaneous"): 4.05} == readings(outcome, rails.LIMIT, "rail", "limit")


def test_alarms_of_an_orin_nano(make_tree: MakeTree) -> None:
    """All seven flags, the sum's among them; curr1_crit_alarm is the one of single readings."""
    files = channel(1, "VDD_IN", 5000, 1000) | channel(2, "VDD_SOC", 5000, 100)
    alarms = {
        "curr1_crit_alarm": "1", "curr1_max_alarm": "0", "curr2_crit_alarm": "0",
        "curr2_max_alarm": "1", "curr4_crit_alarm": "1",
    }  # fmt: skip

    outcome = collect(make_tree(chip(**files, **alarms)))

    assert {
        ("VDD_IN", "instantaneous"): 1,
        ("VDD_IN", "average"): 0,
        ("VDD_SOC", "instantaneous"): 0,
        ("VDD_SOC", "average"): 1,
        ("sum", "instantaneous"): 1,
    } == readings(outcome, rails.ALARM, "rail", "limit")


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
        readings(outcome, rails.POWER, "rail")
    )
    assert {} == readings(outcome, rails.BOARD, "method")
    where = "tailsight_board_power_watts (VDD_GPU_SOC, VDD_CPU_CV, VIN_SYS_5V0, VDDQ_VDD2_1V8AO)"
    assert ["sys/class/hwmon/hwmon3/in2_input", where] == failed(outcome)
    assert {errno.EIO} == {getattr(one.error, "errno", None) for one in outcome.failures}


def test_total_does_not_use_what_an_earlier_scrape_read(make_tree: MakeTree) -> None:
    """A rail that fails at the second scrape takes the total along."""
    files = channel(1, "VDD_GPU", 12000, 1000) | channel(2, "VDD_CPU", 12000, 500)
    tree = make_tree(chip(**files))
    task = Task(power_rails.COLLECTOR, Root(str(tree)), 60.0)
    first, second = Outcome(), Outcome()

    task.collect(first)
    (tree / CHIP / "curr2_input").write_text("n/a\n")
    task.collect(second)

    assert {"summed": 18.0} == readings(first, rails.BOARD, "method")
    assert {} == readings(second, rails.BOARD, "method")


def test_measured_total_needs_only_its_rail(mounted: Mounted, make_tree: MakeTree) -> None:
    """A part of the input that fails does not concern the whole."""
    files = channel(1, "VDD_IN", 5000, 1000) | channel(2, "VDD_SOC", 5000, 100)
    faults = Faults({f"{CHIP}/in2_input": errno.EIO})

    outcome = collect(mounted(make_tree(chip(**files)), faults))

    assert {"measured": 5.0} == readings(outcome, rails.BOARD, "method")
    assert [f"{CHIP}/in2_input"] == failed(outcome)


def test_rail_without_its_name_leaves_no_sum(mounted: Mounted, make_tree: MakeTree) -> None:
    """It may be the input rail: what it is part of is not known."""
    files = channel(1, "VDD_GPU", 12000, 1000) | channel(2, "VDD_CPU", 12000, 500)
    faults = Faults({f"{CHIP}/in2_label": errno.EIO})

    outcome = collect(mounted(make_tree(chip(**files)), faults))

    assert {"VDD_GPU": 12.0} == readings(outcome, rails.POWER, "rail")
    assert {} == readings(outcome, rails.BOARD, "method")
    assert [
        f"{CHIP}/in2_label",
        "tailsight_board_power_watts (not all rails are known)",
    ] == failed(outcome)


def test_channel_that_is_switched_off_is_not_read(make_tree: MakeTree) -> None:
    """It would answer ENODATA (kernel doc); nothing fails, and what is left is no sum."""
    files = channel(1, "VDD_GPU", 12000, 1000) | channel(2, "VDD_CPU", 12000, 500)

    outcome = collect(make_tree(chip(**files, in1_enable="1", in2_enable="0")))

    assert {"VDD_GPU": 12.0} == readings(outcome, rails.POWER, "rail")
    assert {} == readings(outcome, rails.BOARD, "method")
    assert [] == failed(outcome)


@pytest.mark.parametrize(
    ("device", "expected"),
    [
        # an I2C device at an address of these chips, and a thermal zone's chip
        ("sys/devices/platform/c240000.i2c/i2c-1/1-0041/hwmon/hwmon7", {}),
        ("sys/devices/virtual/thermal/thermal_zone0/hwmon7", {"summed": 12.0}),
    ],
)
def test_chip_that_may_be_a_monitor_leaves_no_sum(
    mounted: Mounted, make_tree: MakeTree, device: str, expected: dict[str, float]
) -> None:
    """Its rails are unknown while its name cannot be read; other chips do not matter."""
    tree = make_tree({**chip(**channel(1, "VDD_GPU", 12000, 1000)), f"{device}/name": "x"})
    (tree / "sys/class/hwmon/hwmon7").symlink_to(Path("../../..") / device)

    outcome = collect(mounted(tree, Faults({f"{device}/name": errno.EIO})))

    assert {"VDD_GPU": 12.0} == readings(outcome, rails.POWER, "rail")
    assert expected == readings(outcome, rails.BOARD, "method")


def test_board_with_other_chips_has_none(make_tree: MakeTree) -> None:
    """A PC's chips are hwmon's matter."""
    other = {"sys/class/hwmon/hwmon0/name": "nct6798", "sys/class/hwmon/hwmon0/in1_input": "1"}

    outcome = collect(make_tree({**other}))

    assert "absent" == outcome.status
    assert "INA3221" in outcome.reason


NUMBERS = st.text() | st.integers(-(10**7), 10**7).map(str)


@given(NUMBERS, NUMBERS, NUMBERS | st.none())
def test_any_texts_are_a_rail_or_a_value_error(
    millivolts: str, milliamperes: str, milliwatts: str | None
) -> None:
    """A rail is within what the chips measure."""
    try:
        found = rails.parse_rail(millivolts, milliamperes, milliwatts)
    except ValueError:
        return
    assert 0 <= found[0] <= 100
    assert -200 <= found[1] <= 200
    assert -20_000 <= found[2] <= 20_000
