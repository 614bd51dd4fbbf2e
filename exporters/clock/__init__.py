"""How well this node keeps time: the kernel's clock, ptp4l, hardware clocks and chronyd."""

from exporters.clock import chrony, phc, ptp4l, servo_log, timex
from exporters.clock.options import ClockOptions
from exporters.core.collector import Collector

__all__ = ["ClockOptions", "collectors"]


def collectors(options: ClockOptions) -> tuple[Collector, ...]:
    """Return the collectors of time."""
    return (
        timex.COLLECTOR,
        ptp4l.collector(options),
        servo_log.collector(options),
        phc.COLLECTOR,
        chrony.collector(options),
    )
