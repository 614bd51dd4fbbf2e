"""``tailsight serve``: answers scrapes until told to stop."""

import gc
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack

from exporters import __version__
from exporters.cli.greeting import greeting
from exporters.cli.heap import use_one_heap
from exporters.config.load import ConfigError
from exporters.config.settings import Settings
from exporters.core.agent import Agent
from exporters.core.metric import Sample
from exporters.hardware.node import identity
from exporters.hotplug.choose import open_events
from exporters.hotplug.watcher import Watcher
from exporters.web.wiring import web_server
from exporters.wiring import assemble, node_environment

LOST = 3
LATEST_SECONDS = 1.7
log = logging.getLogger(__name__)


class _Ending:
    """Waits for a reason to end, and holds the exit status."""

    def __init__(self) -> None:
        self.status = 0
        self._event = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda _number, _frame: self._event.set())

    def lost(self, reason: str) -> None:
        """End with the status that tells a supervisor to start anew."""
        log.error("NVML is lost, ending: %s", reason)
        self.status = LOST
        self._event.set()

    def wait(self) -> int:
        """Return the exit status when it is time."""
        self._event.wait()
        threading.Thread(target=self._end_at_the_latest, name="ending", daemon=True).start()
        return self.status

    def _end_at_the_latest(self) -> None:
        """Whatever hangs while parts are closed, a supervisor does not have to kill us."""
        time.sleep(LATEST_SECONDS)
        os._exit(self.status)


class _Extras:
    """Metrics of parts that are made after the agent which asks for them."""

    def __init__(self) -> None:
        self.sources: list[Callable[[], Iterator[Sample]]] = []

    def __call__(self) -> Iterator[Sample]:
        """Yield the samples of every part."""
        for source in self.sources:
            yield from source()


def serve(settings: Settings, environment: Mapping[str, str]) -> int:
    """
    Serve until SIGTERM or SIGINT; SIGHUP has devices looked for anew.

    Raises:
        ConfigError: a setting cannot be used, such as an address that is taken.
    """
    use_one_heap()
    ending, extras = _Ending(), _Extras()
    with ExitStack() as stack:
        agent = stack.enter_context(assemble(settings, environment, [extras], ending.lost))
        server = web_server(agent, settings.listen, settings.web_config_file)
        stack.callback(server.close)
        signal.signal(signal.SIGHUP, lambda _number, _frame: agent.runner.invalidate())
        if agent.runner.root.live:
            watcher = Watcher(open_events(settings.hotplug), agent.runner.invalidate)
            stack.callback(watcher.close)
            extras.sources.append(watcher.samples)
        if settings.otlp_endpoint:
            _push(settings, environment, agent, extras, stack)
        server.start()
        _say_when_ready(agent, server.url)
        return ending.wait()


def _say_when_ready(agent: Agent, url: str) -> None:
    """Make the first scrape in a thread: a sensor that hangs must not hold up the signals."""

    def work() -> None:
        scrape = agent.scrape(None)
        # What is there now stays for ever: the garbage collector need not look at it again.
        gc.freeze()
        print("\n".join(greeting(scrape, url)), flush=True)

    threading.Thread(target=work, name="first-scrape", daemon=True).start()


def _push(
    settings: Settings,
    environment: Mapping[str, str],
    agent: Agent,
    extras: _Extras,
    stack: ExitStack,
) -> None:
    """Start push mode; its modules are imported by those only who use it."""
    from exporters.otlp.options import OtlpOptions  # noqa: PLC0415  # see above
    from exporters.otlp.pusher import Pusher  # noqa: PLC0415  # see above
    from exporters.otlp.resource import resource  # noqa: PLC0415  # see above

    options = OtlpOptions(
        endpoint=settings.otlp_endpoint or "",
        interval_seconds=settings.otlp_interval,
        timeout_seconds=settings.otlp_timeout,
        headers=settings.otlp_headers,
        compression=settings.otlp_compression,
        buffer_bytes=settings.otlp_buffer,
        ca_file=settings.otlp_ca_file,
        cert_file=settings.otlp_cert_file,
        key_file=settings.otlp_key_file,
    )
    root = agent.runner.root
    node = identity(root, node_environment(settings, environment))
    try:
        pusher = Pusher(options, resource(node, environment, __version__), __version__, root.now)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    extras.sources.append(pusher.samples)
    stack.callback(pusher.close)
    pusher.start(agent.scrape)
