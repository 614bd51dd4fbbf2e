"""JSON documents of container engines, of which a few texts are wanted."""

import json
from typing import Any


def parse_document(text: str) -> Any:
    """
    Parse JSON.

    Raises:
        ValueError: it is none, or nested too deeply.
    """
    try:
        return json.loads(text)
    except RecursionError:
        msg = "nested too deeply"
        raise ValueError(msg) from None


def at(document: Any, *keys: str) -> Any:
    """Return what lies below these keys; None where the way ends before."""
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def list_at(document: Any, *keys: str) -> list[Any] | None:
    """Return the list below these keys; None where there is none."""
    found = at(document, *keys)
    return found if isinstance(found, list) else None


def text_at(document: Any, *keys: str) -> str:
    """Return the text below these keys; empty where there is none."""
    found = at(document, *keys)
    return found if isinstance(found, str) else ""
