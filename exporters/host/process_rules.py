"""The rules that choose processes, tried on one of them."""

from dataclasses import dataclass

from exporters.core import Root
from exporters.host.options import HostOptions
from exporters.host.process_faults import GONE
from exporters.host.process_files import Stat, parse_cgroup
from exporters.host.process_gpu import uses_gpu

YOUNGEST_SECONDS, OLDEST_SECONDS = 5.0, 300.0
"""How soon a process is looked at again: after as long as it has lived, within these bounds."""

MOST_LINE = 8192
"""
Characters of a command line that are looked at. A search may take the square of them, and whoever
writes a mebibyte that suits the pattern would stop the agent for minutes.
"""

Blind = tuple[str, Exception]
"""The file of a process that could not be read, and why."""


@dataclass(frozen=True, slots=True)
class Examined:
    """What the rules said of a process when they were last tried on it."""

    pid: str
    started: int
    """Ticks from boot to its start; -1 where not even that could be read."""
    command: str = ""
    chosen: bool = False
    gpu: bool = False
    """It uses a GPU, or did since it began to be this program."""
    cgroup: str = "/"
    blind: Blind | None = None
    """What a rule could not see."""
    judged: bool = False
    """All rules could be tried on it, which is a program and not the agent itself."""
    due: float = 0.0
    """When to look again, in seconds of the root's clock."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Tries the rules that the options ask for."""

    options: HostOptions

    def examine(self, root: Root, stat: Stat, pid: str, before: Examined | None) -> Examined:
        """
        Return what the rules say of a process of this stat, which was read just now.

        ``stat`` says who it is. Whoever reads more of the process as chosen compares again, so
        that what is read here cannot be of another one that was given the same pid meanwhile.

        Args:
            root: the node.
            stat: who it is.
            pid: where it is.
            before: what they said last, of the same process.

        Raises:
            OSError: it has ended, or cannot be looked into at all.
            ValueError: a file is not what the kernel writes.
        """
        if stat.kernel_thread:
            return Examined(pid, stat.started, stat.command)
        cgroup = _cgroup(root, pid)
        gpu, blind = self._gpu(root, pid, stat, before)
        chosen = gpu or self._by_cgroup(cgroup) or self._by_command(root, pid)
        judged = blind is None and not _is_own(root, pid)
        return Examined(pid, stat.started, stat.command, chosen, gpu, cgroup, blind, judged)

    def _by_cgroup(self, path: str) -> bool:
        wanted = self.options.cgroup
        return wanted is not None and wanted.search(path) is not None

    def _by_command(self, root: Root, pid: str) -> bool:
        wanted = self.options.command
        if wanted is None:
            return False
        line = root.read(f"proc/{pid}/cmdline").replace("\0", " ")
        return wanted.search(line, 0, MOST_LINE) is not None

    def _gpu(
        self, root: Root, pid: str, stat: Stat, before: Examined | None
    ) -> tuple[bool, Blind | None]:
        """Whether it uses a GPU: then it stays chosen until it ends or is another program."""
        if not self.options.gpu or _is_own(root, pid):
            return False, None
        if before and before.gpu and before.command == stat.command:
            return True, None
        try:
            return uses_gpu(root, pid), None
        except GONE:
            raise
        except OSError as error:
            return False, (_gpu_file(error), error)


def _cgroup(root: Root, pid: str) -> str:
    """Return a process's cgroup; the top on a kernel without CONFIG_CGROUPS, or once it ended."""
    try:
        return parse_cgroup(root.read(f"proc/{pid}/cgroup"))
    except FileNotFoundError:
        return "/"


def _is_own(root: Root, pid: str) -> bool:
    """Whether it is the agent's own pid: NVML opens the GPUs, and that is no use of them."""
    try:
        return root.live and root.link("proc/self") == pid
    except OSError:
        return False


def _gpu_file(error: OSError) -> str:
    """Return which file failed; one name for what one and the same right would open."""
    mapped = str(error.filename).endswith("/maps") and not isinstance(error, PermissionError)
    return "maps" if mapped else "fd"
