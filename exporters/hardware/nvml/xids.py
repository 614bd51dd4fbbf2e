"""
The driver's error reports, Xids (https://docs.nvidia.com/deploy/xid-errors/), by number.

They are fetched at each scrape from the queue that NVML keeps: on Linux each event has the data
of its own (nvmlEventSetWait_v2 in nvml.h). What happened before the agent began is in the
kernel's log only.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from exporters.core import Kind, Metric, Root, Sample, Unit
from exporters.hardware.nvml.errors import ABSENT, NvmlError
from exporters.hardware.nvml.gpu import Gpu
from exporters.hardware.nvml.interface import Nvml

ERRORS = Metric(
    "gpu_xid_errors",
    Kind.COUNTER,
    Unit.NONE,
    "Xids since the agent began; rare numbers are xid other, which is there once Xids are watched.",
    ("gpu", "xid"),
)
LAST = Metric(
    "gpu_last_xid_timestamp",
    Kind.GAUGE,
    Unit.SECONDS,
    "When the last Xid was seen, in seconds since the epoch.",
    ("gpu", "xid"),
)

METRICS = (ERRORS, LAST)

OTHER = "other"
_MOST_NUMBERS = 32
_MOST_AT_ONCE = 256


class Xids:
    """Counts Xids by GPU and number, over re-initialisations of NVML, too."""

    where = "nvml Xids"

    def __init__(self) -> None:
        self._nvml: Nvml | None = None
        self._watched: tuple[int, list[str]] | None = None
        self._uuids: Sequence[str] = ()
        self._counts: Counter[tuple[str, str]] = Counter()
        self._last: dict[str, tuple[str, float]] = {}

    def watch(self, nvml: Nvml, gpus: Sequence[Gpu], generation: int) -> bool:
        """
        Watch these GPUs, unless they are watched already; say whether any can be.

        Raises:
            NvmlError: they cannot be watched though they have Xids.
        """
        uuids = [gpu.uuid for gpu in gpus]
        if (generation, uuids) == self._watched:
            return self._nvml is not None
        self._watched, self._nvml = None, None
        try:
            nvml.watch([gpu.handle for gpu in gpus])
        except NvmlError as error:
            if error.code not in ABSENT:
                raise  # and the next search tries again
            self._watched = generation, uuids
            return False
        self._watched, self._nvml, self._uuids = (generation, uuids), nvml, uuids
        for uuid in uuids:
            self._counts[uuid, OTHER] += 0
        return True

    def read(self, root: Root) -> Sequence[Sample]:
        """Fetch what came since the last scrape, and give all counts."""
        for _ in range(_MOST_AT_ONCE):
            xid = self._nvml.next_xid() if self._nvml else None
            if xid is None:
                break
            self._count(self._uuids[xid.device], str(xid.number), root.now())
        return tuple(self._samples())

    def _count(self, uuid: str, number: str, now: float) -> None:
        known = sum(1 for owner, _ in self._counts if owner == uuid)
        if (uuid, number) not in self._counts and known > _MOST_NUMBERS:
            number = OTHER
        self._counts[uuid, number] += 1
        self._last[uuid] = (number, now)

    def _samples(self) -> Iterator[Sample]:
        for (uuid, number), count in sorted(self._counts.items()):
            if uuid in self._uuids:
                yield ERRORS.sample(count, gpu=uuid, xid=number)
        for uuid, (number, seconds) in sorted(self._last.items()):
            if uuid in self._uuids:
                yield LAST.sample(seconds, gpu=uuid, xid=number)
