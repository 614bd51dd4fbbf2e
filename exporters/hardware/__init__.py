"""What the hardware itself says: one module for each kind of source. The tuple is the registry."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from exporters.core.collector import Collector
from exporters.hardware import (
    cooling,
    cpu_online,
    cpu_throttle,
    cpufreq,
    devfreq,
    emc,
    fan,
    hwmon,
    i915,
    intel_pstate,
    network,
    node,
    nvml,
    nvpmodel,
    overcurrent,
    power_rails,
    rapl,
    thermal,
    xe,
)


@dataclass(frozen=True, slots=True)
class Parts:
    """The collectors, and what ends the threads behind them."""

    collectors: tuple[Collector, ...]
    close: Callable[[], None]


def parts(environment: Mapping[str, str], nvml_options: nvml.NvmlOptions) -> Parts:
    """Return all hardware collectors, those that remember something made anew."""
    nvidia = nvml.parts(nvml_options)
    collectors = (
        node.collector(environment),
        thermal.COLLECTOR,
        cooling.COLLECTOR,
        hwmon.COLLECTOR,
        power_rails.COLLECTOR,
        devfreq.COLLECTOR,
        emc.COLLECTOR,
        nvpmodel.COLLECTOR,
        fan.COLLECTOR,
        overcurrent.collector(),
        cpufreq.COLLECTOR,
        cpu_online.COLLECTOR,
        cpu_throttle.collector(),
        intel_pstate.COLLECTOR,
        rapl.collector(),
        i915.collector(),
        xe.collector(),
        network.COLLECTOR,
        *nvidia.collectors,
    )
    return Parts(collectors, nvidia.close)
