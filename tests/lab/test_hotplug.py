"""Chips that really come and go, in a kernel of their own."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.lab.guest_hotplug import CELSIUS
from tests.lab.machine import Job, Kernel, run

pytestmark = pytest.mark.lab

REPOSITORY = Path(__file__).resolve().parents[2]
WAYS = ("pyudev", "netlink")
# A burst's quiet is 0.2 s; the machine is emulated and slow. Looking on its own takes 60 s.
SOON_SECONDS = 10.0

Answers = dict[tuple[str, str], dict[str, Any]]


@pytest.fixture(scope="module")
def answers(kernel: Kernel, tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """Boot once, plug and unplug, and return what was served by way and step."""
    script = 'cd "$0" && exec "$1" -m tests.lab.guest_hotplug "$1" pyudev netlink'
    job = Job(
        ("/bin/sh", "-c", script, str(REPOSITORY), sys.executable),
        modules=("i2c_stub", "i2c_dev", "lm75"),
        parameters={"i2c_stub": "chip_addr=" + ",".join(hex(address) for address in CELSIUS)},
    )
    report = run(kernel, job, tmp_path_factory.mktemp("lab"), timeout_seconds=170)
    assert 0 == report.exit, report.console
    found = [json.loads(line) for line in report.lines]
    return {(answer["way"], answer["step"]): answer for answer in found}


def temperatures(answer: dict[str, Any]) -> dict[str, float]:
    """Return what the chips measure, by their series."""
    return {
        series: value
        for series, value in answer["served"].items()
        if series.startswith("tailsight_hwmon_temperature_celsius{")
    }


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("step", "celsius"),
    [
        ("none", []),
        ("first", [41.0]),
        ("both", [41.0, 52.0]),
        ("second", [52.0]),
        ("none again", []),
        ("both, renumbered", [41.0, 52.0]),
        ("none at last", []),
    ],
)
def test_chips_come_and_go(answers: Answers, way: str, step: str, celsius: list[float]) -> None:
    """What is plugged in is served soon and with its own value, what was unplugged no more."""
    answer = answers[way, step]
    assert celsius == sorted(temperatures(answer).values())
    assert answer["seconds"] < SOON_SECONDS


@pytest.mark.parametrize("way", WAYS)
def test_identity_survives_renumbering(answers: Answers, way: str) -> None:
    """The kernel gave the chips each other's hwmon number; their series stay the same."""
    before, after = answers[way, "both"], answers[way, "both, renumbered"]
    assert before["numbers"].keys() == after["numbers"].keys()
    assert before["numbers"] != after["numbers"]
    assert temperatures(before) == temperatures(after)


@pytest.mark.parametrize("way", WAYS)
def test_events_are_counted(answers: Answers, way: str) -> None:
    """The kernel announced two chips twice, each as an I2C device and as a hwmon device."""
    served = answers[way, "none at last"]["served"]
    for action in ("add", "remove"):
        series = f'tailsight_hotplug_events_total{{action="{action}"}}'
        assert 8 == served[series] - answers[way, "none"]["served"][series]
    assert 1 == served[f'tailsight_hotplug_source_info{{source="{way}"}}']


def test_nobody_heard(answers: Answers) -> None:
    """With hot-plug off a second chip waits for the slow look: it is the events that help."""
    answer = answers["off", "both"]
    assert 2 == len(answer["numbers"])
    assert [41.0] == list(temperatures(answer).values())
