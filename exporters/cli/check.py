"""``tailsight check``: what this node supports."""

import logging
import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace

from exporters import __version__
from exporters.check.examine import examine
from exporters.check.explain import Node, explain
from exporters.check.host import host
from exporters.check.kconfig import kernel_config
from exporters.check.nvml import explain_library, load_error
from exporters.check.report import rows
from exporters.check.row import NEEDS_ACTION
from exporters.check.show import Report, as_json
from exporters.check.table import as_table, wants_colour
from exporters.cli.check_time import check_time
from exporters.config.settings import Settings
from exporters.core.agent import Agent
from exporters.hardware.node import identity
from exporters.wiring import assemble, default_collectors, node_environment

NEEDS_ACTION_STATUS = 1
_WIDTH = 100


def check(settings: Settings, environment: Mapping[str, str]) -> int:
    """Print the verdict on every source; 1 where one is denied or broken, else 0."""
    if settings.time:
        return check_time(settings, environment)
    if settings.log_level != "debug":
        # The log would say in the middle of the report what the report says.
        logging.getLogger("exporters").setLevel(logging.ERROR)
    with assemble(settings, environment) as agent:
        report = find_out(agent, settings, environment)
    if settings.json:
        print(as_json(report))
    else:
        width = shutil.get_terminal_size((_WIDTH, 25)).columns
        colour = wants_colour(environment, terminal=sys.stdout.isatty())
        print("\n".join(as_table(report, width, colour=colour)))
    wrong = any(row.verdict in NEEDS_ACTION for row in report.rows)
    return NEEDS_ACTION_STATUS if wrong else 0


def find_out(agent: Agent, settings: Settings, environment: Mapping[str, str]) -> Report:
    """Examine the node; of a recording, only what its files say."""
    root = agent.runner.root
    facts = {"tailsight": __version__, "python": sys.version.split()[0]}
    facts |= identity(root, node_environment(settings, environment))
    found = list(rows(agent.runner.collectors, examine(agent)))
    node = Node(root, kernel_config(root))
    if root.live:
        machine = host(root, environment)
        facts |= machine.facts()
        node = replace(node, masked=machine.masked, who=machine.who)
        error = load_error()
        found = [explain_library(row, root, error) for row in found]
        found = [*machine.rows(root, settings.hotplug), *found]
    running = {collector.name for collector in agent.runner.collectors}
    off = [name for name in default_collectors() if name not in running]
    return Report(facts, [explain(row, node) for row in found], off)
