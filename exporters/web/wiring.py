"""Puts the web side together: routes, what the web configuration asks for, the server."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from exporters.core.agent import Agent
from exporters.web.connection import Answer
from exporters.web.routes import agent_routes, route
from exporters.web.server import Server

_NOTHING: Mapping[str, int] = MappingProxyType({})


def web_server(
    agent: Agent,
    listen: str,
    web_config_file: str | None = None,
    *,
    ready: Callable[[], bool] | None = None,
    linked: Mapping[str, int] = _NOTHING,
) -> Server:
    """
    Return a server for an agent, which listens already and answers once started.

    Args:
        agent: answers the scrapes.
        listen: ``HOST:PORT``, ``[IPv6]:PORT``, or ``:PORT`` for all interfaces.
        web_config_file: TLS, basic auth, headers, rate limit.
        ready: see ``agent_routes``.
        linked: addresses of C functions that are linked into the program, by name.

    Raises:
        ServeError: it cannot listen there; one line.
        ConfigError: the web configuration is wrong; one line.
    """
    answer: Answer = partial(route, agent_routes(agent, ready))
    if not web_config_file:
        return Server(listen, answer)
    from exporters.web.guard import Guard  # noqa: PLC0415  # its imports cost 2 MB and more

    guard = Guard(web_config_file, linked)
    return Server(listen, partial(guard.answer, answer), guard.wrap, scheme=guard.scheme)
