"""The few types every collector is made of."""

from exporters.core.collector import Collector, Failure, FileSensor, FilesSensor, NoData, Sensor
from exporters.core.metric import Kind, Metric, Sample, Series, Unit
from exporters.core.root import Root

__all__ = [
    "Collector",
    "Failure",
    "FileSensor",
    "FilesSensor",
    "Kind",
    "Metric",
    "NoData",
    "Root",
    "Sample",
    "Sensor",
    "Series",
    "Unit",
]
