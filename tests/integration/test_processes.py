"""The collector of processes on real ones, with psutil as the oracle."""

import errno
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from exporters.core import Metric, Root
from exporters.core.runner import run
from exporters.core.task import Outcome, Task
from exporters.host import process_metrics as metrics
from exporters.host.options import HostOptions
from exporters.host.process_rules import Examined
from exporters.host.processes import collector
from tests.support.process_tree import Places
from tests.support.readings import readings

PATIENCE_SECONDS = 20.0
REPOSITORY = Path(__file__).resolve().parents[2]
ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="wants root")

# Burns time in both modes on one CPU, opens files, starts threads that switch; then says so and
# stands still.
BUSY = """
import os, threading, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
files = [open("/dev/null") for _ in range(17)]
memory = bytearray(16 << 20)
stop = threading.Event()
def wait():
    for _ in range(50):
        time.sleep(0.0001)
    stop.wait()
threads = [threading.Thread(target=wait, daemon=True) for _ in range(5)]
for thread in threads:
    thread.start()
until = time.process_time() + 0.3
while time.process_time() < until:
    sum(range(1000))
    os.stat("/")
time.sleep(0.3)
print("ready", flush=True)
stop.wait()
"""


class Scraper:
    """A collector at work on this machine or on what a folder shows of another."""

    def __init__(self, pattern: str = "", folder: str = "/", **options: object) -> None:
        """Choose by command line; by GPU where there is no pattern."""
        self.root = Root(folder)
        command = re.compile(pattern) if pattern else None
        chosen = HostOptions(gpu=not pattern, command=command, **options)  # type: ignore[arg-type]
        self.task = Task(collector(chosen, Places()), self.root, 60.0)

    def scrape(self) -> Outcome:
        """Return the outcome of one scrape."""
        outcome = Outcome()
        run(self.task, outcome, self.root)
        return outcome

    def until(self, holds: Callable[[Outcome], bool]) -> Outcome:
        """Scrape until a condition holds; fail when it takes too long."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not holds(outcome := self.scrape()):
            assert time.monotonic() < end, (outcome.status, outcome.reason, outcome.failures)
            time.sleep(0.02)
        return outcome

    def seen(self) -> list[Examined]:
        """Return the chosen processes that the collector knows of."""
        look = self.task.collector.discover
        known = look.__self__.watch._known  # type: ignore[attr-defined]
        return [one for one in known.values() if one.chosen]


def processes(outcome: Outcome) -> float:
    """Return the number of chosen processes."""
    found = readings(outcome, metrics.PROCESSES, *metrics.GROUP).values()
    return sum(value for value in found if isinstance(value, int))


def only(outcome: Outcome, metric: Metric) -> object:
    """Return the one value of a metric."""
    [value] = [sample.value for sample in outcome.samples if sample.series.metric is metric]
    return value


@contextmanager
def started(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Run a program until the block ends."""
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def ready(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Run a program until the block ends; give it when it has said "ready"."""
    with started(*arguments) as process:
        assert process.stdout is not None
        assert "ready\n" == process.stdout.readline()
        yield process


def test_a_real_process_is_what_other_tools_say() -> None:
    """CPU time, memory, files and switches as psutil has them, faults as ps has them."""
    with ready(sys.executable, "-c", BUSY, "mark-oracle") as process:
        child = psutil.Process(process.pid)
        outcome = Scraper("mark-oracle").until(lambda found: processes(found) == 1)
        times = child.cpu_times()
        threads = [psutil.Process(thread.id).num_ctx_switches() for thread in child.threads()]
        told = subprocess.check_output(
            ["ps", "-o", "min_flt=,maj_flt=", "-p", str(child.pid)], text=True
        )

        expected = {"user": times.user, "system": times.system}
        assert expected == readings(outcome, metrics.CPU, "mode")
        assert times.user + times.system > 0.25
        assert child.num_threads() == 6 == only(outcome, metrics.THREADS)
        assert child.memory_info().rss == only(outcome, metrics.MEMORY)
        assert child.num_fds() == only(outcome, metrics.OPEN_FILES)
        assert child.num_fds() > 17
        faults = dict(zip(("minor", "major"), map(int, told.split()), strict=True))
        assert faults == readings(outcome, metrics.FAULTS, "type")
        switches = {
            "voluntary": sum(one.voluntary for one in threads),
            "involuntary": sum(one.involuntary for one in threads),
        }
        assert switches == readings(outcome, metrics.SWITCHES, "type")
        assert switches["voluntary"] > 5 * 50 > child.num_ctx_switches().voluntary
        assert len(child.cpu_affinity() or []) == 1 == only(outcome, metrics.ALLOWED_CPUS)
        assert [] == outcome.failures


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="wants two CPUs")
def test_any_thread_counts_for_the_cpus_that_are_allowed() -> None:
    """A thread that is pinned elsewhere than the first one."""
    first, second, *_ = sorted(os.sched_getaffinity(0))
    with ready(sys.executable, "-c", BUSY, "mark-pinned") as process:
        scraper = Scraper("mark-pinned")
        scraper.until(lambda found: only(found, metrics.ALLOWED_CPUS) == 1)
        last = psutil.Process(process.pid).threads()[-1].id
        os.sched_setaffinity(last, {second})
        outcome = scraper.scrape()

    lists = {f"{first}-{second}", f"{first},{second}"}
    assert lists & set(readings(outcome, metrics.ALLOWED, "cpus"))
    assert 2 == only(outcome, metrics.ALLOWED_CPUS)


def test_a_group_never_falls_when_members_end() -> None:
    """Three real processes, of which one is killed and one is put in its place."""
    scraper = Scraper("mark-group")
    arguments = (sys.executable, "-c", BUSY, "mark-group")
    with ready(*arguments) as one, ready(*arguments), ExitStack() as later:
        before = scraper.until(lambda found: processes(found) == 2)
        one.kill()
        one.wait(20)
        less = scraper.until(lambda found: processes(found) == 1)
        assert readings(before, metrics.CPU, "mode") == readings(less, metrics.CPU, "mode")
        three = psutil.Process(later.enter_context(ready(*arguments)).pid)
        more = scraper.until(lambda found: processes(found) == 2)

        expected = readings(less, metrics.CPU, "mode")["user"], three.cpu_times().user
        total = readings(more, metrics.CPU, "mode")["user"]
        assert total == pytest.approx(sum(value for value in expected if isinstance(value, float)))


def test_a_zombie_is_no_failure() -> None:
    """It has no memory and no open files, and keeps what it has counted until it is reaped."""
    with ready(sys.executable, "-c", BUSY, "mark-zombie") as process:
        scraper = Scraper("mark-zombie")
        before = scraper.until(lambda found: processes(found) == 1)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        outcome = scraper.until(lambda found: only(found, metrics.THREADS) == 1)

        assert (0, 0) == (only(outcome, metrics.MEMORY), only(outcome, metrics.OPEN_FILES))
        user = [readings(one, metrics.CPU, "mode")["user"] for one in (before, outcome)]
        assert user == [user[0], pytest.approx(user[0], abs=0.02)]
        assert [] == outcome.failures


@ROOT_ONLY
def test_a_reused_pid_is_another_process() -> None:
    """In a PID namespace of its own, where the next pid can be chosen."""
    script = "mount -t proc proc /proc && echo ready && while read -r line; do eval $line; done"
    with ready("unshare", "--pid", "--fork", "--mount", "sh", "-c", script) as process:
        [inside] = psutil.Process(process.pid).children()
        scraper = Scraper("^sleep 100", f"/proc/{inside.pid}/root")

        def start(seconds: int) -> None:
            """Start a process with the pid 300, once the one before has ended."""
            assert process.stdin is not None
            process.stdin.write(f"echo 299 > /proc/sys/kernel/ns_last_pid; sleep {seconds} &\n")
            process.stdin.flush()

        start(1001)
        old = scraper.until(lambda found: processes(found) == 1)
        [first] = scraper.seen()
        [sleep] = inside.children()
        sleep.kill()
        assert process.stdin is not None
        process.stdin.write("wait\n")
        start(1002)
        new = scraper.until(lambda _: scraper.seen() not in ([first], []))
        [second] = scraper.seen()

        assert ("300", "300") == (first.pid, second.pid)
        assert first.started < second.started
        assert [] == old.failures + new.failures


@ROOT_ONLY
def test_a_device_that_is_open_in_another_mount_namespace() -> None:
    """As in a container: the link shows the path as the container has it."""
    script = (
        "mount -t tmpfs none /dev && : > /dev/nvidia0 && exec 9< /dev/nvidia0"
        " && echo ready && exec sleep 1000"
    )
    with ready("unshare", "--mount", "sh", "-c", script) as process:
        pid = str(process.pid)
        Scraper().until(lambda found: pid in readings(found, metrics.USES_GPU, "pid"))


def test_a_library_that_is_mapped(tmp_path: Path) -> None:
    """A real mapping, of a file that has the name."""
    library = tmp_path / "libcuda.so.1"
    library.write_bytes(b"\0" * 4096)
    code = (
        "import mmap, sys, time; f = open(sys.argv[1], 'r+b'); m = mmap.mmap(f.fileno(), 0);"
        "print('ready', flush=True); time.sleep(1000)"
    )
    with ready(sys.executable, "-c", code, str(library)) as process:
        pid = str(process.pid)
        Scraper().until(lambda found: pid in readings(found, metrics.USES_GPU, "pid"))


@ROOT_ONLY
def test_without_rights_the_rest_is_told() -> None:
    """
    A user who is nobody: one failure, and all else.

    Open files are among it since Linux 6.2, where their number is a folder's size.
    """
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tests.integration.test_processes import report\n"
        "report(sys.argv[2])"
    )
    with ready(sys.executable, "-c", BUSY, "mark-denied"):
        told = subprocess.run(
            [sys.executable, "-c", code, str(REPOSITORY), "mark-[d]enied"],
            user=65534, group=65534, extra_groups=[], capture_output=True, text=True, check=True,
            cwd=REPOSITORY, timeout=60,
        ).stdout.splitlines()  # fmt: skip

    assert ["proc/[pid]/fd EACCES"] == [line for line in told if "proc/" in line]
    assert "tailsight_process_threads 6" in told
    assert any(line.startswith("tailsight_process_context_switches_total") for line in told)
    release = tuple(map(int, platform.release().split(".")[:2]))
    assert (release >= (6, 2)) == any("open_files" in line for line in told)


def report(pattern: str) -> None:
    """Print what a scrape gives: for a process with other rights than the test's."""
    chosen = HostOptions(command=re.compile(pattern))
    task = Task(collector(chosen, Places()), Root(), 60.0)
    outcome = Outcome()
    run(task, outcome, Root())
    for failure in outcome.failures:
        number = getattr(failure.error, "errno", None) or 0
        print(failure.where, errno.errorcode.get(number, failure.error))  # noqa: T201
    for series, value in outcome.samples:
        print(series.metric.name, value)  # noqa: T201


def test_nothing_stays_open_and_series_stay_flat() -> None:
    """Two hundred scrapes while processes come and go."""
    scraper = Scraper("^sleep 777")
    with ExitStack() as stack:
        stack.enter_context(started("sleep", "777"))
        scraper.until(lambda found: processes(found) == 1)
        opened, series = len(os.listdir("/proc/self/fd")), len(scraper.scrape().samples)
        for turn in range(200):
            if turn % 5 == 0:
                with started("sleep", "777"):
                    outcome = scraper.scrape()
            outcome = scraper.scrape()
            assert [] == outcome.failures
            assert series == len(outcome.samples)
        assert opened == len(os.listdir("/proc/self/fd"))
        # The watch, the totals and the groups know of those that live, and of nobody else.
        scraper.until(lambda found: processes(found) == 1)
        assert 1 == len(scraper.seen())


def test_where_memory_is_adds_up_to_what_is_resident() -> None:
    """The pages of numa_maps are those of the resident set, but for the kernel's own."""
    with ready(sys.executable, "-c", BUSY, "mark-numa") as process:
        outcome = Scraper("mark-numa", numa_maps_seconds=300.0).until(
            lambda found: processes(found) == 1
        )
        resident = psutil.Process(process.pid).memory_info().rss

    found = readings(outcome, metrics.NUMA_MEMORY, "numa_node").values()
    assert resident == pytest.approx(sum(map(float, map(str, found))), rel=0.05)
    assert time.time() == pytest.approx(float(str(only(outcome, metrics.NUMA_TIME))), abs=10)


def test_a_scrape_costs_less_than_reading_all() -> None:
    """With 200 more processes that nobody chose, against psutil's reads of each."""
    with ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(started("sleep", "778"))
        scraper = Scraper("^no such process")
        scraper.scrape()
        ours = cpu_seconds(scraper.scrape)
        naive = cpu_seconds(read_all)

    assert ours < naive / 2


def read_all() -> None:
    """Read of every process what a naive exporter tells of it."""
    for process in psutil.process_iter():
        with suppress(psutil.Error), process.oneshot():
            process.cpu_times()
            process.memory_info()
            process.num_threads()
            process.num_ctx_switches()
            process.num_fds()


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the least CPU time of five runs."""
    spent = []
    for _ in range(5):
        begun = time.process_time()
        work()
        spent.append(time.process_time() - begun)
    return min(spent)
