"""Hears from the kernel that a device came or went, so that new sensors show at once."""

from exporters.hotplug.choose import CHOICES, open_events
from exporters.hotplug.watcher import METRICS, Watcher

__all__ = ["CHOICES", "METRICS", "Watcher", "open_events"]
