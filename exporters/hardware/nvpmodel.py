"""
The power mode of a Jetson, from ``/var/lib/nvpmodel/status`` and ``/etc/nvpmodel.conf``.

A mode's number says nothing by itself: what is 0 on one board is the slowest, on another the
fastest (docs.nvidia.com/jetson: "Supported Modes and Power Efficiency"). Neither file needs root.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from exporters.core import (
    Collector,
    Failure,
    FilesSensor,
    Kind,
    Metric,
    NoData,
    Root,
    Sample,
    Sensor,
    Unit,
)

STATUS = "var/lib/nvpmodel/status"
CONFIGURATION = "etc/nvpmodel.conf"

MODE = Metric(
    "nvpmodel_mode",
    Kind.INFO,
    Unit.NONE,
    "Power mode of the board; numbers are in no order, names say what they mean.",
    ("id", "name"),
)

_STATUS = re.compile(r"\bpmode:\s*(\d{1,6})\b", re.ASCII)
_ENTRY = re.compile(r"<([^<>]*)>")
_NUMBER = re.compile(r"\d{1,6}", re.ASCII)


def parse_status(text: str) -> int:
    """
    Return the number of the mode from a text such as ``pmode:0002``.

    Raises:
        ValueError: it names no mode.
    """
    found = _STATUS.search(text)
    if found is None:
        msg = f"no pmode in {text[:40]!r}"
        raise ValueError(msg)
    return int(found[1])


def parse_modes(text: str) -> dict[int, str]:
    """
    Return the names of the modes by their numbers, from ``< POWER_MODEL ID=2 NAME=15W >`` lines.

    Raises:
        ValueError: there is no such line.
    """
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    modes: dict[int, str] = {}
    for entry in _ENTRY.findall(lines):
        kind, *rest = entry.split() or [""]
        values = dict(word.split("=", 1) for word in rest if "=" in word)
        number = values.get("ID", "")
        if kind == "POWER_MODEL" and _NUMBER.fullmatch(number):
            modes[int(number)] = values.get("NAME", "")
    if not modes:
        msg = "no POWER_MODEL with an ID"
        raise ValueError(msg)
    return modes


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the mode and the names of all modes; a mode without a name is told by its number."""
    if not root.exists(STATUS):
        msg = f"no power mode: there is no /{STATUS}"
        raise NoData(msg)
    modes: dict[int, str] = {}
    try:
        modes = parse_modes(root.read(CONFIGURATION))
    except (OSError, ValueError) as error:
        yield Failure(CONFIGURATION, error)
    yield FilesSensor(STATUS, (STATUS,), partial(_mode, modes))


def _mode(modes: Mapping[int, str], text: str) -> Sequence[Sample]:
    number = parse_status(text)
    return (MODE.sample(1, id=str(number), name=modes.get(number, "")),)


COLLECTOR = Collector(
    "nvpmodel",
    (MODE,),
    discover,
    source=f"/{STATUS}, /{CONFIGURATION}",
    advice=(
        "Jetson boards have it, written by nvpmodel.service; in a container mount "
        "/var/lib/nvpmodel and /etc/nvpmodel.conf, read-only"
    ),
)
