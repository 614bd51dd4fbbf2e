"""
Frequencies, idling and throttling of GPUs with the xe driver: ``card*/device/tile*/gt*``.

All of it is only read while the GPU is awake (``gpu_sleep``), since xe wakes it for any answer.
https://docs.kernel.org/gpu/xe/xe_gt_freq.html
"""

from collections.abc import Iterator
from dataclasses import dataclass

from exporters.core import Collector, Failure, FileSensor, NoData, Root, Sensor, Series
from exporters.hardware.counters import Unwrapped, UnwrappedSensor
from exporters.hardware.drm import (
    FASTEST_IDLING,
    FREQUENCY,
    FREQUENCY_LIMIT,
    IDLE,
    METRICS,
    REQUESTED,
    Card,
    find_cards,
    hertz,
    names,
    seconds,
)
from exporters.hardware.gpu_sleep import Sleep, WhileAwake
from exporters.hardware.gpu_throttle import (
    Beginnings,
    Reasons,
    make_reason,
    parse_flag,
    parse_reasons,
)

REASON = "reason_"
LIMITS = ("min", "max", "rp0", "rpa", "rpe", "rpn")


@dataclass(frozen=True, slots=True)
class Xe:
    """The collector's memory: how long each GT idled, how often each reason began."""

    idled: Unwrapped
    beginnings: Beginnings

    def discover(self, root: Root) -> Iterator[Sensor | Failure]:
        """Find the GTs of all cards."""
        found = False
        for card in find_cards(root):
            try:
                gts = root.glob(f"{card.folder}/device/tile[0-9]*/gt[0-9]*")
            except OSError as error:
                yield Failure(f"{card.folder}/device", error)
                found = True
                continue
            if gts:
                found = True
                sleep, told = card.sleep(root)
                if told:
                    yield sleep
                for gt in gts:
                    yield from self._sensors(root, card, gt, sleep)
        if not found:
            msg = "no card of /sys/class/drm has the files of xe"
            raise NoData(msg)

    def _sensors(
        self, root: Root, card: Card, folder: str, sleep: Sleep
    ) -> Iterator[Sensor | Failure]:
        gt = "/".join(folder.split("/")[-2:])
        files, failures = names(root, f"{folder}/freq0")
        yield from failures
        for file, series in _frequencies(card.labels(gt)):
            if file in files:
                yield WhileAwake(FileSensor(series, f"{folder}/freq0/{file}", hertz), sleep)
        idle = f"{folder}/gtidle/idle_residency_ms"
        if root.exists(idle):
            series = IDLE.series(**card.labels(gt))
            yield WhileAwake(UnwrappedSensor(series, idle, seconds, None, self.idled), sleep)
        yield from self._throttling(root, card, f"{folder}/freq0/throttle", gt, sleep)

    def _throttling(
        self, root: Root, card: Card, folder: str, gt: str, sleep: Sleep
    ) -> Iterator[Sensor | Failure]:
        files, failures = names(root, folder)
        yield from failures
        found = sorted(file.removeprefix(REASON) for file in files if file.startswith(REASON))
        reasons = {
            name: make_reason("xe", f"{card.device}/{gt}", f"{card.name}/{gt}", name)
            for name in found
        }
        # The list is one read of the register, where the files are one each and may disagree.
        if "reasons" in files and reasons:
            path = f"{folder}/reasons"
            yield Reasons(path, parse_reasons, reasons, sleep, self.beginnings)
            return
        for name, reason in reasons.items():
            path, only = f"{folder}/{REASON}{name}", {name: reason}
            yield Reasons(path, parse_flag(name), only, sleep, self.beginnings)


def _frequencies(labels: dict[str, str]) -> Iterator[tuple[str, Series]]:
    yield "act_freq", FREQUENCY.series(**labels)
    yield "cur_freq", REQUESTED.series(**labels, at="driver")
    for limit in LIMITS:
        yield f"{limit}_freq", FREQUENCY_LIMIT.series(**labels, limit=limit)


def collector() -> Collector:
    """Return the collector with a memory of its own."""
    return Collector(
        "xe",
        METRICS,
        Xe(Unwrapped(FASTEST_IDLING), Beginnings()).discover,
        source="/sys/class/drm/card*/device/tile*/gt*",
        advice=(
            "the newest Intel GPUs have it, with CONFIG_DRM_XE of Linux 6.8 (modprobe xe); those "
            "before have i915"
        ),
    )
