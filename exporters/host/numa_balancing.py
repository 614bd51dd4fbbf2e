"""
Whether the kernel moves memory to the NUMA node that uses it, by a sysctl.

Bit 0 balances between nodes, bit 1 between tiers of memory (Linux 5.18).
https://docs.kernel.org/admin-guide/sysctl/kernel.html#numa-balancing
"""

from collections.abc import Sequence

from exporters.core import Collector, Kind, Metric, Sample, Unit
from exporters.hardware.numbers import whole
from exporters.host.files import file, sensor_of

SETTING = "proc/sys/kernel/numa_balancing"
MODES = ("normal", "memory_tiering")
"""By bit, the lowest first."""

INFO = Metric(
    "numa_balancing",
    Kind.INFO,
    Unit.NONE,
    "Whether the kernel balances memory between NUMA nodes, tiers of memory or both.",
    ("setting", "mode"),
)

_setting = whole(0, 2 ** len(MODES) - 1)


def parse_setting(text: str) -> int:
    """
    Return the setting as a number.

    Raises:
        ValueError: it is none that this knows.
    """
    return int(_setting(text))


def mode(setting: int) -> str:
    """Return what a setting means, such as ``off`` or ``normal,memory_tiering``."""
    return ",".join(name for bit, name in enumerate(MODES) if setting >> bit & 1) or "off"


def samples(text: str) -> Sequence[Sample]:
    """
    Turn the setting into the info sample.

    Raises:
        ValueError: as ``parse_setting``.
    """
    setting = parse_setting(text)
    return (INFO.sample(1, setting=str(setting), mode=mode(setting)),)


COLLECTOR = Collector(
    "numa_balancing",
    (INFO,),
    sensor_of(
        file(SETTING, samples),
        "the kernel cannot balance between NUMA nodes, or /proc has subset=pid",
    ),
    source=f"/{SETTING}",
    advice="needs CONFIG_NUMA_BALANCING, which kernels for boards with one node leave out",
)
