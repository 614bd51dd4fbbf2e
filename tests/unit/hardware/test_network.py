"""Network interfaces that are hardware."""

import errno
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.core.runner import run as run_task
from exporters.core.task import Outcome, Task
from exporters.hardware import network
from exporters.hardware.ethtool import DriverInfo
from exporters.hardware.network import CARRIER, COLLECTOR, INFO, SPEED, parse_recording, parse_speed
from tests.conftest import Mounted
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
NET = "sys/class/net"
TWO: dict[str, str | bytes] = {
    f"{NET}/eth0/device/vendor": "0x8086\n",
    f"{NET}/eth0/carrier": "1\n",
    f"{NET}/eth0/speed": "2500\n",
    f"{NET}/wlan0/device/vendor": "0x8086\n",
    f"{NET}/wlan0/carrier": "1\n",
    f"{NET}/wlan0/speed": "-1\n",
    f"{NET}/lo/carrier": "1\n",
    f"{NET}/veth1a2b3c/carrier": "1\n",
    f"{NET}/veth1a2b3c/speed": "10000\n",
    f"{NET}/bonding_masters": "\n",
}


def add_driver(tree: Path, interface: str, used: str, version: str = "") -> None:
    """Give an interface a driver, and that a module with a version."""
    module = tree / f"sys/module/{used}"
    module.mkdir(parents=True)
    if version:
        (module / "version").write_text(f"{version}\n")
    folder = tree / f"sys/bus/pci/drivers/{used}"
    folder.mkdir(parents=True)
    (folder / "module").symlink_to(f"../../../../module/{used}")
    (tree / f"{NET}/{interface}/device/driver").symlink_to(f"../../../../bus/pci/drivers/{used}")


def drivers(outcome: Outcome) -> set[tuple[str, ...]]:
    """Return the labels of the info metric."""
    return {sample.series.values for sample in outcome.samples if sample.series.metric is INFO}


def test_drivers_from_files(make_tree: MakeTree) -> None:
    """By the link to the driver and the version of its module; virtual interfaces are left out."""
    tree = make_tree(TWO)
    add_driver(tree, "eth0", "r8168", "8.053.00-NAPI")
    add_driver(tree, "wlan0", "iwlwifi")

    assert {("eth0", "r8168", "8.053.00-NAPI", ""), ("wlan0", "iwlwifi", "", "")} == drivers(
        run(COLLECTOR, ReplayRoot(str(tree)))
    )


def test_drivers_from_a_recording_of_ethtool(make_tree: MakeTree) -> None:
    """It knows the firmware, too; an interface that it does not name has what files say."""
    said = {"eth0": {"driver": "igc", "version": "6.8.0", "firmware": "2017:888d"}, "eth9": {}}
    tree = make_tree({**TWO, "replay/ethtool.json": json.dumps(said)})
    add_driver(tree, "wlan0", "iwlwifi")

    assert {("eth0", "igc", "6.8.0", "2017:888d"), ("wlan0", "iwlwifi", "", "")} == drivers(
        run(COLLECTOR, ReplayRoot(str(tree)))
    )


def test_a_recording_that_is_not_of_the_schema(make_tree: MakeTree) -> None:
    """It is a failure; what files tell stands."""
    tree = make_tree({**TWO, "replay/ethtool.json": '{"eth0": {"driver": 5}}'})
    outcome = run(COLLECTOR, ReplayRoot(str(tree)))

    assert ["replay/ethtool.json"] == failed(outcome)
    assert {("eth0", "", "", ""), ("wlan0", "", "", "")} == drivers(outcome)


def test_carrier_and_speed(make_tree: MakeTree) -> None:
    """2,500 megabits are 312,500,000 bytes; a speed of -1 is no speed."""
    outcome = run(COLLECTOR, ReplayRoot(str(make_tree(TWO))))

    assert {"eth0": 1, "wlan0": 1} == readings(outcome, CARRIER, "device")
    assert {"eth0": 312_500_000} == readings(outcome, SPEED, "device")
    assert [] == failed(outcome)


def test_a_cable_that_is_not_plugged_in(make_tree: MakeTree) -> None:
    """No carrier is a 0 that somebody measured; what was negotiated last is no speed."""
    outcome = run(COLLECTOR, ReplayRoot(str(make_tree({**TWO, f"{NET}/eth0/carrier": "0\n"}))))

    assert {"eth0": 0, "wlan0": 1} == readings(outcome, CARRIER, "device")
    assert {} == readings(outcome, SPEED, "device")


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EOPNOTSUPP])
def test_an_interface_that_is_switched_off(
    mounted: Mounted, make_tree: MakeTree, number: int
) -> None:
    """The kernel refuses to tell (net/core/net-sysfs.c): neither a number nor a failure."""
    faults = Faults({f"{NET}/eth0/carrier": number, f"{NET}/wlan0/speed": number})
    outcome = run(COLLECTOR, ReplayRoot(str(mounted(make_tree(TWO), faults))))

    assert {"wlan0": 1} == readings(outcome, CARRIER, "device")
    assert {} == readings(outcome, SPEED, "device")
    assert (2, []) == (len(drivers(outcome)), failed(outcome))


