"""Counters of network interfaces: which, and of whose network namespace."""

import errno
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.core.runner import run as run_task
from exporters.core.task import Outcome, Task
from exporters.host import network_counters
from exporters.host.network_counters import COLUMNS, METRICS, MOST, RECEIVE_ERRORS
from exporters.host.network_interfaces import FOLDER, parse_devtype
from exporters.host.network_rows import parse_columns, parse_rows
from tests.conftest import Mounted
from tests.support.collect import run, values
from tests.support.faults import Faults
from tests.support.readings import failed, readings

Files = dict[str, str | bytes]
MakeTree = Callable[[Files], Path]

OWN, FIRST = "proc/net/dev", "proc/1/net/dev"
# Of a gateway, with numbers that tell the columns apart.
HEADER = (
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast"
    "|bytes    packets errs drop fifo colls carrier compressed\n"
)
RECEIVED = {"lo": 5000, "eth0": 101}


def dev(received: dict[str, int], errors: int = 103) -> str:
    """Return a ``net/dev`` of interfaces with so many bytes received."""
    return HEADER + "".join(
        f"{name:>6}: {number}     102    {errors}  104  105   106        107       108"
        "      109     110  111  112  113   114     115        116\n"
        for name, number in received.items()
    )


def sysfs(received: dict[str, int], hardware: Iterable[str] = ("eth0",), **kinds: str) -> Files:
    """Return the files of interfaces in ``/sys``: with a device, or with a DEVTYPE."""
    files: Files = {}
    for name, number in received.items():
        files[f"{FOLDER}/{name}/statistics/rx_bytes"] = f"{number}\n"
        kind = f"DEVTYPE={kinds[name]}\n" if name in kinds else ""
        files[f"{FOLDER}/{name}/uevent"] = f"{kind}INTERFACE={name}\nIFINDEX=2\n"
    return files | {f"{FOLDER}/{name}/device/vendor": "0x8086\n" for name in hardware}


def look(root: Root) -> Outcome:
    """Return what a first look gives."""
    return run(network_counters.collector(), root)


def errors(outcome: Outcome) -> dict[object, object]:
    """Return the receive errors by interface."""
    return readings(outcome, RECEIVE_ERRORS, "device")


def test_every_column(make_tree: MakeTree) -> None:
    """Each is what the header says, without the two of compressed packets."""
    root = Root(str(make_tree({FIRST: dev(RECEIVED), **sysfs(RECEIVED)})))

    assert {
        f'tailsight_network_{name}_total{{device="eth0"}}': value
        for name, value in {
            "receive_bytes": 101, "receive_packets": 102, "receive_errors": 103,
            "receive_drops": 104, "receive_fifo_errors": 105, "receive_frame_errors": 106,
            "receive_multicast_packets": 108, "transmit_bytes": 109, "transmit_packets": 110,
            "transmit_errors": 111, "transmit_drops": 112, "transmit_fifo_errors": 113,
            "transmit_collisions": 114, "transmit_carrier_errors": 115,
        }.items()
    } == values(look(root))  # fmt: skip


def test_which_interfaces_count(make_tree: MakeTree) -> None:
    """Hardware, and what is made of it; no bridge, tunnel or cable of a container."""
    names = ["lo", "docker0", "veth1a2b3c", "flannel.1", "bond0", "eth0.10", "ppp0", "wg0", "eth0"]
    received = {name: at for at, name in enumerate(names)}
    tree = make_tree(
        {
            FIRST: dev(received),
            **sysfs(received, docker0="bridge", **{"flannel.1": "vxlan"}, bond0="bond", ppp0="ppp",
                    wg0="wireguard", **{"eth0.10": "vlan"}),
            f"{FOLDER}/bonding_masters": "bond0\n",
        }
    )  # fmt: skip

    assert {"bond0", "eth0.10", "ppp0", "wg0", "eth0"} == set(errors(look(Root(str(tree)))))


def test_the_node_rather_than_the_container(make_tree: MakeTree) -> None:
    """With hostPID and the node's /sys: /proc/net is the container's, /proc/1/net the node's."""
    container = {"lo": 7, "eth0": 9}
    tree = make_tree(
        {OWN: dev(container, errors=1), FIRST: dev(RECEIVED, errors=2), **sysfs(RECEIVED)}
    )

    assert {"eth0": 2} == errors(look(Root(str(tree))))


