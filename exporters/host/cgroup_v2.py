"""
The files of a control group of version 2.

https://docs.kernel.org/admin-guide/cgroup-v2.html
"""

import re
from collections.abc import Callable, Mapping

from exporters.hardware.numbers import integer, whole
from exporters.host.cgroup_parts import ADDED, LIMITED, Part, Reading, Row
from exporters.host.psi import parse_pressure

EVENTS = ("low", "high", "max", "oom", "oom_kill")
MICROSECONDS = 1_000_000
NO_LIMIT = "max"

_LINE = re.compile(r"(?am:^([\w.]+) (\d{1,20})$)")
_CPU_MAX = re.compile(r"(?a:(max|\d{1,20}) (\d{1,20}))")
CPU_KEYS = {"user_usec": "cpu_user", "system_usec": "cpu_system"}
QUOTA_KEYS = {
    "nr_periods": "cpu_periods",
    "nr_throttled": "cpu_throttled_periods",
    "throttled_usec": "cpu_throttled",
}
_count = whole()
_LONG = 20


def number(text: str) -> int:
    """
    Return the number that a file holds.

    Raises:
        ValueError: the kernel prints something else.
    """
    # Most are of this form, which a scrape of 300 containers asks a thousand times.
    return (
        int(text)
        if text.isdecimal() and text.isascii() and len(text) < _LONG
        else int(_count(text))
    )


def parse_keyed(text: str) -> dict[str, int]:
    """
    Return the numbers of a file of lines such as ``oom_kill 3``.

    Raises:
        ValueError: it holds something else.
    """
    found = _LINE.findall(text)
    if len(found) != text.count("\n") + 1:
        line = next(line for line in text.split("\n") if not _LINE.fullmatch(line))
        msg = f"no key with a number: {line[:80]!r}"
        raise ValueError(msg)
    return {key: int(number) for key, number in found}


def working_set(usage: str, stat: str, inactive: str = "inactive_file") -> Reading:
    """
    Return the bytes in use, and those that the kernel cannot take back at once.

    The latter leave out files' pages that were not used lately, as the kubelet does where it
    evicts (https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/). The
    two files are read one after the other, so that the difference may come out below 0.

    Raises:
        ValueError: the kernel prints something else.
    """
    # Of some 40 lines one is wanted, which this finds in a tenth of a pattern's time.
    _, key, rest = f"\n{stat}".partition(f"\n{inactive} ")
    if not key:
        msg = f"no {inactive} in {stat[:80]!r}"
        raise ValueError(msg)
    used, idle = number(usage), number(rest.partition("\n")[0])
    return {"memory_usage": used, "memory_working_set": max(0, used - idle)}


def limit(key: str) -> Callable[[str], Reading]:
    """Return a parser of a limit: nothing where it is ``max``; it raises ValueError as others."""

    def parse(text: str) -> Reading:
        return {} if text == NO_LIMIT else {key: number(text)}

    return parse


def count(key: str) -> Callable[[str], Reading]:
    """Return a parser of one number; it raises ValueError for anything else."""

    def parse(text: str) -> Reading:
        return {key: number(text)}

    return parse


def events(text: str) -> Reading:
    """
    Return how often each event of memory has happened; ``oom_kill`` counts processes.

    Raises:
        ValueError: the kernel prints something else.
    """
    found = parse_keyed(text)
    return {f"memory_{event}": found[event] for event in EVENTS if event in found}


def renamed(keys: Mapping[str, str]) -> Callable[[str], Reading]:
    """Return a parser of some keys of a keyed file; it raises as ``parse_keyed``."""

    def parse(text: str) -> Reading:
        found = parse_keyed(text)
        return {ours: found[theirs] for theirs, ours in keys.items() if theirs in found}

    return parse


def cpu_limit(text: str) -> Reading:
    """
    Return how many CPUs' time the quota allows; nothing where there is none.

    Raises:
        ValueError: the kernel prints something else.
    """
    match = _CPU_MAX.fullmatch(text)
    if match is None or integer(match[2]) == 0:
        msg = f"no quota and period: {text[:80]!r}"
        raise ValueError(msg)
    return {} if match[1] == NO_LIMIT else {"cpu_limit": int(match[1]) / int(match[2])}


def pressure(resource: str) -> Callable[[str], Reading]:
    """Return a parser of lost time in microseconds; it raises as ``parse_pressure``."""

    def parse(text: str) -> Reading:
        lost = parse_pressure(text).items()
        return {f"{resource}_{kind}": round(seconds * MICROSECONDS) for kind, seconds in lost}

    return parse


PARTS = (
    Part("memory", ("memory.max",), limit("memory_limit"), LIMITED, limit=True),
    Part("cpu", ("cpu.max",), cpu_limit, LIMITED, limit=True),
    Part("memory", ("memory.current", "memory.stat"), working_set, ADDED),
    Part("memory", ("memory.events",), events, ADDED | Row.HOLDER),
    # The kernel prints these also where no controller is enabled, the quota's then not.
    Part("cpuacct", ("cpu.stat",), renamed(CPU_KEYS | QUOTA_KEYS), ADDED),
    Part("cpu", ("cpu.stat",), renamed(QUOTA_KEYS), Row.HOLDER, needs="cpu_limit"),
    Part("pids", ("pids.current",), count("tasks"), ADDED),
    Part("pids", ("pids.max",), limit("tasks_limit"), Row.OWN, seldom=True),
    Part("pressure", ("cpu.pressure",), pressure("cpu"), Row.OWN),
    Part("pressure", ("memory.pressure",), pressure("memory"), Row.OWN),
    Part("pressure", ("io.pressure",), pressure("io"), Row.OWN),
    Part("pressure", ("irq.pressure",), pressure("irq"), Row.OWN),
)
