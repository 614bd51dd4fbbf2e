"""
Rails of INA3221 chips, and of the INA238 at the input of a Jetson Thor, as hwmon shows them.

``in<N>_label``, ``in<N>_input`` in millivolts and ``curr<N>_input`` in milliamperes make a rail.
INA3221 has more: shunt voltages without a label or without a current, and their sum.
https://docs.kernel.org/hwmon/ina3221.html https://docs.kernel.org/hwmon/ina238.html
"""

import re
from collections.abc import Iterator

from exporters.core import Failure, NoData, Root
from exporters.hardware.chips import Chip, find_chips
from exporters.hardware.facts import tidy
from exporters.hardware.numbers import integer
from exporters.hardware.rails import (
    NOT_CONNECTED,
    USUAL_SHUNTS_MICROOHMS,
    Found,
    Guard,
    Rail,
    SwitchedOff,
)

CHIPS = frozenset({"ina3221", "ina238"})
LIMITS = {"average": "max", "instantaneous": "crit"}
"""The warning limit holds for the average, the critical one for each conversion (ina3221.rst)."""

SUM = "4"
"""The channel of all currents of an INA3221 together; it has no voltage."""

_CHANNEL = re.compile(r"in(\d+)_input")
# An I2C device at an address that these chips have: 40h to 4Fh.
_MAY_BE_ONE = re.compile(r"/\d+-004[0-9a-f](/|$)")


def find_rails(root: Root) -> Iterator[Found]:
    """Yield the rails, and a failure for each that may be one and could not be looked into."""
    try:
        for chip in find_chips(root):
            if isinstance(chip, Failure):
                if _MAY_BE_ONE.search(root.resolve(chip.where)):
                    yield chip
            elif chip.name in CHIPS:
                yield from _rails(root, chip)
    except NoData:
        return


def _rails(root: Root, chip: Chip) -> Iterator[Found]:
    for match in chip.matches(_CHANNEL):
        channel = match[1]
        if f"curr{channel}_input" not in chip.files:
            continue
        label = _label(root, chip, channel)
        if label is None:
            continue
        try:
            name = tidy(root.read(label))
        except OSError as error:
            yield Failure(label, error)
            continue
        if name.upper() in NOT_CONNECTED:
            continue
        if not chip.enabled(root, f"in{channel}"):
            yield SwitchedOff(name)
            continue
        yield Rail(
            _guard(root, chip, channel, name),
            chip.path(f"in{channel}_input"),
            chip.path(f"curr{channel}_input"),
        )
    # The sum of the currents has a limit and an alarm of its own.
    together = _guard(root, chip, SUM, "sum")
    if together.limits or together.alarms:
        yield together


def _label(root: Root, chip: Chip, channel: str) -> str | None:
    """Return the file with a channel's name; the chip's own where it has one channel only."""
    if f"in{channel}_label" in chip.files:
        return chip.path(f"in{channel}_label")
    alone = channel == "1" and "curr2_input" not in chip.files
    own = chip.path("label")
    return own if alone and root.exists(own) else None


def _guard(root: Root, chip: Chip, channel: str, name: str) -> Guard:
    def there(suffix: str) -> tuple[tuple[str, str], ...]:
        files = ((kind, f"curr{channel}_{word}{suffix}") for kind, word in LIMITS.items())
        return tuple((kind, chip.path(file)) for kind, file in files if file in chip.files)

    return Guard(
        name,
        chip.device,
        limits=there(""),
        alarms=there("_alarm"),
        shunts_microohms=_shunts(root, chip, channel),
    )


def _shunts(root: Root, chip: Chip, channel: str) -> tuple[int, ...]:
    try:
        shunt = integer(root.read(chip.path(f"shunt{channel}_resistor")))
    except (OSError, ValueError):
        return USUAL_SHUNTS_MICROOHMS
    return (shunt,) if shunt > 0 else USUAL_SHUNTS_MICROOHMS
