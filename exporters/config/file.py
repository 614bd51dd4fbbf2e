"""The configuration file: YAML, nested or with dots, each setting once."""

from collections.abc import Iterator, Mapping
from typing import Any

MOST_CHARACTERS = 2**20


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
            text = file.read(MOST_CHARACTERS + 1)
    except OSError as error:
        msg = f"cannot be read: {error.strerror}"
        raise ValueError(msg) from None
    except UnicodeDecodeError:
        msg = "is not UTF-8 text"
        raise ValueError(msg) from None
    if len(text) > MOST_CHARACTERS:
        msg = f"is longer than {MOST_CHARACTERS} characters"
        raise ValueError(msg)
    return text


def parse_file(text: str) -> dict[str, str]:
    """
    Return the settings in YAML text by their dotted names, as text.

    Raises:
        ValueError: see ``read_file``.
    """
    import yaml  # noqa: PLC0415  # 2 MB that only those pay who use a file

    try:
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
        _check(tree, set())
        document = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}: " if mark else ""
        msg = f"{where}{error.problem}"
        raise ValueError(msg) from None
    except yaml.YAMLError as error:
        msg = " ".join(str(error).split())
        raise ValueError(msg) from None
    except RecursionError:
        msg = "is nested too deeply"
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


def _check(node: Any, seen: set[int]) -> None:
    """
    Raise ValueError for what YAML readers let pass and nobody means here.

    A key that stands twice, a key that is no plain text, and an alias: a few of these make a
    document of a page as large as memory.
    """
    import yaml  # noqa: PLC0415  # as above

    if id(node) in seen:
        msg = f"line {node.start_mark.line + 1}: is used a second time through an alias"
        raise ValueError(msg)
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _check(value, seen)
    if isinstance(node, yaml.MappingNode):
        names = set()
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else ""
            if not name or name in names:
                what = f"{name} is set twice" if name else "a name is plain text"
                msg = f"line {key.start_mark.line + 1}: {what}"
                raise ValueError(msg)
            names.add(name)
            _check(value, seen)


def _flatten(prefix: str, tree: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if name == "otlp.headers" and isinstance(value, dict):
            yield name, ",".join(f"{header}={text}" for header, text in value.items())
        elif isinstance(value, dict):
            yield from _flatten(f"{name}.", value)
        elif isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            yield name, ",".join(value)
        elif isinstance(value, bool):
            yield name, str(value).lower()
        elif isinstance(value, str | int | float):
            yield name, str(value)
        else:
            msg = f"{name} wants a plain value, got {str(value)[:60]}"
            raise ValueError(msg)
