"""Reads YAML against a table of keys; whatever is wrong is one line with its line number."""

from collections.abc import Callable, Mapping
from typing import Any

import yaml

Read = Callable[[yaml.Node], Any]
Table = Mapping[str, Read]
_NULL = "tag:yaml.org,2002:null"
_BOOL = "tag:yaml.org,2002:bool"
_TRUE = frozenset({"true", "yes", "on"})


def compose(text: str) -> yaml.Node | None:
    """
    Return the root node of YAML text; None where it is empty.

    Raises:
        ValueError: it is no YAML.
    """
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        msg = f"line {mark.line + 1}: {error.problem}" if mark else str(error.problem)
        raise ValueError(msg) from None
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
    except RecursionError:
        msg = "is nested too deeply"
        raise ValueError(msg) from None


def wrong(node: yaml.Node, text: str) -> ValueError:
    """Return an error that says where a node is."""
    return ValueError(f"line {node.start_mark.line + 1}: {text}")


def keyed(node: yaml.Node) -> dict[str, yaml.Node]:
    """
    Return the values of a mapping by their keys; those without a value are left out.

    Raises:
        ValueError: it is no mapping, or has a key twice.
    """
    if node.tag == _NULL:
        return {}
    if not isinstance(node, yaml.MappingNode):
        raise wrong(node, "wants NAME: VALUE here")
    found: dict[str, yaml.Node] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise wrong(key, "a name is plain text")
        if key.value in found:
            raise wrong(key, f"{key.value} is there twice")
        found[key.value] = value
    return {key: value for key, value in found.items() if value.tag != _NULL}


def section(table: Table) -> Read:
    """Return a reader of a mapping that has no keys but those of the table."""

    def read(node: yaml.Node) -> dict[str, Any]:
        found = {}
        for key, value in keyed(node).items():
            if key not in table:
                raise wrong(value, f"unknown key {key}; known are {', '.join(table)}")
            try:
                found[key] = table[key](value)
            except _Unwanted as error:
                raise wrong(value, f"{key} {error}") from None
        return found

    return read


class _Unwanted(ValueError):  # noqa: N818  # gets its place before anybody sees it
    """A value is not what its key wants."""


def text(node: yaml.Node) -> str:
    """Read a plain value as it is written."""
    if not isinstance(node, yaml.ScalarNode):
        msg = "wants plain text"
        raise _Unwanted(msg)
    return str(node.value)


def boolean(node: yaml.Node) -> bool:
    """Read true or false."""
    if node.tag != _BOOL:
        msg = "wants true or false"
        raise _Unwanted(msg)
    return text(node).lower() in _TRUE


def parsed(parse: Callable[[str], Any]) -> Read:
    """Return a reader of text that ``parse`` makes a value of, or raises ValueError about."""

    def read(node: yaml.Node) -> Any:
        try:
            return parse(text(node))
        except _Unwanted:
            raise
        except ValueError as error:
            raise _Unwanted(error) from None

    return read


def each(read_one: Read) -> Read:
    """Return a reader of a list."""

    def read(node: yaml.Node) -> tuple[Any, ...]:
        if not isinstance(node, yaml.SequenceNode):
            msg = "wants a list"
            raise _Unwanted(msg)
        return tuple(read_one(item) for item in node.value)

    return read
