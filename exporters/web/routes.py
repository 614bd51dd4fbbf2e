"""Which path gives what."""

from collections.abc import Callable, Mapping
from functools import partial

from exporters.core.agent import Agent
from exporters.web.connection import Answer
from exporters.web.metrics import metrics
from exporters.web.pages import HTML, index
from exporters.web.request import Request
from exporters.web.response import Response, plain

Routes = Mapping[str, Answer]
METHODS = ("GET", "HEAD")
# The page carries its style and loads nothing; nobody may frame it.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"


def agent_routes(agent: Agent, ready: Callable[[], bool] | None = None) -> Routes:
    """
    Return what an agent serves.

    Args:
        agent: answers the scrapes.
        ready: whether ``/-/ready`` says so; by default, from the end of the first scrape on.
            Whoever starts the agent makes that scrape: a balancer may wait for it.
    """
    is_ready = ready or (lambda: agent.last is not None)

    def readiness(_request: Request) -> Response:
        return plain(200) if is_ready() else plain(503, "the first scrape has not ended yet")

    return {
        "/": partial(_page, agent),
        "/metrics": partial(metrics, agent),
        "/-/healthy": lambda _request: plain(200),
        "/-/ready": readiness,
    }


def _page(agent: Agent, _request: Request) -> Response:
    last = agent.last
    html = index(last.outcomes if last else None)
    return Response(
        200, HTML, html.encode(errors="replace"), [("Content-Security-Policy", _POLICY)]
    )


def route(routes: Routes, request: Request) -> Response:
    """Answer a request; other paths are 404, other methods 405."""
    answer = routes.get(request.path)
    if answer is None:
        return plain(404, "see / for what there is")
    if request.method not in METHODS:
        return plain(405, "only GET and HEAD", [("Allow", ", ".join(METHODS))])
    return answer(request)
