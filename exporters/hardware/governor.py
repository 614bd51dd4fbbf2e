"""Names of frequency governors, of CPUs as of other devices."""

import re

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,40}")


def parse_governor(text: str) -> str:
    """
    Return the name of a governor.

    Raises:
        ValueError: no governor has such a name, as ``<unknown>`` (node_exporter#1710).
    """
    if not _NAME.fullmatch(text):
        msg = f"not a governor: {text[:40]!r}"
        raise ValueError(msg)
    return text
