"""
How the running kernel was configured, where that can be read.

``/proc/config.gz`` is there with CONFIG_IKCONFIG_PROC, as on Jetson boards; distributions put the
same text beside the kernel.
"""

import gzip
import re
import zlib
from collections.abc import Mapping

from exporters.core.root import Root

_LINE = re.compile(r"^(?:(CONFIG_\w+)=(.+)|# (CONFIG_\w+) is not set)$", re.MULTILINE)
_NAME = re.compile(r"CONFIG_\w+")


def parse_config(text: str) -> dict[str, str]:
    """Return the value of each option by its name, ``n`` of those that are not set."""
    return {name or unset: value or "n" for name, value, unset in _LINE.findall(text)}


def kernel_config(root: Root) -> Mapping[str, str]:
    """Return the options of the running kernel; none where they cannot be read."""
    try:
        return parse_config(gzip.decompress(root.read_bytes("proc/config.gz")).decode())
    except (OSError, EOFError, ValueError, zlib.error):
        pass  # not every kernel has it
    try:
        release = root.read("proc/sys/kernel/osrelease")
        return parse_config(root.read(f"boot/config-{release}"))
    except OSError:
        return {}


def said_of(text: str, config: Mapping[str, str]) -> str:
    """Return how this kernel has the options that a text names; empty where it is not known."""
    # An option that the configuration does not even mention depends on one that is not set.
    values = {name: config.get(name, "n") for name in _NAME.findall(text)} if config else {}
    lacking = [name for name, value in values.items() if value == "n"]
    modules = [name for name, value in values.items() if value == "m"]
    if values and not lacking and not modules:
        return "this kernel has what it needs"
    parts = {"lacks": lacking, "has as a module": modules}
    said = (f"{verb} {', '.join(names)}" for verb, names in parts.items() if names)
    return "this kernel " + ", ".join(said) if values else ""
