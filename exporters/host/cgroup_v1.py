"""
The files of a control group of version 1, under the keys and with the meaning of version 2.

https://docs.kernel.org/admin-guide/cgroup-v1/memory.html,
https://docs.kernel.org/admin-guide/cgroup-v1/cpuacct.html,
https://docs.kernel.org/scheduler/sched-bwc.html
"""

from exporters.hardware.numbers import whole
from exporters.host.cgroup_parts import ADDED, LIMITED, Part, Reading, Row
from exporters.host.cgroup_v2 import (
    MICROSECONDS,
    QUOTA_KEYS,
    count,
    limit,
    parse_keyed,
    renamed,
    working_set,
)
from exporters.host.stat import TICKS_PER_SECOND

_TICK = MICROSECONDS // TICKS_PER_SECOND
_NANOSECONDS = "cpu_throttled_nanoseconds"
_LARGEST_PAGE = 1 << 16
_UNLIMITED = (1 << 63) - _LARGEST_PAGE
"""The most that whole pages can have in a signed number of 64 bits, whatever their size."""
_UNLIMITED_32_BIT = (1 << 43) - 4096
"""The same on a kernel of 32 bits, which counts 2**31 pages at most."""
_count = whole()
_signed = whole(-1, 2**63 - 1)
_throttling = renamed(QUOTA_KEYS | {"throttled_time": _NANOSECONDS})


def memory(usage: str, stat: str) -> Reading:
    """Return usage and working set of a group and those below it; raises as ``working_set``."""
    return working_set(usage, stat, "total_inactive_file")


def memory_limit(text: str) -> Reading:
    """
    Return the limit; nothing for the number that stands for none.

    Raises:
        ValueError: the kernel prints something else.
    """
    value = int(_count(text))
    unlimited = value >= _UNLIMITED or value == _UNLIMITED_32_BIT
    return {} if unlimited else {"memory_limit": value}


def oom_kills(text: str) -> Reading:
    """
    Return how many processes were killed for want of memory; Linux 4.13 began to tell.

    Raises:
        ValueError: the kernel prints something else.
    """
    found = parse_keyed(text)
    return {"memory_oom_kill": found["oom_kill"]} if "oom_kill" in found else {}


def cpu_times(text: str) -> Reading:
    """
    Return CPU time by mode, in hundredths of a second that are told in microseconds.

    Raises:
        ValueError: the kernel prints something else.
    """
    found = parse_keyed(text)
    return {f"cpu_{mode}": found[mode] * _TICK for mode in ("user", "system") if mode in found}


def throttling(text: str) -> Reading:
    """
    Return how often the quota was used up, and for how long.

    Raises:
        ValueError: the kernel prints something else.
    """
    found = dict(_throttling(text))
    if _NANOSECONDS in found:
        found["cpu_throttled"] = found.pop(_NANOSECONDS) // 1000
    return found


def cpu_limit(quota: str, period: str) -> Reading:
    """
    Return how many CPUs' time the quota allows; nothing where there is none, which is -1.

    Raises:
        ValueError: the kernel prints something else.
    """
    allowed, of = _signed(quota), _count(period)
    if of == 0:
        msg = f"no period: {period!r}"
        raise ValueError(msg)
    return {} if allowed < 0 else {"cpu_limit": allowed / of}


PARTS = (
    Part("memory", ("memory.limit_in_bytes",), memory_limit, LIMITED, limit=True),
    Part("cpu", ("cpu.cfs_quota_us", "cpu.cfs_period_us"), cpu_limit, LIMITED, limit=True),
    Part("memory", ("memory.usage_in_bytes", "memory.stat"), memory, ADDED),
    # Counted in one group alone: failures in that of the limit, kills in that of the victim.
    Part("memory", ("memory.failcnt",), count("memory_max"), ADDED, still_without="memory_limit"),
    Part("memory", ("memory.failcnt",), count("memory_max"), Row.HOLDER, needs="memory_limit"),
    Part("memory", ("memory.oom_control",), oom_kills, ADDED, kills=True),
    Part("cpuacct", ("cpuacct.stat",), cpu_times, ADDED),
    Part("cpu", ("cpu.stat",), throttling, ADDED, still_without="cpu_limit"),
    Part("cpu", ("cpu.stat",), throttling, Row.HOLDER, needs="cpu_limit"),
    Part("pids", ("pids.current",), count("tasks"), ADDED),
    Part("pids", ("pids.max",), limit("tasks_limit"), Row.OWN, seldom=True),
)
