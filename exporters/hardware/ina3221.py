"""
The INA3221 power monitors of Jetson boards: where each channel's files are, under either driver.

Linux and JetPack 5 and later: an hwmon chip, https://docs.kernel.org/hwmon/ina3221.html.
JetPack 4: an iio device of NVIDIA's driver ina3221x, whose files are root's alone (mode 0600).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from exporters.core import Failure, NoData, Root
from exporters.hardware.chips import Chip, find_chips
from exporters.hardware.known import limit
from exporters.hardware.numbers import integer

CHIP = "ina3221"
IIO = (
    "sys/bus/i2c/drivers/ina3221x/*/iio:device*",
    "sys/bus/i2c/devices/*/iio:device*",
    "sys/bus/iio/devices/iio:device*",
)
NOT_CONNECTED = "NC"
CHANNELS = ("1", "2", "3")
SUM = "4"
"""The current of all channels together: a register of its own, with a limit and an alarm."""

# The warning limit is held against the averaged current, the critical one against each reading.
HWMON_LIMITS = {"max": "average", "crit": "instantaneous"}
IIO_LIMITS = {"warn": "average", "crit": "instantaneous"}

# A limit of full scale is the register's value at power-on, and can never be exceeded: 163.8 mV
# over the shunt (data sheet SBOS576, table of registers), 32760 mA with the 5 mOhm of a Jetson.
FULL_SCALE_NANOVOLTS = 163_800_000
JETSON_SHUNT_MICROOHMS = 5000

_milliamperes = limit(1000, 0, 1e6)


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of a channel's current."""

    which: str
    """``average`` or ``instantaneous``."""
    path: str
    parse: Callable[[str], float | None]


@dataclass(frozen=True, slots=True)
class Alarm:
    """Whether a limit was exceeded."""

    which: str
    path: str


@dataclass(frozen=True, slots=True)
class Channel:
    """What one shunt measures."""

    rail: str
    """The board's name for what it feeds; ``sum`` for all of the chip's channels together."""
    device: str
    """The chip's device, as a path below ``/sys/devices``."""
    readings: tuple[str, ...]
    """The files of volts, amperes and, where there is one, watts; none for the sum."""
    limits: tuple[Limit, ...]
    alarms: tuple[Alarm, ...]


@dataclass(frozen=True, slots=True)
class SwitchedOff:
    """A channel that measures nothing now: its rail is missing from any sum."""

    rail: str


Found = Channel | SwitchedOff | Failure


def parse_limit(microohms: int) -> Callable[[str], float | None]:
    """
    Return a parser of current limits, in milliamperes, for a shunt: amperes, None for no limit.

    The parser raises ValueError for what is no number.
    """

    def parse(text: str) -> float | None:
        # "32760 ma" under the driver of JetPack 4
        milliamperes = text.removesuffix("ma").rstrip()
        # the driver rounds to a whole milliampere
        if (integer(milliamperes) + 1) * microohms >= FULL_SCALE_NANOVOLTS:
            return None
        return _milliamperes(milliamperes)

    return parse


def is_iio(path: str) -> bool:
    """Whether a path is that of a monitor under NVIDIA's driver, be it readable or not."""
    return "/iio:device" in path


def find_channels(root: Root) -> Iterator[Found]:
    """Yield the channels that are connected to something, under both drivers."""
    try:
        for chip in find_chips(root):
            if isinstance(chip, Failure):
                yield chip
            elif chip.name == CHIP:
                yield from _hwmon_channels(root, chip)
    except NoData:
        pass  # it may be an iio device
    yield from _iio_channels(root)


def _hwmon_channels(root: Root, chip: Chip) -> Iterator[Found]:
    for number in CHANNELS:
        label, volts, amperes = f"in{number}_label", f"in{number}_input", f"curr{number}_input"
        if not {label, volts, amperes} <= set(chip.files):
            continue
        try:
            rail = root.read(chip.path(label))
        except OSError as error:
            yield Failure(chip.path(label), error)
            continue
        if rail == NOT_CONNECTED:
            continue
        if not chip.enabled(root, f"in{number}"):
            yield SwitchedOff(rail)
            continue
        yield _hwmon_channel(root, chip, number, rail, (chip.path(volts), chip.path(amperes)))
    yield _hwmon_channel(root, chip, SUM, "sum", ())


def _hwmon_channel(
    root: Root, chip: Chip, number: str, rail: str, readings: tuple[str, ...]
) -> Channel:
    parse = parse_limit(_shunt(root, chip, number))
    limits = tuple(
        Limit(which, chip.path(file), parse)
        for kind, which in HWMON_LIMITS.items()
        if (file := f"curr{number}_{kind}") in chip.files
    )
    alarms = tuple(
        Alarm(which, chip.path(file))
        for kind, which in HWMON_LIMITS.items()
        if (file := f"curr{number}_{kind}_alarm") in chip.files
    )
    return Channel(rail, chip.device, readings, limits, alarms)


def _shunt(root: Root, chip: Chip, number: str) -> int:
    """Return the resistance of a channel's shunt, or what Jetson boards have."""
    try:
        return integer(root.read(chip.path(f"shunt{number}_resistor")))
    except (OSError, ValueError):
        return JETSON_SHUNT_MICROOHMS


def _iio_channels(root: Root) -> Iterator[Found]:
    folders = {root.resolve(folder): None for pattern in IIO for folder in root.glob(pattern)}
    for folder in folders:
        try:
            files = set(root.names(folder))
        except OSError as error:
            yield Failure(folder, error)
            continue
        for file in sorted(files):
            if file.startswith("rail_name_"):
                yield from _iio_channel(root, folder, files, file)


def _iio_channel(root: Root, folder: str, files: set[str], label: str) -> Iterator[Found]:
    number = label.removeprefix("rail_name_")
    try:
        rail = root.read(f"{folder}/{label}")
    except OSError as error:
        yield Failure(f"{folder}/{label}", error)
        return
    names = [f"in_{quantity}{number}_input" for quantity in ("voltage", "current", "power")]
    if rail == NOT_CONNECTED or not files.issuperset(names[:2]):
        return
    limits = tuple(
        Limit(which, f"{folder}/{file}", parse_limit(JETSON_SHUNT_MICROOHMS))
        for kind, which in IIO_LIMITS.items()
        if (file := f"{kind}_current_limit_{number}") in files
    )
    readings = tuple(f"{folder}/{name}" for name in names if name in files)
    device = folder.removeprefix("sys/devices/").rpartition("/")[0]
    yield Channel(rail, device, readings, limits, ())
