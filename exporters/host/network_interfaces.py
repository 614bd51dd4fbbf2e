"""
Which network interfaces count, and whose counters a ``net/dev`` shows.

Those that are hardware count, and what is made of hardware or leads out of the node by itself:
bonds, VLANs, PPP, WireGuard. Bridges, tunnels and each container's end of a cable are left out:
what fails on the wire shows on the hardware.
https://docs.kernel.org/admin-guide/abi-testing-files.html (sysfs-class-net)
"""

from collections.abc import Collection, Iterator, Mapping

from exporters.core import Failure, Root
from exporters.hardware.numbers import integer
from exporters.host.network_rows import parse_columns, parse_rows

FOLDER = "sys/class/net"
DEVTYPES = frozenset({"bond", "ppp", "vlan", "wireguard"})
"""Kinds of interfaces without a device that count, too: DEVTYPE of SET_NETDEV_DEVTYPE."""
_LOOPBACK = "lo"


def parse_devtype(uevent: str) -> str:
    """Return what kind of interface a ``uevent`` file tells of; empty where it tells none."""
    lines = (line.partition("=") for line in uevent.splitlines())
    return next((value for key, _, value in lines if key == "DEVTYPE"), "")


def interfaces(root: Root) -> Iterator[str | Failure]:
    """Yield the interfaces that count, hardware first, and those that could not be looked into."""
    soft: list[str | Failure] = []
    for name in root.names(FOLDER):
        if root.exists(f"{FOLDER}/{name}/device"):
            yield name
            continue
        uevent = f"{FOLDER}/{name}/uevent"
        try:
            if root.exists(uevent) and parse_devtype(root.read(uevent)) in DEVTYPES:
                soft.append(name)
        except FileNotFoundError:
            continue  # it has gone meanwhile
        except OSError as error:
            soft.append(Failure(uevent, error))
    yield from soft


def shows(root: Root, path: str, names: Collection[str]) -> bool:
    """
    Whether a ``net/dev`` is of the network namespace that ``/sys`` shows.

    Neither says whose it is, and ``eth0`` may be in both. They are the same if what one counts
    lies between two looks at the other, and all names of ``/sys`` are there: ``lo`` is in every
    namespace, and its counters differ. Of a recording only the names can be compared.

    Raises:
        OSError: one of them cannot be read.
        ValueError: it is not what the kernel prints.
    """
    counted = {*names, _LOOPBACK}
    before, earliest = set(root.names(FOLDER)), _received(root, counted)
    rows = parse_rows(root.read(path))
    after, latest = set(root.names(FOLDER)), _received(root, counted)
    return counted & before & after <= rows.keys() and all(
        earliest[name] <= parse_columns(rows[name])[0] <= latest[name]
        for name in earliest.keys() & rows.keys() & latest.keys()
    )


def _received(root: Root, names: Collection[str]) -> Mapping[str, int]:
    """
    Return the bytes that interfaces have received, as ``/sys`` tells them.

    One that is going away answers EINVAL (net/core/net-sysfs.c); the others tell as much.

    Raises:
        OSError: none of those that are there can be read.
        ValueError: it is no number.
    """
    found: dict[str, int] = {}
    failed = None
    for name in names if root.live else ():
        try:
            found[name] = integer(root.read(f"{FOLDER}/{name}/statistics/rx_bytes"))
        except FileNotFoundError:
            continue
        except OSError as error:
            failed = error
    if failed and not found:
        raise failed
    return found