def test_the_container_where_sys_is_its_own(make_tree: MakeTree) -> None:
    """Such as with a network card handed over to it."""
    container = {"lo": 7, "net1": 9}
    tree = make_tree(
        {OWN: dev(container, errors=1), FIRST: dev(RECEIVED), **sysfs(container, ["net1"])}
    )

    assert {"net1": 1} == errors(look(Root(str(tree))))


@pytest.mark.parametrize(
    "received",
    [{"lo": 7, "eth0": 9}, {"lo": 5001, "eth0": 101}, {"lo": 5000, "eth0": 102}, {"lo": 5000}],
)
def test_namespaces_are_never_mixed_up(received: dict[str, int], make_tree: MakeTree) -> None:
    """With the node's /sys alone, an eth0 of the container is not taken for the node's."""
    tree = make_tree({OWN: dev(received), FIRST: dev(received), **sysfs(RECEIVED)})
    outcome = look(Root(str(tree)))

    assert "absent" == outcome.status
    assert "another network namespace" in outcome.reason
    assert {} == values(outcome)


def test_one_source_that_cannot_be_read_leaves_the_other(
    make_tree: MakeTree, mounted: Mounted
) -> None:
    """It is a failure, and the reader's own namespace may serve."""
    tree = make_tree({OWN: dev(RECEIVED), FIRST: dev(RECEIVED), **sysfs(RECEIVED)})
    outcome = look(Root(str(mounted(tree, Faults({FIRST: errno.EACCES})))))

    assert [FIRST] == failed(outcome)
    assert {"eth0": 103} == errors(outcome)


def test_only_failures_are_no_absence(make_tree: MakeTree, mounted: Mounted) -> None:
    """Where nothing can be read the answer is denied, not absent."""
    tree = make_tree({FIRST: dev(RECEIVED), **sysfs(RECEIVED)})
    outcome = look(Root(str(mounted(tree, Faults({FIRST: errno.EACCES})))))

    assert "error" == outcome.status
    assert [FIRST] == failed(outcome)


def test_an_interface_that_tells_nothing(make_tree: MakeTree, mounted: Mounted) -> None:
    """It is a failure of its own."""
    received = RECEIVED | {"odd0": 1}
    tree = make_tree({FIRST: dev(received), **sysfs(received)})
    uevent = f"{FOLDER}/odd0/uevent"
    outcome = look(Root(str(mounted(tree, Faults({uevent: errno.EIO})))))

    assert [uevent] == failed(outcome)
    assert {"eth0": 103} == errors(outcome)


def test_of_a_recording_only_names_are_compared(make_tree: MakeTree) -> None:
    """Its files were copied one after the other, while all of them counted."""
    tree = make_tree({OWN: dev({"lo": 10, "eth0": 20}), **sysfs({"lo": 1, "eth0": 2})})

    assert {"eth0": 103} == errors(look(ReplayRoot(str(tree))))


@pytest.mark.parametrize("hardware", [[], ["eth0"]])
def test_absent_without_hardware_or_counters(hardware: list[str], make_tree: MakeTree) -> None:
    """A container's eth0 is no hardware; a node without /proc has no counters."""
    outcome = look(Root(str(make_tree(sysfs(RECEIVED, hardware)))))

    assert "absent" == outcome.status
    assert outcome.reason


def test_an_interface_that_goes_is_no_failure(make_tree: MakeTree) -> None:
    """A USB adapter that was pulled out: the others are told, and it is not."""
    received = RECEIVED | {"usb0": 3}
    files = {FIRST: dev(received), **sysfs(received, ["eth0", "usb0"])}
    root = Root(str(make_tree(files)))
    task, outcomes = Task(network_counters.collector(), root, 60.0), [Outcome(), Outcome()]

    run_task(task, outcomes[0], root)
    make_tree({FIRST: dev(RECEIVED)})
    run_task(task, outcomes[1], root)

    assert [{"eth0": 103, "usb0": 103}, {"eth0": 103}] == [errors(one) for one in outcomes]
    assert [] == outcomes[1].failures


