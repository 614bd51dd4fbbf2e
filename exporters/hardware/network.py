"""
Network interfaces that are hardware: driver, its version and firmware, carrier and speed.

From ``/sys/class/net`` and the ethtool interface of the kernel. Interfaces without a device, such
as lo, veth, bridges and tunnels, are left out.
https://docs.kernel.org/admin-guide/abi-testing-files.html (sysfs-class-net)
"""

import errno
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from exporters.core import Collector, Failure, Kind, Metric, NoData, Root, Sample, Sensor, Unit
from exporters.core.replay import ReplayRoot
from exporters.hardware import ethtool
from exporters.hardware.ethtool import DriverInfo
from exporters.hardware.facts import Facts, tidy
from exporters.hardware.known import Known
from exporters.hardware.numbers import integer, whole

FOLDER = "sys/class/net"
RECORDING = "ethtool.json"

INFO = Metric(
    "network_interface",
    Kind.INFO,
    Unit.NONE,
    "Driver of a network interface, the driver's version and that of the firmware.",
    ("device", "driver", "driver_version", "firmware_version"),
)
CARRIER = Metric(
    "network_carrier",
    Kind.GAUGE,
    Unit.NONE,
    "Whether the interface has a link; nothing while it is switched off.",
    ("device",),
)
SPEED = Metric(
    "network_speed",
    Kind.GAUGE,
    Unit.BYTES_PER_SECOND,
    "Speed of the link in each direction, where the driver knows it.",
    ("device",),
)

UNKNOWN_SPEEDS = frozenset({"-1", "0", "4294967295"})
"""SPEED_UNKNOWN of linux/ethtool.h, signed and, in older kernels, not."""
_BYTES_PER_SECOND_OF_A_MEGABIT = 125_000

carrier = whole(0, 1)
_megabits = whole(1, 10_000_000)


def parse_speed(text: str) -> float | None:
    """
    Turn megabits into bytes per second; None where the driver does not know.

    Raises:
        ValueError: it is no speed.
    """
    return None if text in UNKNOWN_SPEEDS else _megabits(text) * _BYTES_PER_SECOND_OF_A_MEGABIT


def parse_recording(document: Any) -> dict[str, DriverInfo]:
    """
    Return what ``replay/ethtool.json`` says of each interface.

    ``{"eth0": {"driver": "igc", "version": "6.8.0", "firmware": "2017:888d"}}``; each may lack.

    Raises:
        ValueError: it says something else.
    """
    if not isinstance(document, dict):
        msg = "wants {INTERFACE: {driver, version, firmware}}"
        raise ValueError(msg)  # noqa: TRY004  # as all parsers do
    found = {}
    for name, said in document.items():
        texts = said if isinstance(said, dict) else {"": None}
        if not set(texts) <= set(DriverInfo._fields) or not all(
            isinstance(text, str) for text in texts.values()
        ):
            msg = f"{name}: wants texts for {', '.join(DriverInfo._fields)}"
            raise ValueError(msg)
        found[name] = DriverInfo(**texts)
    return found


@dataclass(frozen=True, slots=True)
class Link:
    """Carrier and speed of an interface, which refuses to tell them while it is switched off."""

    name: str

    @property
    def where(self) -> str:
        """What is read first."""
        return f"{FOLDER}/{self.name}/carrier"

    def read(self, root: Root) -> Sequence[Sample]:
        """Read the carrier and, if there is one, the speed."""
        text = _unless_refused(root, self.where)
        if text is None:
            return ()
        linked = carrier(text)
        samples = [CARRIER.sample(linked, device=tidy(self.name))]
        if linked:
            samples += self._speed(root)
        return samples

    def _speed(self, root: Root) -> Iterator[Sample]:
        text = _unless_refused(root, f"{FOLDER}/{self.name}/speed")
        speed = None if text is None else parse_speed(text)
        if speed is not None:
            yield SPEED.sample(speed, device=tidy(self.name))


def _unless_refused(root: Root, path: str) -> str | None:
    """
    Read a file; None where there is nothing to tell.

    EINVAL: the interface is down, or a wireless one, which has no single speed. EOPNOTSUPP: the
    driver does not know.
    """
    try:
        return root.read(path)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.EOPNOTSUPP}:
            raise
        return None


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the interfaces."""
    names = [name for name in root.names(FOLDER) if root.exists(f"{FOLDER}/{name}/device")]
    if not names:
        msg = "no network interface with a device is to be seen"
        raise NoData(msg)
    recorded, failures = _recorded(root)
    yield from failures
    for name in names:
        facts = Facts(root)
        info = _info(facts, name, recorded)
        if not root.exists(f"{FOLDER}/{name}"):
            continue  # it has gone meanwhile
        yield from facts.failures
        labels = dict(zip(INFO.labels, map(tidy, (name, *info)), strict=True))
        yield Known(f"{FOLDER}/{name}", (INFO.sample(1, **labels),))
        if root.exists(Link(name).where):
            yield Link(name)


def _recorded(root: Root) -> tuple[Mapping[str, DriverInfo], list[Failure]]:
    document = root.document(RECORDING) if isinstance(root, ReplayRoot) else None
    try:
        return parse_recording(document or {}), []
    except ValueError as error:
        return {}, [Failure(f"replay/{RECORDING}", error)]


def _info(facts: Facts, name: str, recorded: Mapping[str, DriverInfo]) -> DriverInfo:
    if name in recorded:
        return recorded[name]
    if facts.root.live:
        try:
            return ethtool.ask(name, integer(facts.raw(f"{FOLDER}/{name}/ifindex")))
        except (OSError, ValueError):
            pass  # of another network namespace, or gone: files tell a part of it
    return _of_files(facts, name)


def _of_files(facts: Facts, name: str) -> DriverInfo:
    link = f"{FOLDER}/{name}/device/driver"
    driver = facts.root.resolve(link).rpartition("/")[2] if facts.root.exists(link) else ""
    version = facts.first(f"{link}/module/version") if driver else ""
    return DriverInfo(driver, version)


COLLECTOR = Collector(
    "network",
    (INFO, CARRIER, SPEED),
    discover,
    source=f"/{FOLDER}/*, SIOCETHTOOL",
    advice=(
        "a container sees the host's interfaces only in its network namespace (docker: --network "
        "host, Kubernetes: hostNetwork: true)"
    ),
)
