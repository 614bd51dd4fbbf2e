"""
Runs in the lab's machine: plugs and unplugs chips while tailsight runs, and tells what it served.

Each line on standard output is a JSON object. The chips are lm75 temperature sensors on the
kernel's own stub of an SMBus (i2c-stub), so that the kernel does with them all that it does with
real ones. Usage: python -m tests.lab.guest_hotplug PYTHON WAY...
"""

import ctypes
import fcntl
import os
import sys
import time
from pathlib import Path

from tests.lab.guest import agent, scrape, tell

BUS = Path("/sys/bus/i2c/devices")
# include/uapi/linux/i2c-dev.h and i2c.h
I2C_SLAVE_FORCE, I2C_SMBUS = 0x0706, 0x0720
I2C_SMBUS_WRITE, I2C_SMBUS_WORD_DATA = 0, 3

LM75 = 'chip="lm75"'
CELSIUS = {0x48: 41, 0x49: 52}
"""What the chips measure, by their addresses on the bus."""
DEAF_SECONDS = 8.0
"""How long to wait for a chip that nobody hears of."""


class SmbusData(ctypes.Structure):
    """The kernel's ``struct i2c_smbus_ioctl_data``."""

    _fields_ = (
        ("read_write", ctypes.c_uint8),
        ("command", ctypes.c_uint8),
        ("size", ctypes.c_uint32),
        ("data", ctypes.c_void_p),
    )


def stub_bus() -> Path:
    """Return the stub's adapter."""
    names = ((path, path / "name") for path in BUS.glob("i2c-*"))
    return next(path for path, name in names if name.read_text().startswith("SMBus stub"))


def set_temperature(bus: Path, address: int, celsius: int) -> None:
    """Set what an lm75 measures: register 0, degrees in the first byte (its data sheet)."""
    word = ctypes.create_string_buffer(bytes([celsius, 0]), 34)
    data = SmbusData(I2C_SMBUS_WRITE, 0, I2C_SMBUS_WORD_DATA, ctypes.addressof(word))
    device = os.open(f"/dev/{bus.name}", os.O_RDWR)
    fcntl.ioctl(device, I2C_SLAVE_FORCE, address)
    fcntl.ioctl(device, I2C_SMBUS, data)
    os.close(device)


def plug(bus: Path, address: int) -> None:
    """Have a chip appear."""
    (bus / "new_device").write_text(f"lm75 {address:#x}")


def unplug(bus: Path, address: int) -> None:
    """Have a chip vanish."""
    (bus / "delete_device").write_text(f"{address:#x}")


def numbers() -> dict[str, str]:
    """Return the hwmon number that each chip has now, by its device."""
    return {
        (path / "device").resolve().name: path.name for path in Path("/sys/class/hwmon").iterdir()
    }


def watched() -> dict[str, float]:
    """Return the series of lm75 chips and of the watcher."""
    return {
        series: value
        for series, value in scrape().items()
        if LM75 in series or "_hotplug_" in series
    }


def chips(served: dict[str, float]) -> set[str]:
    """Return the devices of the lm75 chips in a scrape."""
    return {
        series.partition('device="')[2].partition('"')[0] for series in served if LM75 in series
    }


def tell_when(way: str, step: str, wanted: int, limit_seconds: float = 30.0) -> None:
    """Scrape until so many chips are served, or the time is up, and tell what is served then."""
    started = time.monotonic()
    while True:
        served = watched()
        took = time.monotonic() - started
        if len(chips(served)) == wanted or took > limit_seconds:
            break
        time.sleep(0.05)
    tell(way=way, step=step, seconds=took, served=served, numbers=numbers())


def come_and_go(bus: Path, way: str) -> None:
    """Plug and unplug two chips, the second time in the other order."""
    first, second = CELSIUS
    tell_when(way, "none", 0)
    plug(bus, first)
    tell_when(way, "first", 1)
    plug(bus, second)
    tell_when(way, "both", 2)
    unplug(bus, first)
    tell_when(way, "second", 1)
    unplug(bus, second)
    tell_when(way, "none again", 0)
    plug(bus, second)
    plug(bus, first)
    tell_when(way, "both, renumbered", 2)
    unplug(bus, first)
    unplug(bus, second)
    tell_when(way, "none at last", 0)


def main(python: str, *ways: str) -> None:
    """Try each way to hear of devices, and none at all to see what difference it makes."""
    bus = stub_bus()
    for address, celsius in CELSIUS.items():
        set_temperature(bus, address, celsius)
    for way in ways:
        with agent(python, "--hotplug", way):
            come_and_go(bus, way)
    first, second = CELSIUS
    plug(bus, first)  # where there is nothing at all, each scrape looks anew
    with agent(python, "--hotplug", "off"):
        tell_when("off", "first", 1)
        plug(bus, second)
        tell_when("off", "both", 2, DEAF_SECONDS)
    unplug(bus, first)
    unplug(bus, second)


if __name__ == "__main__":
    main(*sys.argv[1:])
