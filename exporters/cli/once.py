"""``tailsight once``: one scrape, printed."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import BinaryIO

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
    with ExitStack() as stack:
        # A place that cannot be written to is said before anything is read.
        file = stack.enter_context(_replacing(settings.output)) if settings.output else None
        agent = stack.enter_context(assemble(settings, environment))
        chunks = render(agent.scrape(None).samples)
        if file:
            file.writelines(chunks)
        else:
            for chunk in chunks:
                sys.stdout.buffer.write(chunk)
            sys.stdout.flush()
    return 0


@contextmanager
def _replacing(path: str) -> Iterator[BinaryIO]:
    """Give a file that takes the place of another all at once, so that nobody sees half of it."""
    if os.path.exists(path) and not os.path.isfile(path):
        # As root, /dev/null would be replaced as well.
        msg = f"--output {path}: is no file that could be replaced"
        raise ConfigError(msg)
    place = os.path.realpath(path)
    beside = f"{place}.{os.getpid()}.tmp"
    try:
        with open(beside, "wb") as file:
            yield file
        os.replace(beside, place)
    except OSError as error:
        msg = f"--output {path}: {error.strerror}"
        raise ConfigError(msg) from None
    finally:
        with suppress(OSError):
            os.unlink(beside)
