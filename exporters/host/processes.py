"""
The processes that matter here, by group: CPU time, threads, switches, faults, files, placement.

``/proc/<pid>/{stat,status,cgroup,cmdline,fd,maps,numa_maps}`` and ``/proc/<pid>/task``:
https://docs.kernel.org/filesystems/proc.html
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from exporters.core import Collector, Failure, NoData, Root, Sensor
from exporters.hardware.known import Known
from exporters.host.options import HostOptions
from exporters.host.process_counters import Identity
from exporters.host.process_faults import Faults
from exporters.host.process_groups import Groups, Process
from exporters.host.process_look import Look, Places
from exporters.host.process_metrics import METRICS, WAITING
from exporters.host.process_names import Names
from exporters.host.process_numa import NumaMaps
from exporters.host.process_reading import Kept
from exporters.host.process_rules import Rules
from exporters.host.process_watch import UPTIME, Seen, Watch, boot_ticks

ADVICE = (
    "processes of the node: in a container run with the node's PID namespace (hostPID: true,"
    " --pid=host) and CAP_SYS_PTRACE, for a user other than root also CAP_DAC_READ_SEARCH;"
    " where AppArmor confines containers also apparmor=unconfined;"
    " choose more with --processes.command or --processes.cgroup"
)


@dataclass(slots=True)
class Processes:
    """Looks at a node's processes at every scrape, and remembers what it saw."""

    places: Places
    watch: Watch
    groups: Groups
    numa: NumaMaps | None
    names: Names = field(default_factory=Names)
    _looks: int = 0
    _before: int | None = None
    _kept: Mapping[str, Kept] = field(default_factory=dict)
    _latest: Sequence[Sensor | Failure] = ()
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def discover(self, root: Root) -> Iterable[Sensor | Failure]:
        """
        Read the chosen processes.

        A look that hung in a read, and goes on when a later one has been made, changes nothing.

        Raises:
            NoData: no process is chosen.
            OSError: the processes cannot be listed.
        """
        self._looks += 1
        this = self._looks
        faults = Faults()
        ticks, broken = _ticks(root)
        seen = self.watch.look(root, ticks, faults)
        look = Look(root, self.places, faults, self._before, self.names, self._kept)
        processes = self._read(look, seen)
        with self._lock:
            if this == self._looks:
                self._latest, self._before, self._kept = (), ticks, look.kept
                self._latest = (*broken, *self._told(seen, processes, faults))
            return self._latest

    def _read(self, look: Look, seen: Seen) -> list[Process]:
        identities = [Identity(one.pid, one.started) for one in seen.chosen]
        placements = self.numa.look(look.root, identities, look.faults) if self.numa else {}
        self.names.keep(identities)
        return list(look.read(seen.chosen, placements, self.watch))

    def _told(
        self, seen: Seen, processes: Sequence[Process], faults: Faults
    ) -> Sequence[Sensor | Failure]:
        samples = [*self.groups.samples(processes), WAITING.sample(seen.waiting)]
        told = Known("proc/[pid]/stat", tuple(samples))
        if processes or (faults and seen.judged):
            return (*faults.failures(), told)
        if faults:
            return tuple(faults.failures())
        raise NoData(_why(seen))


def _ticks(root: Root) -> tuple[int | None, Sequence[Failure]]:
    try:
        return boot_ticks(root), ()
    except (OSError, ValueError) as error:
        return None, (Failure(UPTIME, error),)


def _why(seen: Seen) -> str:
    """Return why no process is chosen, though nothing failed."""
    if not seen.processes:
        return "/proc shows no processes"
    tried = seen.processes - seen.waiting
    sight = "the one process" if tried == 1 else f"any of the {tried} processes"
    hidden = "" if seen.first else "; /proc hides those of other users (hidepid)"
    return f"no rule chooses {sight} in sight{hidden}"


def collector(options: HostOptions, places: Places) -> Collector:
    """Return a collector of the chosen processes, which has seen none yet."""
    seconds = options.numa_maps_seconds
    numa = None if seconds is None else NumaMaps(seconds)
    processes = Processes(places, Watch(Rules(options)), Groups(options.processes), numa)
    return Collector(
        "processes",
        METRICS,
        processes.discover,
        source="/proc/[pid]/stat",
        advice=ADVICE,
        volatile=True,
    )
