"""Interrupts by number or name."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.host import interrupts
from exporters.host.interrupts import COUNT, INTERRUPTS, describe
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.readings import readings

MakeTree = Callable[[dict[str, str | bytes]], Path]


def counts(root: Root) -> dict[object, object]:
    """Return the counts of a first look, by interrupt."""
    return readings(run(interrupts.collector(), root), COUNT, "interrupt")


def described(root: Root) -> set[object]:
    """Return what stands on the series."""
    found = readings(run(interrupts.collector(), root), COUNT, "interrupt", "info", "devices")
    return set(found)


def many(number: int, *, more: int = 0, name: str = "nvme0q") -> str:
    """Return lines of interrupts, of which each comes oftener than the one before."""
    return "".join(
        f"{irq:4}: {irq + more:10}  PCI-MSI {irq}-edge  {name}{irq}\n" for irq in range(number)
    )


def test_the_recorded_node() -> None:
    """Sums of its four CPUs, by hand: 18; 131640 + 205437 + 0 + 0; 148554 + 157441 + ..."""
    found = counts(ReplayRoot(str(board_root("node-exporter"))))

    assert 18 == found["0"]
    assert 140636 + 226313 + 347 + 633 == found["44"]
    assert 148554 + 157441 + 142912 + 155528 == found["CAL"]
    assert 0 == found["ERR"]
    assert 15 + 13 + 2 == len(found)


def test_an_arm_server(make_tree: MakeTree) -> None:
    """Its inter-processor interrupts sum up to more than 32 bits."""
    text = (board_root("node-exporter") / "proc/interrupts_aarch64").read_bytes()
    root = Root(str(make_tree({INTERRUPTS: text})))
    found = counts(root)

    assert 2709937608 + 1619 == found["59"]
    assert (
        2768808080 + 2844211768 + 2878602432 + 2730576120
        + 2723524623 + 3349096412 + 2717389879 + 2154252810
    ) == found["IPI0"]  # fmt: skip
    assert {
        ("59", "ITS-MSI Edge", "eth0-Tx-Rx-1"),
        ("10", "GICv3 Level", "arch_timer"),
        ("57", "ITS-MSI Edge", "ena-mgmnt@pci:0000:00:05.0"),
        ("IPI3", "CPU stop (for crash dump) interrupts", ""),
        ("Err", "", ""),
    } <= described(root)


def test_a_jetson_nano() -> None:
    """Two of its CPUs are on; one over-current event."""
    root = ReplayRoot(str(board_root("jetson-nano-jp4")))

    assert {"47": 3, "48": 1} == counts(root)
    assert ("48", "GICv2 Level", "soctherm_edp") in described(root)


# The forms of kernel/irq/proc.c, old and new, and of chips that print themselves.
@pytest.mark.parametrize(
    ("name", "about", "info", "devices"),
    [
        ("16", "IR-IO-APIC-fasteoi   ehci_hcd:usb1, mmc0", "IR-IO-APIC-fasteoi",
         "ehci_hcd:usb1, mmc0"),
        ("24", "IO-APIC   5-edge      ACPI:Ged", "IO-APIC edge", "ACPI:Ged"),
        ("28", "PCI-MSIX-0000:00:01.0   0-edge      virtio0-config",
         "PCI-MSIX-0000:00:01.0 edge", "virtio0-config"),
        ("47", "GICv2  83 Level     soctherm_thermal", "GICv2 Level", "soctherm_thermal"),
        ("50", "ARMH0061:00   3 Edge      ACPI:Event", "ARMH0061:00 Edge", "ACPI:Event"),
        ("66", "2200000.gpio  55 Edge      2 keys, force", "2200000.gpio Edge", "2 keys, force"),
        ("70", "None  12 Level", "None Level", ""),
        ("71", "dummy", "dummy", ""),
        ("0", "XT-PIC      timer", "XT-PIC", "timer"),
        ("9", "", "", ""),
        ("LOC", "Local timer interrupts", "Local timer interrupts", ""),
    ],
)  # fmt: skip
def test_what_an_interrupt_is(name: str, about: str, info: str, devices: str) -> None:
    """Controller and trigger, then devices; a name says itself what it is for."""
    assert (info, devices) == describe(name, about)


@given(st.text(), st.sampled_from(["5", "LOC"]))
def test_any_description(about: str, name: str) -> None:
    """Labels are of bounded length, on one line, whatever a driver calls itself."""
    for label in describe(name, about):
        assert len(label) <= 128
        assert label.isprintable()


def test_the_most_frequent_have_series(make_tree: MakeTree) -> None:
    """Of 200 numbers and a name: the name, which is 0, and numbers 73 to 199; 0 to 72 are other."""
    root = Root(str(make_tree({INTERRUPTS: f"  CPU0\n{many(200)} NMI: 0  Non-maskable\n"})))
    found = counts(root)

    assert {"NMI", "other", *map(str, range(73, 200))} == set(found)
    assert sum(range(73)) == found["other"]


def test_series_stay_when_others_become_busier(make_tree: MakeTree) -> None:
    """A sum that lost one of its parts would fall; so would a series that changed its meaning."""
    collector, found = interrupts.collector(), []
    for lines in (many(200), many(199) + many(200, more=5000).splitlines()[-1]):
        outcome = run(collector, Root(str(make_tree({INTERRUPTS: f"  CPU0\n{lines}"}))))
        found.append(readings(outcome, COUNT, "interrupt"))
    busy = many(200).replace("   5:          5 ", "   5:     900005 ")
    outcome = run(collector, Root(str(make_tree({INTERRUPTS: f"  CPU0\n{busy}"}))))
    found.append(readings(outcome, COUNT, "interrupt"))

    assert found[0].keys() == found[1].keys() == found[2].keys()
    assert sum(range(72)) == found[0]["other"]
    assert sum(range(72)) + 900000 == found[2]["other"]


def test_a_number_that_gets_another_device_is_no_step(make_tree: MakeTree) -> None:
    """Of those without a series: what it has counted before was counted."""
    collector, found = interrupts.collector(), []
    for device in ("nvme0q5", "nvme0q5, eth0"):
        text = re.sub(r"nvme0q5\b", device, f"  CPU0\n{many(200)}")
        outcome = run(collector, Root(str(make_tree({INTERRUPTS: text}))))
        found.append(readings(outcome, COUNT, "interrupt")["other"])

    assert [sum(range(72))] * 2 == found


def test_newcomers_take_the_room_of_those_that_left(make_tree: MakeTree) -> None:
    """Of 130 one with a series goes: of two that come the busier gets its place, no other."""
    first = f"  CPU0\n{many(130, more=100)}"
    gone = "\n".join(line for line in first.splitlines() if "nvme0q129" not in line)
    collector = interrupts.collector()
    run(collector, Root(str(make_tree({INTERRUPTS: first}))))
    text = f"{gone}\n 500: 7  PCI-MSI 500-edge  eth0\n 501: 8  PCI-MSI 501-edge  eth1\n"
    outcome = run(collector, Root(str(make_tree({INTERRUPTS: text}))))
    found = readings(outcome, COUNT, "interrupt")

    assert {"501", "other", *map(str, range(2, 129))} == set(found)
    # Two that came with the first look, and the less busy newcomer.
    assert (8, 100 + 101 + 7) == (found["501"], found["other"])


def test_a_file_that_may_be_cut_is_refused(make_tree: MakeTree) -> None:
    """The last number of a mebibyte may lack its last digits."""
    text = f"  CPU0\n{many(1, name='x' * (1 << 20))}"
    outcome = run(interrupts.collector(), Root(str(make_tree({INTERRUPTS: text}))))

    assert ("error", []) == (outcome.status, outcome.samples)
    assert "may be missing" in outcome.reason


def test_no_proc_is_absent() -> None:
    """A recording without it says so."""
    outcome = run(interrupts.collector(), ReplayRoot(str(board_root("nuc13-i915"))))

    assert ("absent", []) == (outcome.status, outcome.failures)
