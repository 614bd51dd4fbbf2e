"""A program under measurement: started, scraped, and looked at from outside."""

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.programs import UNPACKED

# What Prometheus 2.x sends.
HEADERS = {
    "Accept": "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
    "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
    "Accept-Encoding": "gzip",
    "User-Agent": "Prometheus/2.42.0",
    "X-Prometheus-Scrape-Timeout-Seconds": "10",
}

# The collectors of both that read the same files. node_exporter's cpu collector, which has the
# throttle counts, reads /proc/stat besides.
OURS = ("hwmon", "thermal", "cooling", "fan", "cpufreq", "cpu_throttle", "rapl")
THEIRS = ("hwmon", "thermal_zone", "cpufreq", "cpu", "rapl")
START_SECONDS = 30.0


@dataclass(slots=True)
class Memory:
    """What a process holds, in mebibytes."""

    rss: float
    pss: float
    anonymous: float


@dataclass(slots=True)
class Subject:
    """A running program and what was measured of it."""

    name: str
    pid: int
    port: int
    latencies: list[list[float]] = field(default_factory=list)
    """Seconds, by round."""
    cpu_seconds: float = 0.0

    def scrape(self) -> bytes:
        """Scrape once, on a connection of its own, and return the body as text."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", "/metrics")
        body = connection.getresponse().read()
        connection.close()
        return body

    def round(self, scrapes: int, pause_seconds: float = 0.0) -> None:
        """
        Scrape as Prometheus does, on one connection, and note how long each took.

        The pause before each scrape is not part of what it took.
        """
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        before, seconds = self.cpu(), []
        for _ in range(scrapes):
            time.sleep(pause_seconds)
            seconds.append(self.ask(connection)[0])
        connection.close()
        self.latencies.append(seconds)
        self.cpu_seconds += self.cpu() - before

    def ask(self, connection: http.client.HTTPConnection) -> tuple[float, bytes]:
        """
        Scrape as Prometheus does; return how long it took and the body, which is compressed.

        Raises:
            RuntimeError: the answer is an error.
        """
        started = time.perf_counter()
        connection.request("GET", "/metrics", headers=HEADERS)
        response = connection.getresponse()
        body = response.read()
        seconds = time.perf_counter() - started
        if response.status != http.HTTPStatus.OK:
            message = f"{self.name} answered {response.status}"
            raise RuntimeError(message)
        return seconds, body

    def memory(self) -> Memory:
        """Return what the process holds now."""
        text = Path(f"/proc/{self.pid}/smaps_rollup").read_text(encoding="ascii")
        rows = dict(line.split(":", 1) for line in text.splitlines()[1:])
        rss, pss, anonymous = (
            int(rows[key].split()[0]) / 1024 for key in ("Rss", "Pss", "Anonymous")
        )
        return Memory(rss, pss, anonymous)

    def cpu(self) -> float:
        """Return the processor time that it took so far; the kernel counts in 10 ms."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2]
        user, system = fields.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def ours(root: Path) -> tuple[str, list[str]]:
    """Return name and command line of tailsight on a root, with the matching collectors only."""
    switches = [f"--collector.{name}" for name in OURS]
    command = [sys.executable, "-m", "exporters", "serve", "--root", str(root)]
    return "tailsight", [*command, "--collector.disable-defaults", *switches, "--listen"]


def theirs(root: Path) -> tuple[str, list[str]]:
    """Return name and command line of node_exporter on a root, without its Go metrics."""
    program = next(UNPACKED.glob("*/usr/bin/prometheus-node-exporter"))
    switches = [f"--collector.{name}" for name in THEIRS]
    paths = [f"--path.sysfs={root}/sys", f"--path.procfs={root}/proc"]
    common = ["--collector.disable-defaults", "--web.disable-exporter-metrics"]
    return "node_exporter", [str(program), *paths, *common, *switches, "--web.listen-address"]


def live(*more: str) -> tuple[str, list[str]]:
    """Return name and command line of tailsight on this machine, as it runs by default."""
    command = [sys.executable, "-m", "exporters", "serve", *more, "--log.level", "error"]
    return "tailsight", [*command, "--listen"]


@contextmanager
def running(name: str, command: Sequence[str]) -> Iterator[Subject]:
    """Start a program, whose command line lacks the address, and kill it at the end."""
    with ExitStack() as last:
        yield start(name, command, last)


def start(name: str, command: Sequence[str], last: ExitStack) -> Subject:
    """Start a program; ``last`` kills it, and waits until it is gone."""
    port = free_port()
    quiet = subprocess.DEVNULL
    words = [*command, f"127.0.0.1:{port}"]
    process = subprocess.Popen(words, stdout=quiet, stderr=quiet, stdin=quiet)
    last.callback(process.wait)
    last.callback(process.kill)
    subject = Subject(name, process.pid, port)
    _wait(subject, process)
    return subject


def _wait(subject: Subject, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            subject.scrape()
        except OSError:
            time.sleep(0.05)
        else:
            return
    message = f"{subject.name} does not answer: {process.args!r}"
    raise RuntimeError(message)


def free_port() -> int:
    """Return a port of the loopback that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
