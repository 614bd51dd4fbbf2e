"""Real uevents, where this machine lets us cause some."""

import gc
import os
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from exporters.hotplug.events import Event, Events
from exporters.hotplug.netlink import NetlinkEvents

# Devices that every kernel has and that nothing minds: udevd merely sets their modes anew.
NULL = Path("/sys/devices/virtual/mem/null")
CPU = Path("/sys/devices/system/cpu/cpu0")


def cause(device: Path, action: str = "add") -> None:
    """Have the kernel send an event; skip the test where it refuses."""
    try:
        (device / "uevent").write_text(action)
    except OSError as error:
        pytest.skip(f"cannot cause uevents here: {error}")


def need_uevents() -> None:
    """Skip the test where no uevents can be caused, or none arrive."""
    events = NetlinkEvents()
    try:
        cause(NULL)
        if not collect(events, [NULL], 1.0):
            pytest.skip("uevents do not arrive in this network namespace")
    finally:
        events.close()


def collect(events: Events, devices: Iterable[Path], seconds: float = 5.0) -> list[Event]:
    """Return the events on these devices, from when the first came until there were none."""
    wanted = {str(device).removeprefix("/sys") for device in devices}
    found: list[Event] = []
    deadline = time.monotonic() + seconds
    while not found and time.monotonic() < deadline:
        found += [event for event in events.receive() if event.devpath in wanted]
        time.sleep(0.01)
    return found


def descriptors() -> int:
    """Return how many descriptors this process has open, but for those of forgotten objects."""
    gc.collect()
    return len(os.listdir("/proc/self/fd"))
