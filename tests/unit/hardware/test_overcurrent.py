"""Over-current events: counted by the hardware, told as it counts them."""

import errno
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.core.task import Outcome, Task
from exporters.hardware import overcurrent, throttle
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
CHIP = "sys/class/hwmon/hwmon3"


class CountingRoot(ReplayRoot):
    """A root that notes what is read."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.reads: list[str] = []

    def read(self, path: str) -> str:
        """Read, and remember the path."""
        self.reads.append(path.rpartition("/")[2])
        return super().read(path)


def test_events_of_an_orin_nano() -> None:
    """OC1 saw a weak supply once, OC3 two peaks of current (SOURCES.md; meta-tegra#538)."""
    root = ReplayRoot(str(board_root("jetson-orin-nano-jp6")))
    outcome = run(overcurrent.collector(), root)

    assert {
        ("soc", "under_voltage", "soctherm_oc", "oc1"): 1,
        ("soc", "over_current_average", "soctherm_oc", "oc2"): 0,
        ("soc", "over_current_instantaneous", "soctherm_oc", "oc3"): 2,
    } == readings(outcome, throttle.EVENTS, "domain", "cause", "source", "device")
    assert {"oc1": 1, "oc2": 1, "oc3": 1} == readings(outcome, overcurrent.ENABLED, "device")


def test_each_counter_is_read_once_for_a_scrape() -> None:
    """A read asks the boot processor: the second scrape reads three counters, no switches."""
    root = CountingRoot(str(board_root("jetson-orin-nano-jp6")))
    task = Task(overcurrent.collector(), root, 60.0)
    task.collect(Outcome())
    root.reads.clear()

    task.collect(Outcome())

    assert ["oc1_event_cnt", "oc2_event_cnt", "oc3_event_cnt"] == root.reads


def test_xavier_counts_six_alarms(make_tree: MakeTree) -> None:
    """Its driver calls them irq_cnt, and its boards wire them in ways that differ."""
    files: dict[str, str | bytes] = {f"{CHIP}/oc{n}_irq_cnt": f"{n * 10}\n" for n in range(1, 7)}
    others: dict[str, str | bytes] = {
        f"{CHIP}/name": "soctherm_oc\n",
        f"{CHIP}/oc1_priority": "1\n",
        f"{CHIP}/oc1_cpu_throttle_ctrl": "80\n",
    }

    outcome = run(overcurrent.collector(), Root(str(make_tree(files | others))))

    assert {("over_current", f"oc{n}"): n * 10 for n in range(1, 7)} == readings(
        outcome, throttle.EVENTS, "cause", "device"
    )


def test_nano_counts_interrupts() -> None:
    """One over-current interrupt came since boot; those for heat are not counted."""
    outcome = run(overcurrent.collector(), ReplayRoot(str(board_root("jetson-nano-jp4"))))

    assert {("soc", "over_current", "interrupts", "soctherm_edp"): 1} == readings(
        outcome, throttle.EVENTS, "domain", "cause", "source", "device"
    )


def interrupts(cpus: Iterable[int], counts: Iterable[int]) -> str:
    """Return ``/proc/interrupts`` of a Nano whose CPUs have these counts."""
    head = "".join(f"       CPU{cpu}" for cpu in cpus)
    numbers = "".join(f"{count:11}" for count in counts)
    return f"{head}\n 48:{numbers}     GICv2  98 Level     soctherm_edp\nERR:          0\n"


def test_count_does_not_fall_when_cpus_go_offline() -> None:
    """The 5 W mode takes CPUs 2 and 3 and their columns away: what they counted stays counted."""
    counter = overcurrent.Interrupts()

    assert 10 == counter.total(interrupts(range(4), (1, 2, 3, 4)))
    assert 11 == counter.total(interrupts(range(2), (2, 2)))
    assert 13 == counter.total(interrupts(range(4), (2, 2, 3, 6)))


@pytest.mark.parametrize("text", ["", "CPU0\n", "  CPU0\n 48:  x GICv2 98 Level soctherm_edp\n"])
def test_no_count_is_no_zero(text: str) -> None:
    """Without the line, or without a number in it, there is nothing to tell."""
    with pytest.raises(ValueError, match=r"."):
        overcurrent.parse_interrupts(text)


@pytest.mark.parametrize("board", ["nuc13-i915", "node-exporter"])
def test_other_machines_have_none(board: str) -> None:
    """A PC is absent, with a reason; a counter of 0 would claim that nothing happened."""
    outcome = run(overcurrent.collector(), ReplayRoot(str(board_root(board))))

    assert ("absent", []) == (outcome.status, outcome.samples)
    assert "no soctherm_oc chip" in outcome.reason


def test_counter_that_cannot_be_read_costs_only_itself(mounted: Mounted) -> None:
    """The first fails and the others are told, as is whether they throttle."""
    faults = Faults({f"sys/devices/platform/soctherm-oc-event/hwmon/hwmon3/{file}": errno.EIO
                     for file in ("oc1_event_cnt", "oc2_throt_en")})  # fmt: skip
    tree = mounted("jetson-orin-nano-jp6", faults)

    outcome = run(overcurrent.collector(), Root(str(tree)))

    assert {"oc2": 0, "oc3": 2} == readings(outcome, throttle.EVENTS, "device")
    assert {"oc1": 1, "oc3": 1} == readings(outcome, overcurrent.ENABLED, "device")
    assert [f"{CHIP}/oc1_event_cnt", f"{CHIP}/oc2_throt_en"] == failed(outcome)


def test_other_chip_that_is_broken_hides_no_counter(mounted: Mounted) -> None:
    """The fan's chip cannot be looked into; the events are told all the same."""
    faults = Faults({"sys/devices/platform/pwm-fan/hwmon/hwmon0/name": errno.EIO})
    outcome = run(overcurrent.collector(), Root(str(mounted("jetson-orin-nano-jp6", faults))))

    assert {"oc1": 1, "oc2": 0, "oc3": 2} == readings(outcome, throttle.EVENTS, "device")
    assert ["sys/class/hwmon/hwmon0"] == failed(outcome)


@given(st.text())
def test_parser_never_surprises(text: str) -> None:
    """Any input is counts or a ValueError."""
    try:
        counts = overcurrent.parse_interrupts(text)
    except ValueError:
        return
    assert all(count >= 0 for count in counts.values())