def test_the_number_of_interfaces_is_bounded(make_tree: MakeTree) -> None:
    """Of 70 virtual functions 64 have series of their own; one that leaves the rest takes none."""
    names = [f"eth0v{number}" for number in range(70)]
    received = dict.fromkeys(("lo", *names), 1)
    root = Root(str(make_tree({FIRST: dev(received), **sysfs(received, names)})))
    task, outcomes = Task(network_counters.collector(), root, 60.0), [Outcome(), Outcome()]

    run_task(task, outcomes[0], root)
    del received["eth0v69"]
    make_tree({FIRST: dev(received, errors=104)})
    run_task(task, outcomes[1], root)

    found, later = map(errors, outcomes)
    assert {*names[:MOST], "other"} == set(found)
    assert 6 * 103 == found["other"]
    assert 6 * 103 + 5 == later["other"]


def test_an_interface_that_joins_the_rest_adds_nothing_yet(make_tree: MakeTree) -> None:
    """It may come from another namespace, and bring along what it counted there."""
    collector, found = network_counters.collector(), []
    for count in (MOST + 1, MOST + 2):
        names = [f"eth0v{number}" for number in range(count)]
        received = dict.fromkeys(("lo", *names), 1)
        tree = make_tree({FIRST: dev(received), **sysfs(received, names)})
        found.append(errors(run(collector, Root(str(tree))))["other"])

    assert [103, 103] == found


def test_old_kernels_leave_no_space() -> None:
    """The bytes then follow the colon at once; a name may have one of its own."""
    assert {"eth0": "12 3", "eth0:1": "4"} == parse_rows(f"{HEADER}  eth0:12 3\neth0:1:4")


def test_devtype() -> None:
    """It is one line among others."""
    assert "vlan" == parse_devtype("DEVTYPE=vlan\nINTERFACE=eth0.10\nIFINDEX=7")
    assert "" == parse_devtype("INTERFACE=eth0\nIFINDEX=2")


@pytest.mark.parametrize("text", ["", "eth0: 1 2 3", HEADER + "no colon", HEADER + ": 1"])
def test_another_file_is_refused(text: str) -> None:
    """What has no header, or lines without a name, is no ``net/dev``."""
    with pytest.raises(ValueError, match="interface"):
        parse_rows(text)


@given(st.text())
def test_any_text_is_rows_or_refused(text: str) -> None:
    """Behind a header, too, every name was there."""
    try:
        found = parse_rows(HEADER + text)
    except ValueError:
        return
    assert all(name in text for name in found)


@given(
    st.one_of(st.text(), st.lists(st.integers(), max_size=20).map(lambda x: " ".join(map(str, x))))
)
def test_any_columns_are_counts_or_refused(text: str) -> None:
    """As many as the header names, and none negative."""
    try:
        found = parse_columns(text)
    except ValueError:
        return
    assert len(COLUMNS) == len(found)
    assert min(found) >= 0


def test_metrics_are_those_of_the_columns() -> None:
    """All but the two of compressed packets."""
    assert len(COLUMNS) - 2 == len(METRICS)


def test_an_interface_that_is_going_away_costs_nobody(
    make_tree: MakeTree, mounted: Mounted
) -> None:
    """Its counters in /sys answer EINVAL; that of lo says whose namespace it is."""
    received = RECEIVED | {"usb0": 7}
    tree = make_tree({FIRST: dev(received), **sysfs(received, ["eth0", "usb0"])})
    faults = Faults({f"{FOLDER}/usb0/statistics/rx_bytes": errno.EINVAL})
    outcome = look(Root(str(mounted(tree, faults))))

    assert {"eth0": 103, "usb0": 103} == errors(outcome)
    assert [] == failed(outcome)


def test_an_odd_name_costs_nobody(make_tree: MakeTree) -> None:
    """The kernel takes any bytes but blanks, slashes and colons, whoever in the namespace asks."""
    odd = {"e\x01x": 1, 'a"b\\': 2, "�": 3}
    root = Root(str(make_tree({FIRST: dev(RECEIVED | odd), **sysfs(RECEIVED | {'a"b\\': 2})})))

    assert {"eth0": 103} == errors(look(root))
    assert {"e\x01x", 'a"b\\', "�", *RECEIVED} == parse_rows(dev(RECEIVED | odd).strip()).keys()
