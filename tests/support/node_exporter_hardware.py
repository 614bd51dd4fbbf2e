"""Families of node_exporter about the hardware, and what they are called here."""

import re

from exporters.hardware import cooling, cpu_throttle, cpufreq, fan, hwmon, rapl, thermal, throttle
from tests.support.node_exporter import Key, Labels, Pair

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
    # Configuration.
    "node_cpu_isolated",
    # tailsight_cpu_online; not in 1.5.0.
    "node_cpu_online",
    # Names are labels here.
    "node_cpu_scaling_governor",
    "node_hwmon_chip_names",
    "node_hwmon_sensor_label",
)
