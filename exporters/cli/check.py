"""``tailsight check``: what this node supports."""

import os
import shutil
import sys
from collections.abc import Mapping

from exporters import __version__
from exporters.check.report import rows
from exporters.check.show import as_json, as_table
from exporters.config.settings import Settings
from exporters.hardware.node import identity
from exporters.wiring import assemble, node_environment

FOUND_FAULT = 1


def check(settings: Settings, environment: Mapping[str, str]) -> int:
    """Print the verdict on every source; 1 where one is denied or broken, else 0."""
    with assemble(settings, environment) as agent:
        outcomes = agent.scrape(None).outcomes
        found = list(rows(agent.runner.collectors, outcomes))
        root = agent.runner.root
        node = {"tailsight": __version__, "python": sys.version.split()[0]}
        node |= identity(root, node_environment(settings, environment))
        if root.live:
            node["user"] = f"uid {os.geteuid()}"
            node["capabilities"] = _capabilities(root.read("proc/self/status"))
    if settings.json:
        print(as_json(node, found))
    else:
        width = max(60, shutil.get_terminal_size((110, 25)).columns)
        print("\n".join(as_table(node, found, width)))
    return FOUND_FAULT if any(row.verdict in {"denied", "broken"} for row in found) else 0


# Of linux/capability.h, those that something here can need.
_BITS = {
    "CAP_DAC_OVERRIDE": 1, "CAP_DAC_READ_SEARCH": 2, "CAP_SYS_PTRACE": 19, "CAP_SYS_ADMIN": 21,
    "CAP_SYS_RESOURCE": 24, "CAP_SYSLOG": 34, "CAP_PERFMON": 38, "CAP_BPF": 39,
}  # fmt: skip


def _capabilities(status: str) -> str:
    """Return the names of the effective capabilities that matter, from /proc/self/status."""
    mask = next((line.split()[1] for line in status.splitlines() if line.startswith("CapEff")), "0")
    return " ".join(name for name, bit in _BITS.items() if int(mask, 16) >> bit & 1) or "none"
