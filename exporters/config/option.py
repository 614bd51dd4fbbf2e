"""What a setting is: its name, how its text becomes a value, its default."""

import re
from collections.abc import Callable
from dataclasses import Field, dataclass, field, fields
from typing import Any

# Longer than anybody means, shorter than what clocks and locks can count.
LONGEST_SECONDS = 1000 * 3600.0
MOST = 10**9
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)?", re.ASCII)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, None: 1.0}
_SIZE = re.compile(r"(\d+)(B|KiB|MiB|GiB)?", re.ASCII)
_BYTES = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, None: 1}


@dataclass(frozen=True, slots=True)
class Option:
    """
    A setting as users see it.

    Its flag is ``--<name>``, its environment variable TAILSIGHT_<NAME> with ``_`` for dots and
    hyphens, and its place in the configuration file the name's parts, nested.
    """

    name: str
    parse: Callable[[str], Any]
    """Turns text into the value; raises ValueError, whose text says what it wants."""
    help: str
    metavar: str
    commands: tuple[str, ...]
    """The commands that take it; all where empty."""

    @property
    def variable(self) -> str:
        """The environment variable's name."""
        return "TAILSIGHT_" + re.sub(r"[.-]", "_", self.name).upper()

    def is_for(self, command: str) -> bool:
        """Whether a command takes it."""
        return not self.commands or command in self.commands


def text(value: str) -> str:
    """Take any text; an empty one is a slip, such as a shell variable that is not set."""
    if not value:
        msg = "wants a text, not nothing"
        raise ValueError(msg)
    return value


def option(  # noqa: PLR0913, PLR0917  # one for each column of the table of settings
    name: str,
    default: Any,
    help_: str,
    parse: Callable[[str], Any] = text,
    metavar: str = "TEXT",
    commands: tuple[str, ...] = (),
) -> Any:
    """Return a dataclass field that carries an Option."""
    metadata = {"": Option(name, parse, help_, metavar, commands)}
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


def options_of(settings: type) -> dict[str, tuple[Option, Field[Any]]]:
    """Return the options of a settings class by their names, with their fields."""
    found = ((one.metadata.get(""), one) for one in fields(settings))
    return {option.name: (option, one) for option, one in found if option}


def seconds(text: str) -> float:
    """Parse a length of time: ``5``, ``5s``, ``500ms``, ``1m``."""
    match = _DURATION.fullmatch(text)
    found = float(match[1]) * _SECONDS[match[2]] if match else 0
    if not 0 < found <= LONGEST_SECONDS:
        msg = "wants a length of time above 0, such as 5s or 500ms, and at most 1000h"
        raise ValueError(msg)
    return found


def size(text: str) -> int:
    """Parse a number of bytes: ``4MiB``, ``4096``."""
    match = _SIZE.fullmatch(text)
    if not match:
        msg = "wants a size above 0, such as 4MiB"
        raise ValueError(msg)
    return count(match[1]) * _BYTES[match[2]]


def count(text: str) -> int:
    """Parse a whole number above 0."""
    return up_to(MOST)(text)


def up_to(most: int) -> Callable[[str], int]:
    """Return a parser of whole numbers from 1 to some."""
    return between(1, most)


def between(least: int, most: int) -> Callable[[str], int]:
    """Return a parser of whole numbers from one to another, neither below 0."""

    def parse(text: str) -> int:
        digits = len(str(most))
        found = int(text) if re.fullmatch(rf"0*[0-9]{{1,{digits}}}", text) else -1
        if not least <= found <= most:
            msg = f"wants a whole number from {least} to {most}"
            raise ValueError(msg)
        return found

    return parse


def boolean(text: str) -> bool:
    """Parse yes or no."""
    words = {"true": True, "yes": True, "on": True, "1": True}
    words |= {"false": False, "no": False, "off": False, "0": False}
    if text.lower() not in words:
        msg = "wants true or false"
        raise ValueError(msg)
    return words[text.lower()]


def choice(*words: str) -> Callable[[str], str]:
    """Return a parser that takes one of these words."""

    def parse(text: str) -> str:
        if text not in words:
            msg = f"wants one of {', '.join(words)}"
            raise ValueError(msg)
        return text

    return parse


def pairs(text: str) -> dict[str, str]:
    """Parse ``name=value,name=value``, as OTEL_EXPORTER_OTLP_HEADERS has it."""
    found = {}
    for item in filter(None, text.split(",")):
        name, equals, value = item.partition("=")
        if not equals or not name.strip():
            msg = "wants name=value,name=value"
            raise ValueError(msg)
        found[name.strip()] = value.strip()
    return found


def address(text: str) -> str:
    """Check HOST:PORT, [IPv6]:PORT or :PORT."""
    match = re.fullmatch(r"(\[[0-9A-Fa-f:.%\w]+\]|[^\s:/\[\]]*):(\d{1,5})", text, re.ASCII)
    if not match or int(match[2]) > 65535:  # noqa: PLR2004  # the highest port there is
        msg = "wants HOST:PORT, such as 127.0.0.1:9749 or [::1]:9749"
        raise ValueError(msg)
    return text


def address_or_path(text: str) -> str:
    """Check HOST:PORT, or the path of a socket."""
    return text if text.startswith("/") else address(text)


def regex(text: str) -> re.Pattern[str]:
    """Compile a regular expression; one that matches all would be a slip."""
    try:
        found = re.compile(text)
    except re.error as error:
        msg = f"wants a regular expression: {error}"
        raise ValueError(msg) from None
    if found.search(""):
        msg = "wants a regular expression that does not match everything"
        raise ValueError(msg)
    return found


def words(text: str) -> tuple[str, ...]:
    """Parse one or several texts with commas between them."""
    found = tuple(filter(None, (word.strip() for word in text.split(","))))
    if not found:
        msg = "wants one text, or several with commas between them"
        raise ValueError(msg)
    return found


def url(text: str) -> str:
    """Check a URL of HTTP or HTTPS with a host, and with neither user nor query."""
    if not re.fullmatch(r"https?://(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:\d{1,5})?/?", text, re.ASCII):
        msg = "wants a URL such as https://127.0.0.1:10250"
        raise ValueError(msg)
    return text
