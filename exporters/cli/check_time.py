"""``tailsight check --time``: whether the clock is good enough, and who is at fault."""

import logging
from collections.abc import Mapping
from dataclasses import replace

from exporters import clock
from exporters.check.daemons import daemons
from exporters.check.time_facts import gather
from exporters.check.time_judge import judge
from exporters.check.time_words import as_json, in_words
from exporters.config.settings import Settings
from exporters.wiring import assemble, clock_options

NOT_GOOD = 1


def check_time(settings: Settings, environment: Mapping[str, str]) -> int:
    """Print the verdict on the clock; 1 where it is not good enough, else 0."""
    if settings.log_level != "debug":
        logging.getLogger("exporters").setLevel(logging.ERROR)
    names = {one.name: True for one in clock.collectors(clock_options(settings))}
    alone = replace(settings, disable_defaults=True, collectors=names)
    with assemble(alone, environment) as agent:
        outcomes = agent.scrape(None).outcomes
        root = agent.runner.root
        facts = gather(outcomes, daemons(root), root.now())
    found = judge(facts, settings.time_interval, settings.time_span)
    print(as_json(found) if settings.json else "\n".join(in_words(found)))
    return 0 if found.good else NOT_GOOD
