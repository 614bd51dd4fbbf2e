"""Two network namespaces joined by a cable (veth), for daemons that talk to each other."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

INTERFACE = "veth0"
"""The end of the cable, in either namespace."""
_ADDRESSES = ("192.0.2.1", "192.0.2.2")
# Says that it is there, then lives until its standard input closes: also when pytest is killed.
_HOLDER = ("sh", "-c", "echo; exec cat")


@dataclass(frozen=True, slots=True)
class Namespace:
    """A network of its own, with an address on the cable."""

    address: str
    enter: tuple[str, ...]
    """What to put before a command so that it runs there."""

    def run(self, *command: str) -> str:
        """Run a command to its end and return its standard output; it must succeed."""
        done = subprocess.run(
            [*self.enter, *command], check=True, capture_output=True, text=True, timeout=30
        )
        return done.stdout

    @contextmanager
    def running(self, *command: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
        """Run a daemon, in the foreground, until the end of the block; its output goes to a log."""
        tied = ("setpriv", "--pdeathsig", "KILL")
        with log.open("ab") as output:
            daemon = subprocess.Popen(
                [*self.enter, *tied, *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        with daemon:
            try:
                yield daemon
            finally:
                daemon.terminate()
                try:
                    daemon.wait(5)
                except subprocess.TimeoutExpired:
                    daemon.kill()


@contextmanager
def joined() -> Iterator[tuple[Namespace, Namespace]]:
    """
    Give two namespaces, each with ``lo`` and ``veth0`` up; both end with the block.

    They have no names and are held by a process each, so nothing of them can stay behind. Without
    root they are in a user namespace. Skips the test, saying why, where neither is permitted.
    """
    with ExitStack() as stack:
        root = os.geteuid() == 0
        first = stack.enter_context(_held([] if root else ["--user", "--map-root-user"]))
        kept = [] if root else ["--user", "--preserve-credentials"]
        into = ["nsenter", "--target", str(first), *kept, "--net"]
        second = stack.enter_context(_held([], () if root else tuple(into)))
        both = [
            Namespace(address, ("nsenter", "--target", str(pid), *kept, "--net"))
            for address, pid in zip(_ADDRESSES, (first, second), strict=True)
        ]
        _connect(both[0], both[1], second)
        yield both[0], both[1]


@contextmanager
def _held(kinds: list[str], prefix: tuple[str, ...] = ()) -> Iterator[int]:
    """Make a namespace and give the process that holds it."""
    command = [*prefix, "unshare", *kinds, "--net", *_HOLDER]
    try:
        holder = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except FileNotFoundError as error:
        pytest.skip(f"no network namespaces without util-linux: {error}")
    with holder:
        assert holder.stdout is not None
        assert holder.stderr is not None
        if not holder.stdout.readline():
            reason = holder.stderr.read().decode(errors="replace").strip()
            pytest.skip(f"no network namespaces here: {reason}")
        try:
            yield holder.pid
        finally:
            holder.kill()


def _connect(one: Namespace, other: Namespace, pid: int) -> None:
    """Lay the cable and bring both ends up."""
    peer = ("peer", "name", INTERFACE, "netns", str(pid))
    try:
        one.run("ip", "link", "add", INTERFACE, "type", "veth", *peer)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no veth here: {error.stderr.strip()}")
    for space in (one, other):
        space.run("ip", "link", "set", "lo", "up")
        space.run("ip", "address", "add", f"{space.address}/30", "dev", INTERFACE)
        space.run("ip", "link", "set", INTERFACE, "up")
