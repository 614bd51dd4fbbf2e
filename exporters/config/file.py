"""The configuration file: YAML, nested or with dots, each setting once."""

from collections.abc import Iterator, Mapping
from typing import Any


def read_file(path: str) -> dict[str, str]:
    """
    Return the settings of a file by their dotted names, as text.

    Raises:
        ValueError: it cannot be read, is no YAML, or names a setting twice; on one line.
    """
    return parse_file(read_text(path))


def read_text(path: str) -> str:
    """
    Return the text of a file.

    Raises:
        ValueError: it cannot be read or is no text; on one line.
    """
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        msg = f"cannot be read: {error.strerror}"
        raise ValueError(msg) from None
    except UnicodeDecodeError:
        msg = "is not UTF-8 text"
        raise ValueError(msg) from None


def parse_file(text: str) -> dict[str, str]:
    """
    Return the settings in YAML text by their dotted names, as text.

    Raises:
        ValueError: see ``read_file``.
    """
    import yaml  # noqa: PLC0415  # 2 MB that only those pay who use a file

    try:
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
        _refuse_twice(tree)
        document = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}: " if mark else ""
        msg = f"{where}{error.problem}"
        raise ValueError(msg) from None
    except yaml.YAMLError as error:
        msg = " ".join(str(error).split())
        raise ValueError(msg) from None
    if document is None:
        return {}
    if not isinstance(document, dict):
        msg = "wants settings as NAME: VALUE"
        raise ValueError(msg)  # noqa: TRY004  # for the caller all is one: a bad file
    flat: dict[str, str] = {}
    for name, value in _flatten("", document):
        if name in flat:
            msg = f"{name} is set twice"
            raise ValueError(msg)
        flat[name] = value
    return flat


def _refuse_twice(node: Any) -> None:
    """Raise ValueError where a mapping has a key twice, which YAML readers let pass."""
    import yaml  # noqa: PLC0415  # as above

    if not isinstance(node, yaml.MappingNode):
        return
    seen = set()
    for key, value in node.value:
        if key.value in seen:
            msg = f"line {key.start_mark.line + 1}: {key.value} is set twice"
            raise ValueError(msg)
        seen.add(key.value)
        _refuse_twice(value)


def _flatten(prefix: str, tree: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if name == "otlp.headers" and isinstance(value, dict):
            yield name, ",".join(f"{header}={text}" for header, text in value.items())
        elif isinstance(value, dict):
            yield from _flatten(f"{name}.", value)
        elif isinstance(value, bool):
            yield name, str(value).lower()
        elif isinstance(value, str | int | float):
            yield name, str(value)
        else:
            msg = f"{name} wants a plain value, got {value!r}"
            raise ValueError(msg)
