"""A ``/proc`` in a folder, whose processes a test makes and ends."""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from exporters.host.place import Place

USER_PROCESS, KERNEL_THREAD = 0x0040_0000, 0x0020_8040


class Places:
    """Knows where processes run from a table by cgroup."""

    def __init__(self, table: Mapping[str, Place] = {}) -> None:
        self.table = table

    def of(self, _root: object, path: str) -> Place:
        """Return the place of a cgroup; nothing is known of one that is not in the table."""
        return self.table.get(path, Place())


def stat_text(
    pid: int,
    command: str = "app",
    *,
    flags: int = USER_PROCESS,
    faults: tuple[int, int] = (0, 0),
    ticks: tuple[int, int] = (0, 0),
    threads: int = 1,
    started: int = 1000,
) -> str:
    """Return a stat with the fields that count; the others as a real one had them."""
    return (
        f"{pid} ({command}) S 1 {pid} {pid} 0 -1 {flags} {faults[0]} 7 {faults[1]} 7"
        f" {ticks[0]} {ticks[1]} 7 7 20 0 {threads} 0 {started} 2678784 352 18446744073709551615"
        " 1 1 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    )


def status_text(
    command: str = "app",
    *,
    kilobytes: int | None = 1408,
    threads: int = 1,
    allowed: tuple[str, str] = ("0-3", "0"),
    switches: tuple[int, int] = (0, 0),
) -> str:
    """Return a status as Linux 6 writes it, of its lines those that count and their neighbours."""
    memory = "" if kilobytes is None else f"VmHWM:\t    9999 kB\nVmRSS:\t{kilobytes:8} kB\n"
    return (
        f"Name:\t{command}\nUmask:\t0022\nState:\tS (sleeping)\nUid:\t0\t0\t0\t0\n{memory}"
        f"Threads:\t{threads}\nSigQ:\t0/96551\nCpus_allowed:\tf\nCpus_allowed_list:\t{allowed[0]}\n"
        f"Mems_allowed:\t00000001\nMems_allowed_list:\t{allowed[1]}\n"
        f"voluntary_ctxt_switches:\t{switches[0]}\nnonvoluntary_ctxt_switches:\t{switches[1]}\n"
    )


class Proc:
    """The folder ``proc`` of a tree."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self.uptime(1_000_000)

    def uptime(self, seconds: float) -> None:
        """Set how long the node has been up."""
        self.write("proc/uptime", f"{seconds:.2f} 123.45\n")

    def write(self, path: str, text: str | bytes) -> None:
        """Write a file."""
        target = self.tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)

    def put(
        self,
        pid: int,
        command: str = "app",
        *,
        line: str = "",
        cgroup: str = "0::/app\n",
        files: Sequence[str] = ("/dev/null",),
        maps: str = "",
        flags: int = USER_PROCESS,
        started: int = 1000,
        ticks: tuple[int, int] = (0, 0),
        faults: tuple[int, int] = (0, 0),
        kilobytes: int | None = 1408,
        allowed: tuple[str, str] = ("0-3", "0"),
        switches: Sequence[tuple[int, int]] = ((0, 0),),
    ) -> None:
        """Make a process, or change one; ``switches`` has an item for each thread."""
        self.end(pid)
        shown = {"flags": flags, "started": started, "ticks": ticks, "faults": faults}
        many = len(switches)
        self.write(f"proc/{pid}/stat", stat_text(pid, command, threads=many, **shown))  # type: ignore[arg-type]
        self.write(f"proc/{pid}/cmdline", (line or command).replace(" ", "\0") + "\0")
        self.write(f"proc/{pid}/cgroup", cgroup)
        self.write(f"proc/{pid}/maps", maps)
        for index, counts in enumerate(switches):
            text = status_text(
                command, kilobytes=kilobytes, threads=many, allowed=allowed, switches=counts
            )
            self.write(f"proc/{pid}/task/{pid + index}/status", text)
            if index == 0:
                self.write(f"proc/{pid}/status", text)
        (self.tree / f"proc/{pid}/fd").mkdir()
        for number, target in enumerate(files):
            os.symlink(target, self.tree / f"proc/{pid}/fd/{number}")

    def end(self, pid: int) -> None:
        """End a process, if there is one."""
        shutil.rmtree(self.tree / f"proc/{pid}", ignore_errors=True)
