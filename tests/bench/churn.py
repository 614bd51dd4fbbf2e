"""tailsight while 1,000 processes and 300 containers come and go, against those it replaces."""

import gzip
import http.client
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import psutil

from tests.bench.churned import ASKED, Churn, Seen, Turnover
from tests.bench.soak import state
from tests.bench.subject import Subject, live, start
from tests.support.programs import program

PER_SECOND = 10
"""How many groups are replaced in a second, with their processes."""
WARM_UP = 10
PAUSE_SECONDS = 0.2

# The families of node_exporter that tailsight has, too.
THEIRS = (
    "cpu", "cpufreq", "diskstats", "hwmon", "meminfo", "meminfo_numa", "netclass", "netdev",
    "pressure", "rapl", "thermal_zone", "timex", "vmstat",
)  # fmt: skip


@contextmanager
def crowd() -> Iterator[list[Turnover]]:
    """
    Have processes and groups come and go; yield how many there are at once.

    How many there were in all is added to the list at the end.
    """
    words = [str(number) for number in (ASKED.processes, ASKED.groups, PER_SECOND)]
    command = [sys.executable, "-m", "tests.bench.crowd", *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin
        assert process.stdout
        told = [Turnover(**json.loads(process.stdout.readline()))]
        try:
            yield told
        finally:
            process.stdin.close()
            told.append(Turnover(**json.loads(process.stdout.readline())))


def theirs() -> tuple[str, list[str]]:
    """Return name and command line of node_exporter on this machine, without its Go metrics."""
    switches = [f"--collector.{name}" for name in THEIRS]
    common = ["--collector.disable-defaults", "--web.disable-exporter-metrics"]
    path = str(program("prometheus-node-exporter"))
    return "node_exporter", [path, *common, *switches, "--web.listen-address"]


def naive() -> None:
    """Read of every process what process-exporter reads, with psutil."""
    for process in psutil.process_iter():
        try:
            with process.oneshot():
                process.cpu_times()
                process.num_threads()
                process.num_ctx_switches()
                process.memory_info()
                process.num_fds()
        except psutil.NoSuchProcess:
            continue


class Scraper:
    """Scrapes one program on a connection that stays open."""

    def __init__(self, subject: Subject, last: ExitStack) -> None:
        self.subject = subject
        self.seen = Seen(subject.name)
        self._connection = http.client.HTTPConnection("127.0.0.1", subject.port, timeout=30)
        last.callback(self._connection.close)
        self._before = 0.0

    def begin(self) -> None:
        """Forget the scrapes so far."""
        self.seen, self._before = Seen(self.subject.name), self.subject.cpu()

    def scrape(self) -> None:
        """Scrape once."""
        seconds, body = self.subject.ask(self._connection)
        self.seen.note(seconds, gzip.decompress(body).decode())

    def end(self) -> Seen:
        """Return what was seen; what the program does between scrapes is counted in."""
        self.seen.cpu_seconds = self.subject.cpu() - self._before
        return self.seen


def churn(scrapes: int) -> Churn:
    """Scrape both so often, in turns, and do the naive work as often, while all comes and goes."""
    with ExitStack() as last:
        there = last.enter_context(crowd())
        name, command = live("--processes.command", "worker-")
        ours = Scraper(start(name, command, last), last)
        other = Scraper(start(*theirs(), last), last)
        for _ in range(WARM_UP):
            _turn(ours, other)
        ours.begin()
        other.begin()
        before, work = state(ours.subject), Seen("psutil")
        for _ in range(scrapes):
            _turn(ours, other)
            work.seconds.append(_naive())
        work.cpu_seconds = sum(work.seconds)
        seen = ours.end(), other.end(), work
        after, memory = state(ours.subject), ours.subject.memory()
    at_once, in_all = there
    return Churn(*seen, at_once, in_all, before, after, memory)


def _turn(*scrapers: Scraper) -> None:
    for scraper in scrapers:
        time.sleep(PAUSE_SECONDS)
        scraper.scrape()


def _naive() -> float:
    """Return the processor time that the naive work takes."""
    started = time.process_time()
    naive()
    return time.process_time() - started
