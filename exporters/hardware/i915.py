"""
Frequencies, idling and throttling of GPUs with the i915 driver: ``/sys/class/drm/card*``.

Each GT has a folder ``gt/gtN`` (Linux 5.19); before that the card itself has files, which are
now the extremes over all GTs. Throttle reasons, idling and some frequencies are only read while
the GPU is awake (``gpu_sleep``).
Facts: drivers/gpu/drm/i915/gt/intel_gt_sysfs_pm.c.
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
from exporters.hardware.gpu_throttle import Beginnings, Reasons, make_reason, parse_flag

REASON = "throttle_reason_"
LIMITS = ("min", "max", "boost", "RP0", "RP1", "RPn")
# The driver gives the milliseconds as 32 bits.
WRAPS_AT_SECONDS = 2**32 / 1000


@dataclass(frozen=True, slots=True)
class Gt:
    """A GT and where its files are."""

    card: Card
    name: str
    files: dict[str, str]
    """The paths of its files, by the names that they have in ``gt/gtN``."""

    @property
    def labels(self) -> dict[str, str]:
        """The labels of its series."""
        return self.card.labels(self.name)

    def frequencies(self) -> Iterator[tuple[str, Series]]:
        """Yield the files that it may have, each with its series."""
        yield "rps_act_freq_mhz", FREQUENCY.series(**self.labels)
        yield "rps_cur_freq_mhz", REQUESTED.series(**self.labels, at="driver")
        yield "punit_req_freq_mhz", REQUESTED.series(**self.labels, at="punit")
        for limit in LIMITS:
            series = FREQUENCY_LIMIT.series(**self.labels, limit=limit.lower())
            yield f"rps_{limit}_freq_mhz", series


@dataclass(frozen=True, slots=True)
class I915:
    """The collector's memory: how long each GT idled, how often each reason began."""

    idled: Unwrapped
    beginnings: Beginnings

    def discover(self, root: Root) -> Iterator[Sensor | Failure]:
        """Find the GTs of all cards."""
        found = False
        for card in find_cards(root):
            gts, failures = _gts(root, card)
            yield from failures
            found = found or bool(gts or failures)
            if gts:
                sleep, told = card.sleep(root)
                if told:
                    yield sleep
                for gt in gts:
                    yield from self._sensors(gt, sleep)
        if not found:
            msg = "no card of /sys/class/drm has the files of i915"
            raise NoData(msg)

    def _sensors(self, gt: Gt, sleep: Sleep) -> Iterator[Sensor]:
        for file, series in gt.frequencies():
            if file in gt.files:
                yield WhileAwake(FileSensor(series, gt.files[file], hertz), sleep)
        if path := gt.files.get("rc6_residency_ms"):
            series = IDLE.series(**gt.labels)
            yield WhileAwake(
                UnwrappedSensor(series, path, seconds, WRAPS_AT_SECONDS, self.idled), sleep
            )
        for file, path in gt.files.items():
            name = file.removeprefix(REASON)
            if file.startswith(REASON) and name != "status":
                key, device = f"{gt.card.device}/{gt.name}", f"{gt.card.name}/{gt.name}"
                reasons = {name: make_reason("i915", key, device, name)}
                yield Reasons(path, parse_flag(name), reasons, sleep, self.beginnings)


def _gts(root: Root, card: Card) -> tuple[list[Gt], list[Failure]]:
    own, failures = names(root, card.folder)
    old = {
        f"rps_{name.removeprefix('gt_')}": f"{card.folder}/{name}"
        for name in sorted(own)
        if name.startswith("gt_") and name.endswith("_freq_mhz")
    }
    if old and root.exists(residency := f"{card.folder}/power/rc6_residency_ms"):
        old["rc6_residency_ms"] = residency
    folders = root.glob(f"{card.folder}/gt/gt[0-9]*") if "gt" in own else []
    gts = []
    for folder in folders:
        files, failed = names(root, folder)
        failures += failed
        paths = {name: f"{folder}/{name}" for name in sorted(files)}
        # The card's files are those of its only GT; of several, they are only the extremes.
        alone = old if len(folders) == 1 else {}
        gts.append(Gt(card, folder.rpartition("/")[2], {**alone, **paths}))
    if not folders and old:
        gts = [Gt(card, "gt0", old)]
    return gts, failures


def collector() -> Collector:
    """Return the collector with a memory of its own."""
    return Collector(
        "i915",
        METRICS,
        I915(Unwrapped(FASTEST_IDLING), Beginnings()).discover,
        source="/sys/class/drm/card*/gt",
        advice=(
            "Intel GPUs have it, with CONFIG_DRM_I915 (modprobe i915); the newest have xe instead"
        ),
    )
