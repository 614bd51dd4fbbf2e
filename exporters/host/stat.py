"""
The text of ``/proc/stat``, and CPU times that do not go back.

https://docs.kernel.org/filesystems/proc.html#miscellaneous-kernel-statistics-in-proc-stat
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import le

from exporters.hardware.numbers import whole

TICKS_PER_SECOND = 100
"""USER_HZ, in which CPU times are told whatever the kernel's own tick (asm-generic/param.h)."""
MODES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
GUEST_MODES = ("user", "nice")
"""What follows the modes: time of virtual CPUs, which is in ``user`` and ``nice``, too."""
COUNTS = frozenset({"intr", "ctxt", "btime", "processes", "procs_running", "procs_blocked"})
"""The sum of ``softirq`` is left out: ``/proc/softirqs`` has its parts by name."""

# Later kernels may append further modes.
_CPU = re.compile(rf"(?a:cpu(\d{{1,5}})((?: \d{{1,19}}){{{len(MODES + GUEST_MODES)}}})(?: \d+)*)")
_count = whole()

Ticks = Sequence[int]
"""CPU time in USER_HZ by MODES, then GUEST_MODES."""


@dataclass(frozen=True, slots=True)
class Stat:
    """What ``/proc/stat`` says."""

    cpus: Mapping[int, Ticks]
    """The CPUs that are online."""
    counts: Mapping[str, float]
    """Of COUNTS, those that are there; of ``intr`` the sum that comes first."""


def parse_stat(text: str) -> Stat:
    """
    Return what ``/proc/stat`` says.

    Raises:
        ValueError: it shows no CPU, or something that the kernel does not print.
    """
    cpus, counts = {}, {}
    for line in text.split("\n"):
        key, _, rest = line.partition(" ")
        if key in COUNTS:
            counts[key] = _count(rest.partition(" ")[0])
        elif key.startswith("cpu") and key != "cpu":
            match = _CPU.fullmatch(line)
            if match is None:
                msg = f"no times of a CPU: {line[:80]!r}"
                raise ValueError(msg)
            cpus[int(match[1])] = tuple(map(int, match[2].split()))
    if not cpus:
        msg = f"no CPU in {text[:80]!r}"
        raise ValueError(msg)
    return Stat(cpus, counts)


class Steady:
    """
    CPU times that do not go back, but for a CPU that began anew.

    ``iowait`` goes back a little, by design (the page above), and so may ``idle``. A step back by
    more is a CPU that was offline: older kernels then count its idle time from 0.
    """

    RESTART = 3 * TICKS_PER_SECOND
    """A fall by more than it is a counter that began anew."""

    def __init__(self) -> None:
        self._last: dict[int, Ticks] = {}

    def __call__(self, cpu: int, now: Ticks) -> Ticks:
        """Return the times to tell for those that the kernel tells."""
        last = self._last.get(cpu, now)
        if not all(map(le, last, now)):
            now = tuple(
                new if new >= old or old - new > self.RESTART else old
                for old, new in zip(last, now, strict=True)
            )
        self._last[cpu] = now
        return now
