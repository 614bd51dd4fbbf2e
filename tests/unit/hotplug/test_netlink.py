"""Messages of the kernel, and what is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.hotplug.events import LOST, Event
from exporters.hotplug.netlink import _event, parse_uevent

# As Linux 6.1 sends it for a chip of the lm75 driver (udevadm monitor --kernel --property).
ADD = (
    b"add@/devices/pci0000:00/i2c-0/0-0048/hwmon/hwmon1\0ACTION=add\0"
    b"DEVPATH=/devices/pci0000:00/i2c-0/0-0048/hwmon/hwmon1\0SUBSYSTEM=hwmon\0SEQNUM=1042\0"
)


def test_message() -> None:
    """An added chip is an event with its class and its place below /sys."""
    devpath = "/devices/pci0000:00/i2c-0/0-0048/hwmon/hwmon1"
    assert Event("add", "hwmon", devpath) == parse_uevent(ADD)


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"add@/devices/x",
        b"add@/devices/x\0ACTION=add\0DEVPATH=/devices/x\0",
        b"add@/devices/x\0ACTION=remove\0DEVPATH=/devices/x\0SUBSYSTEM=hwmon\0",
        b"add@/devices/x\0ACTION=add\0DEVPATH=/devices/y\0SUBSYSTEM=hwmon\0",
        # What udevd sends to its own group begins so (libudev, struct monitor_netlink_header).
        b"libudev\0\xfe\xed\xca\xfe(\0\0\0(\0\0\0\x05\1\0\0",
    ],
)
def test_not_a_message(message: bytes) -> None:
    """What lacks a part, contradicts itself or comes from udevd is refused."""
    with pytest.raises(ValueError, match="uevent"):
        parse_uevent(message)


def test_message_that_cannot_be_understood() -> None:
    """Something happened, even if we do not understand what: all is looked for anew."""
    assert Event(LOST, "", "") == _event(b"add@/devices/x")


@given(st.binary())
def test_any_bytes(message: bytes) -> None:
    """Any bytes give an event or ValueError."""
    try:
        event = parse_uevent(message)
    except ValueError:
        return
    assert message.decode(errors="replace").startswith(f"{event.action}@{event.devpath}\0")


text = st.text(st.characters(exclude_characters="\0=@", codec="utf-8"))


@given(text, text, text, st.lists(st.tuples(text, text)))
def test_any_fields(action: str, subsystem: str, devpath: str, more: list[tuple[str, str]]) -> None:
    """Whatever the kernel puts into the fields arrives, other fields do not disturb."""
    strings = [f"X{key}={value}" for key, value in more]
    strings += [f"ACTION={action}", f"DEVPATH={devpath}", f"SUBSYSTEM={subsystem}", "SEQNUM=7"]
    message = "\0".join([f"{action}@{devpath}", *strings, ""]).encode()
    assert Event(action, subsystem, devpath) == parse_uevent(message)
