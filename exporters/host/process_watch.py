"""
Which processes there are, and which of them are chosen, at little cost for each scrape.

A scrape lists ``/proc`` once and opens nothing of the processes that it knows and that no rule
chose. A new pid is examined at once; one that is known again after as long as it has lived, since
a program opens its GPU soon after its start and an old process seldom becomes another one. How
many are examined in one scrape is bounded; those left over are the first in the next.

A pid that was given to another process between two scrapes looks known until it is examined
again: at most five minutes later, as for one that opens its GPU late. For chosen processes, whose
stat is read at every scrape, it shows at once.
"""

import math
import time
from dataclasses import dataclass, field, replace

from exporters.core import Root
from exporters.host.process_faults import GONE, Faults, file_of
from exporters.host.process_files import TICKS, parse_stat, parse_uptime
from exporters.host.process_rules import (
    OLDEST_SECONDS,
    YOUNGEST_SECONDS,
    Examined,
    Rules,
)

NEW_AT_FIRST, NEW, AGAIN = 4096, 256, 64
"""Processes that are examined in one scrape: at the first look, later new ones, known ones."""

UPTIME = "proc/uptime"
_SPREAD = 64


def boot_ticks(root: Root) -> int | None:
    """
    Return the ticks since boot, by the clock that tells the starts; None where nothing tells.

    ``/proc/uptime`` is asked for recordings alone: in a container it may be lxcfs that answers,
    with the age of the container, by which processes begin in the future (lxcfs#164).

    Raises:
        OSError: a recording's cannot be read.
        ValueError: it is not what the kernel writes.
    """
    if root.live and root.exists("proc/self"):
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) * TICKS // 10**9
    try:
        return parse_uptime(root.read(UPTIME))
    except FileNotFoundError:
        return None


@dataclass(frozen=True, slots=True)
class Seen:
    """What one look at a node gave."""

    chosen: tuple[Examined, ...]
    """The longest-running first."""
    processes: int
    """All that can be seen, kernel threads among them."""
    waiting: int
    """Those that were not examined yet."""
    judged: bool = True
    """Whether all rules could be tried on any program but the agent."""
    first: bool = True
    """Whether the first process is among them, which every PID namespace has."""


@dataclass(slots=True)
class Watch:
    """Knows the processes of a node from one look to the next."""

    rules: Rules
    _known: dict[str, Examined] = field(default_factory=dict)

    def look(self, root: Root, ticks: int | None, faults: Faults) -> Seen:
        """
        Return the chosen processes of a node.

        Args:
            root: the node.
            ticks: since boot, before this look. Who began later waits for the next look: only of
                one that began in an earlier tick is it certain that nobody else with the same pid
                has the same start.
            faults: takes what could not be read.

        Raises:
            OSError: ``/proc`` cannot be listed.
        """
        known, now = self._known, root.monotonic()
        pids = [name for name in root.entries("proc") if name.isdecimal()]
        for pid in known.keys() - set(pids):
            self.forget(pid)
        new = [pid for pid in pids if pid not in known]
        due = sorted((one.due, pid) for pid, one in list(known.items()) if one.due <= now)
        for pid in new[: NEW if known else NEW_AT_FIRST] + [pid for _, pid in due[:AGAIN]]:
            self._examine(root, pid, ticks)
        found = list(known.values())
        for one in found:
            if one.blind:
                faults.add(one.pid, *one.blind)
        chosen = sorted((one for one in found if one.chosen), key=_age)
        waiting = sum(pid not in known for pid in new)
        judged = any(one.judged for one in found)
        return Seen(tuple(chosen), len(pids), waiting, judged, "1" in pids)

    def forget(self, pid: str) -> None:
        """Take whoever has a pid at the next look for a new process."""
        self._known.pop(pid, None)

    def hurry(self, pid: str) -> None:
        """Examine a process at the next look, since it has become another program."""
        if known := self._known.get(pid):
            self._known[pid] = replace(known, due=-math.inf)

    def _examine(self, root: Root, pid: str, ticks: int | None) -> None:
        before = self._known.get(pid)
        try:
            stat = parse_stat(root.read(f"proc/{pid}/stat"))
            if stat.threads == 0 or (ticks is not None and stat.started >= ticks):
                self.forget(pid)
                return
            before = before if before and before.started == stat.started else None
            found = self.rules.examine(root, stat, pid, before)
        except GONE:
            self.forget(pid)
            return
        except (OSError, ValueError) as error:
            # A failure is no verdict: what was said before stands, of whoever has the pid by then
            # the reading tells.
            found = replace(before or Examined(pid, -1), blind=(file_of(error), error))
        self._known[pid] = replace(found, due=root.monotonic() + _wait(found, ticks))


def _age(one: Examined) -> tuple[int, int]:
    return one.started, int(one.pid)


def _wait(one: Examined, ticks: int | None) -> float:
    """Return for how long what is known of a process will do; spread, lest all come at once."""
    if one.blind and not isinstance(one.blind[1], PermissionError):
        return YOUNGEST_SECONDS
    age = OLDEST_SECONDS if ticks is None else (ticks - one.started) / TICKS
    share = 0.5 + int(one.pid) % _SPREAD / (2 * _SPREAD)
    return max(YOUNGEST_SECONDS, min(age, OLDEST_SECONDS) * share)
