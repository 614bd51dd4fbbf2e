"""
Fans: how fast they turn and how hard they are driven.

``/sys/class/hwmon/hwmon*/{fan<N>_*,pwm<N>,pwm<N>_enable,rpm}``, and ``/sys/devices/pwm-fan`` of
Jetson Linux 4.9. A speed follows its duty only seconds later.
https://docs.kernel.org/hwmon/sysfs-interface.html
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from exporters.core import (
    Collector,
    Failure,
    FileSensor,
    FilesSensor,
    Kind,
    Metric,
    NoData,
    Root,
    Sample,
    Sensor,
    Unit,
)
from exporters.hardware.chips import LABELS, PATTERN, Chip, find_chips, sensor_labels
from exporters.hardware.known import Limit, limit, read_limits
from exporters.hardware.numbers import scaled, whole

SPEED = Metric("fan_speed", Kind.GAUGE, Unit.RPM, "How fast a fan turns.", LABELS)
LIMIT = Metric(
    "fan_speed_limit",
    Kind.GAUGE,
    Unit.RPM,
    "Limit of a fan's speed.",
    (*LABELS, "limit"),
)
TARGET = Metric("fan_target", Kind.GAUGE, Unit.RPM, "Speed that a fan is to reach.", LABELS)
DUTY = Metric("fan_duty", Kind.GAUGE, Unit.RATIO, "How hard a fan is driven, 1 is full.", LABELS)
TARGET_DUTY = Metric(
    "fan_target_duty",
    Kind.GAUGE,
    Unit.RATIO,
    "How hard a fan is to be driven, where its driver goes there in steps.",
    LABELS,
)
MODE = Metric(
    "fan_control_mode",
    Kind.GAUGE,
    Unit.NONE,
    "The chip's pwm_enable: 0 full speed (chip pwmfan: off), 1 manual, 2 and up automatic.",
    LABELS,
)

# 65535, all bits set, is what embedded controllers say when they do not know.
HIGHEST_RPM = 60_000
speed = whole(0, HIGHEST_RPM)
"""Revolutions per minute."""
duty = scaled(255, 0, 1)
"""The duty cycle, which the kernel counts from 0 to 255."""

TEGRA_FOLDER = "sys/devices/pwm-fan"
# The tachometer of NVIDIA's driver is an attribute of its own name (jetson_stats#428).
_FAN = re.compile(r"(fan\d+)_(input|target)|(rpm)")
_LIMIT = re.compile(r"(fan\d+)_(min|max)")
_PWM = re.compile(r"(pwm\d+)(_enable)?")


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the fans of all chips, and Tegra's own."""
    found = list(_tegra_fan(root))
    yield from found
    try:
        yield from _chip_fans(root)
    except NoData:
        if not found:
            raise


def _chip_fans(root: Root) -> Iterator[Sensor | Failure]:
    for chip in find_chips(root):
        if isinstance(chip, Failure):
            yield chip
            continue
        labels, failures = sensor_labels(root, chip, ("fan", "pwm"))
        yield from failures
        yield from _speeds(root, chip, labels)
        yield from _duties(chip, labels)
        yield from read_limits(root, chip.folder, _limits(chip, labels))


def _speeds(root: Root, chip: Chip, labels: Mapping[str, str]) -> Iterator[Sensor]:
    for match in chip.matches(_FAN):
        sensor = match[1] or match[3]
        if chip.enabled(root, sensor):
            metric = TARGET if match[2] == "target" else SPEED
            series = metric.series(**chip.labels(sensor, labels.get(sensor, "")))
            yield chip.sensor(series, match[0], speed)


def _duties(chip: Chip, labels: Mapping[str, str]) -> Iterator[Sensor]:
    for match in chip.matches(_PWM):
        sensor, mode = match.groups()
        metric, parse = (MODE, whole(0, 255)) if mode else (DUTY, duty)
        series = metric.series(**chip.labels(sensor, labels.get(sensor, "")))
        yield FileSensor(series, chip.path(match[0]), parse)


def _limits(chip: Chip, labels: Mapping[str, str]) -> Iterator[Limit]:
    for match in chip.matches(_LIMIT):
        sensor, which = match.groups()
        series = LIMIT.series(**chip.labels(sensor, labels.get(sensor, "")), limit=which)
        yield series, chip.path(match[0]), limit(1, 0, HIGHEST_RPM)


def _tegra_fan(root: Root) -> Iterator[Sensor]:
    labels = {"chip": "pwm-fan", "device": "pwm-fan", "sensor": "fan1", "label": ""}
    for file, metric in (("cur_pwm", DUTY), ("target_pwm", TARGET_DUTY)):
        if root.exists(f"{TEGRA_FOLDER}/{file}"):
            yield FileSensor(metric.series(**labels), f"{TEGRA_FOLDER}/{file}", duty)
    measured, tachometer = f"{TEGRA_FOLDER}/rpm_measured", f"{TEGRA_FOLDER}/tach_enable"
    series = SPEED.series(**labels)

    def parse(enabled: str, text: str) -> Sequence[Sample]:
        # With its tachometer off the driver shows 0, which is no measurement.
        return () if enabled == "0" else (Sample(series, speed(text)),)

    if root.exists(measured) and root.exists(tachometer):
        yield FilesSensor(measured, (tachometer, measured), parse)
    elif root.exists(measured):
        yield FileSensor(series, measured, speed)


COLLECTOR = Collector(
    "fan",
    (SPEED, LIMIT, TARGET, DUTY, TARGET_DUTY, MODE),
    discover,
    source=f"/{PATTERN}/{{fan,pwm,rpm}}*",
    advice=(
        "needs CONFIG_HWMON and the driver of the fan (CONFIG_SENSORS_PWM_FAN) or of the chip that "
        "it hangs on (CONFIG_SENSORS_NCT6775, ...): sensors-detect of lm-sensors says which to "
        "load; many boards have none or leave it to their firmware"
    ),
)
