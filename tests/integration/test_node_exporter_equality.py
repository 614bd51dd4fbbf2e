"""
For the same files, node_exporter and tailsight publish the same values.

The oracle is Debian's prometheus-node-exporter (``make tools`` unpacks it). To compare another
family, add a row to ``PAIRS`` and what they need to ``COLLECTORS`` and ``FLAGS``. Each difference
on purpose is in docs/node-exporter-differences.md.
"""

import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from exporters.core.replay import ReplayRoot
from exporters.hardware import cooling, cpu_throttle, cpufreq, fan, hwmon, rapl, thermal, throttle
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.programs import program

Labels = Mapping[str, str]
Key = tuple[str, ...]
Values = dict[str, list[tuple[Labels, float]]]
"""Labels and value of each sample, by the name of its metric."""

REPOSITORY = Path(__file__).resolve().parents[2]
COLLECTORS = (
    thermal.COLLECTOR, cooling.COLLECTOR, hwmon.COLLECTOR, fan.COLLECTOR, cpufreq.COLLECTOR,
    cpu_throttle.collector(), rapl.collector(),
)  # fmt: skip
FLAGS = tuple(f"--collector.{name}" for name in ("hwmon", "thermal_zone", "cpu", "cpufreq", "rapl"))


def chip_and_sensor(labels: Labels) -> Key:
    """Return node_exporter's names: a chip is the last two parts of its device's path."""
    if "device" not in labels:
        return labels["chip"], labels["sensor"]
    words = re.sub(r"[^a-z0-9]+", "_", "_".join(labels["device"].split("/")[-2:]).lower())
    # This chip has no link ``device`` in the fixture, so that node_exporter takes its name.
    named = {"platform_nct6775_656": "nct6779"}
    return named.get(words, words), labels["sensor"]


def zone(labels: Labels) -> Key:
    """Return the number and type of a thermal zone."""
    return labels["zone"].removeprefix("thermal_zone"), labels["type"]


def cooler(labels: Labels) -> Key:
    """Return the number and type of a cooling device."""
    number = labels.get("name") or labels["device"].removeprefix("cooling_device")
    return number, labels["type"]


def cpu(labels: Labels) -> Key:
    """Return the number of a CPU whose frequency is its own."""
    return (labels.get("cpu") or labels["policy"].removeprefix("cpu"),)


def throttled(labels: Labels) -> Key:
    """Return what throttles: a package or a core of one."""
    core = f"/core{labels['core']}" if "core" in labels else ""
    return (labels.get("device") or f"package{labels['package']}{core}",)


def power_zone(labels: Labels) -> Key:
    """Return the folder of a zone."""
    return (labels.get("zone") or labels["path"].rpartition("/")[2],)


@dataclass(frozen=True, slots=True)
class Pair:
    """A family of node_exporter and what it is called here."""

    node: str
    ours: str
    key: Callable[[Labels], Key]
    """Tells which file a sample of either side comes from."""
    only: Labels = field(default_factory=dict)
    """Which series of ours: a pattern for the value of a label."""
    lost: tuple[tuple[Key, float], ...] = ()
    """What node_exporter 1.5.0 loses of it."""


