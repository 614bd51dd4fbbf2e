"""
The power mode of a Jetson, from the files of its nvpmodel service; no root and no program needed.

``/var/lib/nvpmodel/status`` has the number, ``/etc/nvpmodel.conf`` the names. Numbers are not in
the order of power, and mean another mode on another module: compare names.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

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

MODE = Metric(
    "nvpmodel_mode",
    Kind.INFO,
    Unit.NONE,
    "Power mode of a Jetson; the name is empty where the configuration has none for the number.",
    ("id", "name"),
)

STATUS = "var/lib/nvpmodel/status"
CONFIGURATION = "etc/nvpmodel.conf"

_STATUS = re.compile(r"(?:^|\s)pmode:\s*([0-9]{1,4})(?![0-9])")
_MODEL = re.compile(r"^\s*<\s*POWER_MODEL\b([^<>]*)>", re.MULTILINE)
_ID = re.compile(r"\bID\s*=\s*([0-9]{1,4})(?![0-9])")
_NAME = re.compile(r"\bNAME\s*=\s*(\S{1,60})")


def parse_status(text: str) -> int:
    """
    Return the number of the mode, from ``pmode:0002``; what follows, such as a fan mode, is left.

    Raises:
        ValueError: there is no number of a mode.
    """
    match = _STATUS.search(text)
    if match is None:
        msg = f"no pmode: {text[:40]!r}"
        raise ValueError(msg)
    return int(match[1])


def parse_names(text: str) -> Mapping[int, str]:
    """
    Return the names of the modes by number, from lines ``< POWER_MODEL ID=2 NAME=MAXN >``.

    Raises:
        ValueError: there is no such line.
    """
    found = {}
    for model in _MODEL.findall(text):
        number, name = _ID.search(model), _NAME.search(model)
        if number and name:
            found[int(number[1])] = name[1]
    if not found:
        msg = "no POWER_MODEL with ID and NAME"
        raise ValueError(msg)
    return found


def discover(root: Root) -> Iterator[Sensor | Failure]:
    """Find the mode, and read what the modes are called."""
    if not root.exists(STATUS):
        msg = f"no /{STATUS}: not a Jetson, or its nvpmodel service has not run"
        raise NoData(msg)
    names: Mapping[int, str] = {}
    try:
        names = parse_names(root.read(CONFIGURATION))
    except (OSError, ValueError) as error:
        yield Failure(CONFIGURATION, error)

    def parse(text: str) -> Sequence[Sample]:
        number = parse_status(text)
        return (MODE.sample(1, id=str(number), name=names.get(number, "")),)

    yield FilesSensor(STATUS, (STATUS,), parse)


COLLECTOR = Collector(
    "nvpmodel",
    (MODE,),
    discover,
    source=f"/{STATUS}, /{CONFIGURATION}",
    advice="NVIDIA Jetson has it. In a container, mount /var/lib/nvpmodel and /etc/nvpmodel.conf.",
)
