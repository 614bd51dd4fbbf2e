"""Values of a replay that change as time passes: a list of versions, each with its begin."""

import errno
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

LATEST_SECONDS = 1e9
"""Some thirty years: more than anybody plays a recording for."""

Versions = Sequence[Mapping[str, Any]]
"""Rising in ``at``, the second of the replay from which a version counts."""


def parse_versions(document: Any) -> Versions:
    """
    Check a list of timed versions of a file, each ``{"at": 5, "text": ...}`` or with "errno".

    Raises:
        ValueError: it is something else; the text says what is wrong.
    """
    if not isinstance(document, list) or not document:
        msg = f"wants a list of versions, got {str(document)[:60]!r}"
        raise ValueError(msg)
    for version in document:
        if not isinstance(version, dict) or not is_moment(version.get("at")):
            msg = f'a version wants "at" in seconds: {str(version)[:80]}'
            raise ValueError(msg)
        if ("text" in version) == ("errno" in version):
            msg = f'a version wants either "text" or "errno": {str(version)[:80]}'
            raise ValueError(msg)
        if not isinstance(version.get("text", ""), str):
            msg = f'"text" wants a text in quotes: {str(version)[:80]}'
            raise ValueError(msg)  # noqa: TRY004  # for the caller all is one: a bad file
        if "errno" in version and version["errno"] not in errno.errorcode.values():
            msg = f"no such errno: {version['errno']!r}"
            raise ValueError(msg)
    return sorted(document, key=lambda version: float(version["at"]))


def is_moment(value: Any) -> bool:
    """Whether a value of a document is a second of a replay."""
    return is_number(value, -LATEST_SECONDS, LATEST_SECONDS)


def is_number(value: Any, lowest: float, highest: float) -> TypeGuard[float]:
    """Whether a value of a document is a number, true and false not among them, in bounds."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and lowest <= value <= highest


def at(versions: Versions, seconds: float) -> Mapping[str, Any] | None:
    """Return the last version that has begun, or None before the first."""
    begun = [version for version in versions if version["at"] <= seconds]
    return begun[-1] if begun else None