HWMON = "node_hwmon"
# Three radios on one device: it drops all but one of those that it calls the same (#3646).
RADIOS = (("ieee80211_phy0", "temp1"), 55.0), (("ieee80211_phy0", "temp1"), 56.0)
PAIRS = (
    Pair("node_thermal_zone_temp", thermal.TEMPERATURE.name, zone),
    Pair("node_cooling_device_cur_state", cooling.STATE.name, cooler),
    Pair("node_cooling_device_max_state", cooling.MAX_STATE.name, cooler),
    Pair(f"{HWMON}_temp_celsius", hwmon.TEMPERATURE.name, chip_and_sensor, lost=RADIOS),
    *(
        Pair(f"{HWMON}_temp_{which}_celsius", hwmon.TEMPERATURE_LIMIT.name, chip_and_sensor,
             {"limit": which})
        for which in ("max", "crit")
    ),
    Pair(f"{HWMON}_temp_crit_alarm_celsius", hwmon.ALARM.name, chip_and_sensor,
         {"alarm": "crit", "sensor": "temp[0-9]*"}),
    Pair(f"{HWMON}_in_volts", hwmon.VOLTAGE.name, chip_and_sensor),
    *(
        Pair(f"{HWMON}_in_{which}_volts", hwmon.VOLTAGE_LIMIT.name, chip_and_sensor,
             {"limit": which})
        for which in ("min", "max")
    ),
    *(
        Pair(f"{HWMON}_{kind}_alarm", hwmon.ALARM.name, chip_and_sensor,
             {"alarm": "channel", "sensor": f"{kind}[0-9]*"})
        for kind in ("in", "fan", "intrusion")
    ),
    Pair(f"{HWMON}_fan_rpm", fan.SPEED.name, chip_and_sensor),
    *(
        Pair(f"{HWMON}_fan_{which}_rpm", fan.LIMIT.name, chip_and_sensor, {"limit": which})
        for which in ("min", "max")
    ),
    Pair(f"{HWMON}_fan_target_rpm", fan.TARGET.name, chip_and_sensor),
    Pair(f"{HWMON}_pwm_enable", fan.MODE.name, chip_and_sensor,
         lost=((("platform_asus_nb_wmi", "pwm1"), 2.0),)),
    Pair("node_cpu_scaling_frequency_hertz", cpufreq.FREQUENCY.name, cpu),
    *(
        Pair(f"node_cpu_scaling_frequency_{which}_hertz", cpufreq.FREQUENCY_LIMIT.name, cpu,
             {"limit": f"scaling_{which}"})
        for which in ("min", "max")
    ),
    Pair("node_cpu_core_throttles_total", throttle.EVENTS.name, throttled,
         {"source": "thermal_throttle", "device": "package*/core*"}),
    Pair("node_cpu_package_throttles_total", throttle.EVENTS.name, throttled,
         {"source": "thermal_throttle", "device": "package[0-9]"}),
    *(
        Pair(f"node_rapl_{part}_joules_total", rapl.ENERGY.name, power_zone, {"name": f"{part}*"})
        for part in ("package", "core")
    ),
)  # fmt: skip
# What node_exporter has and tailsight has not; docs/node-exporter-differences.md says why.
LEFT_OUT = (
    "node_hwmon_*_beep_enabled",
    "node_hwmon_fan_manual",
    "node_hwmon_fan_output",
    "node_hwmon_fan_pulses",
    "node_hwmon_fan_tolerance",
    "node_hwmon_pwm_*",
    "node_hwmon_freq_*",
    # Not of the hardware.
    "node_cpu_isolated",
    "node_cpu_seconds_total",
    "node_cpu_guest_seconds_total",
    # Names are labels here.
    "node_cpu_scaling_governor",
    "node_hwmon_chip_names",
    "node_hwmon_sensor_label",
    # Each agent's own.
    "node_scrape_collector_*",
    "node_exporter_build_info",
)


@pytest.fixture(scope="module")
def node() -> Iterator[Values]:
    """Give what node_exporter publishes."""
    board = board_root("node-exporter")
    command = [
        str(program("prometheus-node-exporter")), "--web.listen-address=127.0.0.1:0",
        f"--path.sysfs={board}/sys", f"--path.procfs={board}/proc",
        "--collector.disable-defaults", *FLAGS,
    ]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            with urlopen(f"http://{address(process)}/metrics", timeout=20) as answer:
                yield parsed(answer.read().decode())
        finally:
            process.kill()


@pytest.fixture(scope="module")
def ours() -> Values:
    """Give what tailsight publishes."""
    root = ReplayRoot(str(board_root("node-exporter")))
    found: Values = {}
    for collector in COLLECTORS:
        for series, value in run(collector, root).samples:
            assert isinstance(value, int | float)
            labels = dict(zip(series.metric.labels, series.values, strict=True))
            found.setdefault(series.metric.name, []).append((labels, value))
    return found


def address(process: "subprocess.Popen[str]") -> str:
    """Return where the oracle listens, from its log; it chose a free port."""
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(r'"Listening on".* address=(\S+)', line):
            return found[1]
    message = "node_exporter ended before it listened"
    raise RuntimeError(message)


def parsed(text: str) -> Values:
    """Return the samples of an exposition."""
    found: Values = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


def of_ours(values: Values, pair: Pair) -> list[tuple[Key, float]]:
    """Return our values of a pair, by file."""
    return sorted(
        (pair.key(labels), float(value))
        for labels, value in values.get(pair.ours, ())
        if all(fnmatchcase(labels[name], pattern) for name, pattern in pair.only.items())
    )


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.node)
def test_values_are_equal(pair: Pair, node: Values, ours: Values) -> None:
    """Every file that both read gives one value, and neither reads one that the other does not."""
    theirs = [(pair.key(labels), value) for labels, value in node[pair.node]]

    assert sorted([*theirs, *pair.lost]) == of_ours(ours, pair)


def test_nothing_of_node_exporter_is_forgotten(node: Values) -> None:
    """Each family that it publishes is compared, or left out on purpose."""
    compared = {pair.node for pair in PAIRS}
    rest = [
        name
        for name in node
        if name.startswith("node_")
        and name not in compared
        and not any(fnmatchcase(name, pattern) for pattern in LEFT_OUT)
    ]

    assert [] == rest


def test_differences_are_written_down() -> None:
    """The page of differences names each family that is left out."""
    page = (REPOSITORY / "docs/node-exporter-differences.md").read_text(encoding="utf-8")

    assert [] == [name for name in LEFT_OUT if name not in page]
