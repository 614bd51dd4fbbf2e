"""
The clock of a Tegra's external memory controller (EMC).

The rate is in debugfs, which is root's alone; the cap that the power mode sets is for everybody.
"""

from collections.abc import Iterator, Sequence

from exporters.core import (
    Collector,
    Failure,
    FileSensor,
    FilesSensor,
    Kind,
    Metric,
    NoData,
    Root,
    Sample,
    Sensor,
    Unit,
)
from exporters.hardware.board import compatible
from exporters.hardware.facts import Facts
from exporters.hardware.numbers import scaled

FREQUENCY = Metric(
    "emc_frequency",
    Kind.GAUGE,
    Unit.HERTZ,
    "Clock of the external memory controller of a Tegra chip.",
)
CAP = Metric(
    "emc_frequency_cap",
    Kind.GAUGE,
    Unit.HERTZ,
    "Highest clock of the memory controller that the power mode allows.",
)

RATES = (
    "sys/kernel/debug/bpmp/debug/clk/emc/rate",  # Xavier and later
    "sys/kernel/debug/clk/override.emc/clk_rate",  # Jetson Linux 4.9
)
CAP_PATH = "sys/kernel/nvpmodel_clk_cap/emc"
SOC = "nvidia,tegra"

hertz = scaled(1, 1e6, 1e11)
"""A clock that runs; what a memory controller cannot have, such as 0, is no reading."""


def parse_cap(text: str) -> Sequence[Sample]:
    """
    Turn the cap into samples: none where it is 0, which is no cap.

    Raises:
        ValueError: it is no frequency.
    """
    return () if text == "0" else (CAP.sample(hertz(text)),)


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the clock and its cap."""
    rate, capped = _rate(root), root.exists(CAP_PATH)
    if rate is None and not capped:
        msg = "no memory controller of a Tegra chip: neither a rate nor a cap to be seen"
        raise NoData(msg)
    if rate:
        yield FileSensor(FREQUENCY.series(), rate, hertz)
    if capped:
        yield FilesSensor(CAP_PATH, (CAP_PATH,), parse_cap)


def _rate(root: Root) -> str | None:
    """
    Return the path of the rate, which may be denied; None where there is none.

    Below a folder that one may not enter, nothing is known to be there or not: it is denied to
    who runs on a Tegra, and absent to all others.
    """
    for path in RATES:
        try:
            root.read(path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError:
            if not root.exists(path) and not _is_tegra(root):
                continue
        except OSError:
            pass  # its own read will tell
        return path
    return None


def _is_tegra(root: Root) -> bool:
    return any(SOC in name for name in compatible(Facts(root)))


COLLECTOR = Collector(
    "emc",
    (FREQUENCY, CAP),
    discover,
    source=f"/{RATES[0]}, /{CAP_PATH}",
    advice=(
        "the rate needs root or CAP_DAC_READ_SEARCH, CONFIG_DEBUG_FS, and debugfs (mount -t "
        "debugfs none /sys/kernel/debug; a container gets it as a volume); only Jetson boards "
        "have it"
    ),
)
