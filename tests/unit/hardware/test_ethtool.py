"""The kernel's ethtool interface."""

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.hardware.ethtool import DriverInfo, ask, parse_driver_info

SIZE = 196
"""sizeof(struct ethtool_drvinfo): 4 + 5 * 32 + 12 + 5 * 4."""
INTERFACES = Path("/sys/class/net")


def reply(driver: bytes, version: bytes, firmware: bytes) -> bytes:
    """Lay out a reply by linux/ethtool.h: three texts of 32 bytes behind the command."""
    content = bytearray(SIZE)
    struct.pack_into("=I", content, 0, 3)
    for offset, text in ((4, driver), (36, version), (68, firmware)):
        content[offset : offset + len(text)] = text
    content[100:112] = b"0000:02:00.0"  # bus_info
    return bytes(content)


def test_a_reply() -> None:
    """Texts end at their NUL; one that fills its room has none."""
    assert DriverInfo("igc", "6.8.0", "2017:888d") == parse_driver_info(
        reply(b"igc", b"6.8.0\0rest", b"2017:888d \n")
    )
    assert DriverInfo("igc", "x" * 32, "") == parse_driver_info(reply(b"igc", b"x" * 32, b""))


def test_another_size() -> None:
    """A short reply is none."""
    with pytest.raises(ValueError, match=r"^195 bytes are no ethtool_drvinfo"):
        parse_driver_info(bytes(SIZE - 1))


@given(st.binary(min_size=SIZE - 1, max_size=SIZE + 1))
def test_any_reply_gives_texts_or_valueerror(content: bytes) -> None:
    """Also bytes that are no UTF-8."""
    try:
        assert all("\0" not in text for text in parse_driver_info(content))
    except ValueError:
        assert SIZE != len(content)


def test_this_machine() -> None:
    """The kernel names the driver as sysfs does, for each interface that is hardware."""
    links = [
        folder / "device/driver"
        for folder in sorted(INTERFACES.iterdir())
        if (folder / "device/driver").is_symlink()
    ]
    if not links:
        pytest.skip("this machine has no network interface that is hardware")

    for link in links:
        interface = link.parents[1]
        index = int((interface / "ifindex").read_text())
        assert link.resolve().name == ask(interface.name, index).driver


def test_another_interface_of_that_name() -> None:
    """Where the index is not that of sysfs, two network namespaces are mixed up."""
    with pytest.raises(OSError, match="No such device"):
        ask("lo", 4_000_000)


def test_one_that_has_gone() -> None:
    """It is an OSError like that of any file."""
    with pytest.raises(OSError, match=r"No such device|no interface"):
        ask("gone0", 1)
