"""The link between GPU and host; its throughput is in ``pulses``, since measuring it takes time."""

from exporters.core import Kind, Metric, Unit
from exporters.hardware.nvml.reading import Part, number, row

GENERATION = Metric(
    "gpu_pcie_link_generation",
    Kind.GAUGE,
    Unit.NONE,
    "PCIe generation at which the link runs; an idle GPU lowers it.",
    ("gpu",),
)
GENERATION_MAX = Metric(
    "gpu_pcie_link_generation_max",
    Kind.GAUGE,
    Unit.NONE,
    "The highest PCIe generation that GPU and host both have.",
    ("gpu",),
)
WIDTH = Metric(
    "gpu_pcie_link_width", Kind.GAUGE, Unit.NONE, "PCIe lanes that the link uses.", ("gpu",)
)
WIDTH_MAX = Metric(
    "gpu_pcie_link_width_max",
    Kind.GAUGE,
    Unit.NONE,
    "PCIe lanes that GPU and host both have.",
    ("gpu",),
)
REPLAYS = Metric(
    "gpu_pcie_replays",
    Kind.COUNTER,
    Unit.NONE,
    "Packets that were sent again over PCIe; a rise points to a bad slot, riser or cable.",
    ("gpu",),
)

METRICS = (GENERATION, GENERATION_MAX, WIDTH, WIDTH_MAX, REPLAYS)

_generation = number(lowest=1, highest=15)
_lanes = number(lowest=1, highest=32)

ROWS = (
    row("nvmlDeviceGetCurrPcieLinkGeneration", parts=(Part(GENERATION, _generation),)),
    row("nvmlDeviceGetMaxPcieLinkGeneration", parts=(Part(GENERATION_MAX, _generation),)),
    row("nvmlDeviceGetCurrPcieLinkWidth", parts=(Part(WIDTH, _lanes),)),
    row("nvmlDeviceGetMaxPcieLinkWidth", parts=(Part(WIDTH_MAX, _lanes),)),
    row("nvmlDeviceGetPcieReplayCounter", parts=(Part(REPLAYS, number(highest=2**32 - 2)),)),
)