def test_a_file_that_fails_costs_itself(mounted: Mounted, make_tree: MakeTree) -> None:
    """The other interface, and the driver of this one, are told."""
    faults = Faults({f"{NET}/eth0/carrier": errno.EIO})
    outcome = run(COLLECTOR, ReplayRoot(str(mounted(make_tree(TWO), faults))))

    assert [f"{NET}/eth0/carrier"] == failed(outcome)
    assert {"wlan0": 1} == readings(outcome, CARRIER, "device")
    assert 2 == len(drivers(outcome))


def test_an_interface_that_goes(make_tree: MakeTree) -> None:
    """An adapter is pulled out between two scrapes: it fails alone, and then is forgotten."""
    tree = make_tree(TWO)
    root = ReplayRoot(str(tree))
    task = Task(COLLECTOR, root, rediscover_seconds=0.0)
    run_task(task, Outcome(), root)
    shutil.rmtree(tree / NET / "eth0")
    outcome = Outcome()
    run_task(task, outcome, root)

    assert {"wlan0": 1} == readings(outcome, CARRIER, "device")
    assert {("wlan0", "", "", "")} == drivers(outcome)


def test_nothing_but_virtual_interfaces(make_tree: MakeTree) -> None:
    """A container's own network: absent, with a reason."""
    outcome = run(COLLECTOR, ReplayRoot(str(make_tree({f"{NET}/lo/carrier": "1"}))))

    assert ("absent", "no network interface with a device is to be seen") == (
        outcome.status, outcome.reason,
    )  # fmt: skip


def test_a_recording_asks_nothing_of_this_machine(make_tree: MakeTree) -> None:
    """An interface of the same name as one of this machine has the recording's driver."""
    here = next(iter(Root().names(NET)))
    index = Root().read(f"{NET}/{here}/ifindex")  # so that only being a recording forbids to ask
    tree = make_tree({f"{NET}/{here}/device/vendor": "0x10ec", f"{NET}/{here}/ifindex": index})
    add_driver(tree, here, "recorded")

    assert {(here, "recorded", "", "")} == drivers(run(COLLECTOR, ReplayRoot(str(tree))))


def test_a_host_seen_from_another_network_namespace(make_tree: MakeTree) -> None:
    """The host's /sys in a container: the kernel is not asked about a namesake, files tell."""
    tree = make_tree({**TWO, f"{NET}/eth0/ifindex": "4000000\n"})
    add_driver(tree, "eth0", "igc")

    assert ("eth0", "igc", "", "") in drivers(run(COLLECTOR, Root(str(tree))))


@pytest.mark.parametrize(
    ("text", "speed"),
    [
        ("10", 1_250_000),
        ("1000", 125_000_000),
        ("100000", 12_500_000_000),
        ("-1", None),
        ("4294967295", None),
        ("0", None),
    ],
)
def test_speeds(text: str, speed: float | None) -> None:
    """Megabits, as /sys has them; SPEED_UNKNOWN of linux/ethtool.h is -1, once unsigned."""
    assert speed == parse_speed(text)


@given(st.text() | st.integers().map(str))
def test_any_speed_is_plausible_or_valueerror(text: str) -> None:
    """Nothing is slower than a megabit or faster than ten terabits."""
    try:
        speed = parse_speed(text)
    except ValueError:
        return

    assert speed is None or 125_000 <= speed <= 1.25e12


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "wants {INTERFACE: {driver, version, firmware}}"),
        ({"eth0": "igc"}, "eth0: wants texts for driver, version, firmware"),
        ({"eth0": {"drivers": "igc"}}, "eth0: wants texts for driver, version, firmware"),
    ],
)
def test_bad_recordings(document: object, said: str) -> None:
    """The reason says where and what is wanted."""
    with pytest.raises(ValueError, match="wants") as caught:
        parse_recording(document)

    assert said == str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("driver"), inner),
)


@given(JSON)
def test_any_recording_gives_texts_or_valueerror(document: object) -> None:
    """Whatever JSON holds."""
    try:
        found = parse_recording(document)
    except ValueError:
        return

    assert all(isinstance(text, str) for info in found.values() for text in info)
    assert all(isinstance(info, DriverInfo) for info in found.values())


def test_labels_and_driver_info_belong_together() -> None:
    """The labels behind the first are the fields of what a driver says, in their order."""
    assert ("device", "driver", "driver_version", "firmware_version") == network.INFO.labels
    assert ("driver", "version", "firmware") == DriverInfo._fields
