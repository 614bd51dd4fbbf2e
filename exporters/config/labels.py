"""
The node labels file: where a node stands, which only its operator knows.

::

    # written by the installer
    region=eu-central
    rack=r12
    zone="hall 3"
"""

from exporters.config.file import read_text

KEYS = ("region", "rack", "zone")


def read_labels(path: str) -> dict[str, str]:
    """
    Return what the file says, by its keys.

    Raises:
        ValueError: it cannot be read or a line is wrong; one line that says which.
    """
    return parse_labels(read_text(path))


def parse_labels(text: str) -> dict[str, str]:
    """
    Parse ``NAME=VALUE`` lines; blank ones and those that begin with ``#`` say nothing.

    A value may stand in double quotes, as in systemd's EnvironmentFile.

    Raises:
        ValueError: a line is something else, or names what is no label or already named.
    """
    found: dict[str, str] = {}
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        try:
            name, value = _parse_line(line)
        except ValueError as error:
            msg = f"line {number}: {error}"
            raise ValueError(msg) from None
        if name in found:
            msg = f"line {number}: {name} is set twice"
            raise ValueError(msg)
        found[name] = value
    return found


def _parse_line(line: str) -> tuple[str, str]:
    name, equals, value = (part.strip() for part in line.partition("="))
    if not equals or name not in KEYS:
        msg = f"wants NAME=VALUE with one of {', '.join(KEYS)}, got {line[:60]!r}"
        raise ValueError(msg)
    quotes = value.count('"')
    if not quotes:
        return name, value
    if quotes == 2 and value[0] == value[-1] == '"':  # noqa: PLR2004  # one at each end
        return name, value[1:-1]
    msg = f"wants a value in a pair of quotes or without any, got {value[:60]!r}"
    raise ValueError(msg)
