"""``tailsight once``: one scrape, printed."""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress

from exporters.config.load import ConfigError
from exporters.config.settings import Settings
from exporters.core.exposition import render
from exporters.wiring import assemble


def once(settings: Settings, environment: Mapping[str, str]) -> int:
    """
    Print the metrics of one scrape, sorted; 0 also when sensors fail, as the metrics say so.

    Raises:
        ConfigError: the output file cannot be written.
    """
    with assemble(settings, environment) as agent:
        chunks = render(agent.scrape(None).samples)
        if settings.output:
            _replace(settings.output, b"".join(chunks))
        else:
            for chunk in chunks:
                sys.stdout.buffer.write(chunk)
            sys.stdout.flush()
    return 0


def _replace(path: str, content: bytes) -> None:
    """Write a file all at once: a textfile collector never sees half of it."""
    if os.path.exists(path) and not os.path.isfile(path):
        # As root, /dev/null would be replaced as well.
        msg = f"--output {path}: is no file that could be replaced"
        raise ConfigError(msg)
    place = os.path.realpath(path)
    beside = f"{place}.{os.getpid()}.tmp"
    try:
        with open(beside, "wb") as file:
            file.write(content)
        os.replace(beside, place)
    except OSError as error:
        with suppress(OSError):
            os.unlink(beside)
        msg = f"--output {path}: {error.strerror}"
        raise ConfigError(msg) from None
