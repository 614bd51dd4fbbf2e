"""Scrapes a node so that it shows what a scrape costs."""

from collections.abc import Mapping

from exporters.core.agent import Agent
from exporters.core.task import Outcome

# How long the second scrape may take where something hung in the first: who ran the check has
# waited for a whole timeout by then.
HURRY_SECONDS = 0.5


def examine(agent: Agent) -> Mapping[str, Outcome]:
    """
    Return the outcomes of a second scrape: one that finds its sensors known, as all but one do.

    A collector that only the first scrape had time for keeps that one's outcome.
    """
    first = agent.scrape(None).outcomes
    hung = any(outcome.status == "timeout" for outcome in first.values())
    second = agent.scrape(HURRY_SECONDS if hung else None).outcomes
    return {name: _better(first[name], again) for name, again in second.items()}


def _better(first: Outcome, second: Outcome) -> Outcome:
    """Prefer the second, unless it was cut short and says less."""
    if second.status != "timeout":
        return second
    if first.status != "timeout":
        return first
    return max(second, first, key=lambda one: len(one.samples) + len(one.failures))
