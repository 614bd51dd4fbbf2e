"""Command lines: from the table of settings, and never more than one line of complaint."""

import argparse
from collections.abc import Mapping, Sequence
from typing import NoReturn

from exporters.config.load import COLLECTOR, ConfigError
from exporters.config.option import Option, boolean, options_of
from exporters.config.settings import Settings

COMMANDS = {
    "serve": "answer /metrics, and push by OTLP where told to",
    "once": "print the metrics of one scrape, and end",
    "check": "say what this node supports, what it does not, and what to do about it",
}
EPILOG = (
    "Each setting can also stand in the environment (--otlp.endpoint is TAILSIGHT_OTLP_ENDPOINT)"
    " or in the file of --config.file (otlp: {endpoint: ...})."
)


class _Parser(argparse.ArgumentParser):
    """Reports a bad command line in one line, as everything else that is wrong."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage and exiting."""
        msg = f"{message}; {self.prog} --help lists all"
        raise ConfigError(msg)


def parse(
    arguments: Sequence[str], version: str, collectors: Mapping[str, bool]
) -> tuple[str, dict[str, str]]:
    """
    Return the command and the settings that its flags give, as text by name.

    Raises:
        ConfigError: the line cannot be understood.
        SystemExit: help or the version was asked for, and printed.
    """
    parser = _Parser(
        prog="tailsight",
        description="Why P99 latency spiked, seen from the edge node itself.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"tailsight {version}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        command = commands.add_parser(
            name, help=text, description=f"{text[0].upper()}{text[1:]}.",
            epilog=EPILOG, allow_abbrev=False,
        )  # fmt: skip
        _add_flags(command, name, collectors)
    given = vars(parser.parse_args(arguments))
    command_name = str(given.pop("command"))
    return command_name, {name: text for name, text in given.items() if text is not None}


def _add_flags(
    parser: argparse.ArgumentParser, command: str, collectors: Mapping[str, bool]
) -> None:
    for option, field in options_of(Settings).values():
        if option.is_for(command):
            default = (
                "" if field.default in {None, False} else f" (default: {_text(field.default)})"
            )
            _add_flag(parser, option, option.help.replace("%", "%%") + default)
    group = parser.add_argument_group("collectors", "each with a --no- form")
    for name, on in collectors.items():
        flag = COLLECTOR + name
        option = Option(flag, boolean, "", "", ())
        _add_flag(group, option, f"the {name} collector (default: {'on' if on else 'off'})")


def _add_flag(parser: argparse._ActionsContainer, option: Option, help_: str) -> None:
    if option.parse is not boolean:
        parser.add_argument(
            f"--{option.name}", dest=option.name, metavar=option.metavar, help=help_
        )
        return
    parser.add_argument(
        f"--{option.name}", dest=option.name, action="store_const", const="true", help=help_
    )
    parser.add_argument(
        f"--no-{option.name}", dest=option.name, action="store_const", const="false",
        help=argparse.SUPPRESS,
    )  # fmt: skip


def _text(value: object) -> str:
    return f"{value:g}s" if isinstance(value, float) else str(value)
