"""The ``tailsight`` command: the one place where the process meets its environment."""

import io
import logging
import os
import sys
from collections.abc import Mapping, Sequence

from exporters import __version__
from exporters.cli.arguments import parse
from exporters.cli.log import set_up_log
from exporters.config.load import ConfigError, load
from exporters.config.settings import Settings
from exporters.core.replay import ReplayError
from exporters.wiring import default_collectors

USAGE_ERROR = 2
FAILED = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit status. Whatever is wrong with its input is one line."""
    _mend_streams()
    try:
        try:
            status = run(sys.argv[1:] if arguments is None else arguments, os.environ)
        finally:
            # Also after --help and --version, which leave by SystemExit.
            sys.stdout.flush()
    except (ConfigError, ReplayError) as error:
        # What was given may hold line ends of its own.
        line = "\\n".join(str(error).splitlines())
        print(f"tailsight: {line}", file=sys.stderr)
        return USAGE_ERROR
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has had enough.
        _give_up_output()
        return 141
    except OSError as error:
        # What is wrong with a file that was asked for is a ConfigError: this is of the output.
        where = error.filename or "standard output"
        print(f"tailsight: {where}: {error.strerror or error}", file=sys.stderr)
        _give_up_output()
        return FAILED
    return status


def _mend_streams() -> None:
    """Write nowhere where a stream is closed, and ``?`` for what its encoding does not have."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # as long as the process
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _give_up_output() -> None:
    """Leave nothing to be written, of which Python would complain at its exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """
    Run a command in an environment.

    Raises:
        ConfigError, ReplayError: the input is wrong; the text is one line.
    """
    collectors = default_collectors()
    command, flags = parse(arguments, __version__, collectors)
    settings = load(flags, environment, collectors)
    set_up_log(settings.log_level)
    logging.getLogger(__name__).debug("settings: %s", settings)
    return _command(command, settings, environment)


def _command(command: str, settings: Settings, environment: Mapping[str, str]) -> int:
    """Import only what the command needs: an agent should not carry the others' modules."""
    if command == "serve":
        from exporters.cli.serve import serve  # noqa: PLC0415  # see above

        return serve(settings, environment)
    if command == "once":
        from exporters.cli.once import once  # noqa: PLC0415  # see above

        return once(settings, environment)
    from exporters.cli.check import check  # noqa: PLC0415  # see above

    return check(settings, environment)
