"""Merges flags, environment and file into Settings: flags win over environment over file."""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from exporters.config.file import read_file
from exporters.config.option import Option, boolean, options_of
from exporters.config.settings import Settings

COLLECTOR = "collector."
PREFIX = "TAILSIGHT_"
# Kubernetes sets such variables in every pod beside a Service that is named tailsight.
_SERVICE_LINK = re.compile(r"TAILSIGHT_(\w+_)?(SERVICE_(HOST|PORT\w*)|PORT(_\d+_\w+)?)")


class ConfigError(Exception):
    """A setting is wrong; the text is one line that says what, where and what to do."""


class _Table:
    """All settings by name, those of collectors included."""

    def __init__(self, collectors: Iterable[str]) -> None:
        found = options_of(Settings)
        self.options = {name: one for name, (one, _) in found.items()}
        self.fields = {name: field.name for name, (_, field) in found.items()}
        for name in collectors:
            flag = COLLECTOR + name
            self.options[flag] = Option(flag, boolean, f"The {name} collector.", "", ())

    def parse(self, name: str, text: str, place: str) -> Any:
        """Return a setting's value, or raise ConfigError."""
        option = self.options.get(name)
        if option is None:
            near = difflib.get_close_matches(name, self.options, 1)
            hint = f"; did you mean {near[0]}?" if near else "; tailsight serve --help lists all"
            msg = f"{place}: unknown setting {name}{hint}"
            raise ConfigError(msg)
        try:
            return option.parse(text)
        except ValueError as error:
            msg = f"{place}: {name} {error}, got {text!r}"
            raise ConfigError(msg) from None


def load(
    flags: Mapping[str, str], environment: Mapping[str, str], collectors: Iterable[str]
) -> Settings:
    """
    Return the settings, each from the first place that names it.

    Raises:
        ConfigError: an unknown name, or a value that is not what the setting wants.
    """
    table = _Table(collectors)
    variables = dict(_variables(environment, table))
    path = flags.get("config.file") or variables.get("config.file")
    layers: list[tuple[str, Mapping[str, str]]] = [("environment", variables), ("flags", flags)]
    if path:
        try:
            layers.insert(0, (path, _of_file(path)))
        except ValueError as error:
            msg = f"{path}: {error}"
            raise ConfigError(msg) from None
    values = {
        name: table.parse(name, text, place)
        for place, layer in layers
        for name, text in layer.items()
    }
    switches = {name: value for name, value in values.items() if name not in table.fields}
    return Settings(
        collectors={name.removeprefix(COLLECTOR): on for name, on in switches.items()},
        **{table.fields[name]: value for name, value in values.items() if name in table.fields},
    )


def _of_file(path: str) -> dict[str, str]:
    """Return the settings of a file, which cannot name another one."""
    found = read_file(path)
    if "config.file" in found:
        msg = "config.file has no meaning in a file: give it as a flag or in the environment"
        raise ValueError(msg)
    return found


def _variables(environment: Mapping[str, str], table: _Table) -> Iterator[tuple[str, str]]:
    names = {option.variable: name for name, option in table.options.items()}
    for variable, text in environment.items():
        if not variable.startswith(PREFIX) or _SERVICE_LINK.fullmatch(variable):
            continue
        if variable not in names:
            near = difflib.get_close_matches(variable, names, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            msg = f"environment: unknown setting {variable}{hint}"
            raise ConfigError(msg)
        # As OpenTelemetry has it: an empty variable is one that is not set.
        if text:
            yield names[variable], text
