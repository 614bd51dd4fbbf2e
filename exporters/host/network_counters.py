"""
What each network interface received and sent, and what of it was lost, from ``net/dev``.

``/proc/net`` is the reader's network namespace. ``/proc/1/net`` is that of the first process that
``/proc`` shows: the node's with hostPID, else the container's own. What is told is of the one
whose interfaces ``/sys`` shows, since that says which of them are hardware; where it is neither,
nothing is told.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence

from exporters.core import Collector, Failure, Kind, Metric, NoData, Root, Sample, Sensor, Unit
from exporters.hardware.facts import tidy
from exporters.host.network_interfaces import FOLDER, interfaces, shows
from exporters.host.network_rows import parse_columns, parse_rows
from exporters.host.totals import Member, Totals

SOURCES = ("proc/1/net/dev", "proc/net/dev")
MOST = 64
"""Interfaces that have series of their own."""
OTHER = "other"
_HIDDEN = (
    "/sys shows interfaces of another network namespace than /proc/1/net/dev and /proc/net/dev do"
)


def _counter(subject: str, text: str, unit: Unit = Unit.NONE) -> Metric:
    return Metric(f"network_{subject}", Kind.COUNTER, unit, text, ("device",))


RECEIVE_ERRORS = _counter(
    "receive_errors", "Frames received damaged or lost, of any kind: cable, radio or driver."
)
COLUMNS: tuple[Metric | None, ...] = (
    _counter("receive", "Bytes received.", Unit.BYTES),
    _counter("receive_packets", "Packets received."),
    RECEIVE_ERRORS,
    _counter("receive_drops", "Packets received whole and dropped, for want of room or a taker."),
    _counter("receive_fifo_errors", "Receive errors as the hardware's queue was full."),
    _counter("receive_frame_errors", "Receive errors of length, checksum or alignment."),
    None,  # compressed: of SLIP and old PPP
    _counter("receive_multicast_packets", "Multicast packets received, where the driver counts."),
    _counter("transmit", "Bytes sent.", Unit.BYTES),
    _counter("transmit_packets", "Packets sent."),
    _counter("transmit_errors", "Packets that could not be sent, for any fault."),
    _counter("transmit_drops", "Packets dropped before they were sent."),
    _counter("transmit_fifo_errors", "Transmit errors as the hardware's queue ran empty."),
    _counter("transmit_collisions", "Collisions while sending, which a full-duplex link has not."),
    _counter("transmit_carrier_errors", "Transmit errors as the link was lost or send aborted."),
    None,
)
"""The columns of ``net/dev``, in its order."""
METRICS = tuple(metric for metric in COLUMNS if metric is not None)
_KEPT = tuple(at for at, metric in enumerate(COLUMNS) if metric is not None)


class Interfaces:
    """Which interfaces are told of, and the sum of those that are not."""

    def __init__(self) -> None:
        self._others = Totals()

    def discover(self, root: Root) -> Iterator[Sensor | Failure]:
        """Find the interfaces, and where their counters are."""
        found = list(interfaces(root))
        failures = [one for one in found if isinstance(one, Failure)]
        names = [name for name in found if isinstance(name, str)]
        if not found:
            msg = f"/{FOLDER} has no interface that is hardware, or made of it"
            raise NoData(msg)
        for path in filter(root.exists, SOURCES):
            try:
                if shows(root, path, names):
                    yield Rows(path, names, self._others)
                    break
            except (OSError, ValueError) as error:
                failures.append(Failure(path, error))
        else:
            if not failures:
                raise NoData(_HIDDEN)
        yield from failures


class Rows:
    """One ``net/dev`` and the interfaces of it that are told of."""

    def __init__(self, where: str, names: Sequence[str], others: Totals) -> None:
        self.where = where
        self._series = {
            name: tuple(metric.series(device=tidy(name)) for metric in METRICS)
            for name in names[:MOST]
        }
        self._rest = names[MOST:]
        self._others = others

    def read(self, root: Root) -> Sequence[Sample]:
        """Read the file; an interface that is not there now has gone, or has another name."""
        rows = parse_rows(root.read(self.where))
        samples: list[Sample] = []
        for name, series in self._series.items():
            if name in rows:
                samples += map(Sample, series, _kept(rows[name]))
        return [*samples, *self._sum(rows)]

    def _sum(self, rows: Mapping[str, str]) -> Iterator[Sample]:
        rest: dict[Hashable, Member] = {
            name: Member(OTHER, _kept(rows[name]), born=False)
            for name in self._rest
            if name in rows
        }
        if rest:
            totals = self._others.look(rest)[OTHER]
            yield from (
                metric.sample(total, device=OTHER)
                for metric, total in zip(METRICS, totals, strict=True)
            )


def _kept(columns: str) -> Sequence[int]:
    numbers = parse_columns(columns)
    return [numbers[at] for at in _KEPT]


def collector() -> Collector:
    """Return the collector; it remembers the sum of the interfaces without series of their own."""
    return Collector(
        "network_counters",
        METRICS,
        Interfaces().discover,
        source=f"/{SOURCES[0]}, /{SOURCES[1]}",
        advice=(
            "a container sees the node's interfaces in its network namespace (docker: --network "
            "host, Kubernetes: hostNetwork: true), or with its processes and its /sys (docker: "
            "--pid host -v /sys:/sys:ro, Kubernetes: hostPID: true and a hostPath volume of /sys)"
        ),
    )
