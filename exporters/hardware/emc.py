"""
The memory clock of a Tegra chip (EMC, external memory controller).

The rate is in debugfs, which is root's alone; the cap that the power mode sets is for everybody.
"""

from collections.abc import Iterator

from exporters.core import Collector, Failure, FileSensor, Kind, Metric, NoData, Root, Sensor, Unit
from exporters.hardware.numbers import scaled

FREQUENCY = Metric(
    "memory_frequency", Kind.GAUGE, Unit.HERTZ, "Frequency of the memory controller (EMC)."
)
CAP = Metric(
    "memory_frequency_cap",
    Kind.GAUGE,
    Unit.HERTZ,
    "Highest frequency of the memory controller that the power mode allows.",
)

DEBUGFS = "sys/kernel/debug"
RATES = (
    f"{DEBUGFS}/bpmp/debug/clk/emc/rate",  # Xavier and later
    f"{DEBUGFS}/clk/override.emc/clk_rate",  # JetPack 4
    f"{DEBUGFS}/clk/emc/clk_rate",  # Linux
)
CAP_PATH = "sys/kernel/nvpmodel_clk_cap/emc"
COMPATIBLE = "proc/device-tree/compatible"

hertz = scaled(1, 1e6, 1e11)
"""Hertz; memory that holds its content has a clock."""


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the rate, or what keeps one from looking for it, and the cap."""
    if not is_tegra(root):
        msg = f"not a Tegra chip: /{COMPATIBLE} does not name one"
        raise NoData(msg)
    rate = next((path for path in RATES if root.exists(path)), None)
    if rate is not None:
        yield FileSensor(FREQUENCY.series(), rate, hertz)
    else:
        # A file in a folder that may not be entered seems not to exist.
        try:
            root.names(DEBUGFS)
        except OSError as error:
            yield Failure(DEBUGFS, error)
    if root.exists(CAP_PATH):
        yield FileSensor(CAP.series(), CAP_PATH, hertz)


def is_tegra(root: Root) -> bool:
    """Whether the device tree says that this is an NVIDIA Tegra chip."""
    try:
        return "nvidia,tegra" in root.read(COMPATIBLE)
    except OSError:
        return False


COLLECTOR = Collector(
    "emc",
    (FREQUENCY, CAP),
    discover,
    source=f"/{RATES[0]}, /{RATES[1]}, /{CAP_PATH}",
    advice="Only NVIDIA Tegra has it. The rate is in debugfs: run as root, mount /sys/kernel/debug.",
)
