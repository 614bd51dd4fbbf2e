"""Containers that really reach their limits, in control groups of version 1 of this machine."""

import errno
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from exporters.core import Metric, Root
from exporters.core.task import Outcome
from exporters.host import container_metrics as metrics
from exporters.host.identity import Identities
from tests.support.cgroups import Scraper, pairs
from tests.support.readings import readings

MOUNT = Path("/sys/fs/cgroup")
CONTROLLERS = ("memory", "cpu", "cpuacct", "pids")
MIB = 1 << 20


def _is_ours() -> bool:
    files = [MOUNT / name / "cgroup.procs" for name in CONTROLLERS]
    return os.geteuid() == 0 and all(os.access(file, os.W_OK) for file in files)


pytestmark = pytest.mark.skipif(
    not _is_ours(), reason="wants root, and control groups of version 1 that can be made"
)


@dataclass(frozen=True, slots=True)
class Container:
    """A group as Docker makes it with the cgroupfs driver, in each hierarchy."""

    id: str

    @property
    def label(self) -> str:
        """What stands for its name, which no file tells."""
        return self.id[:12]

    def folder(self, controller: str) -> Path:
        """Return where it is."""
        return MOUNT / controller / "docker" / self.id

    def write(self, controller: str, **values: object) -> None:
        """Set limits: ``limit_in_bytes`` of the memory controller is ``memory.limit_in_bytes``."""
        for name, value in values.items():
            (self.folder(controller) / f"{controller}.{name}").write_text(f"{value}")

    def begin(self, code: str) -> "subprocess.Popen[str]":
        """Start a program in it; the first line of its input lets it go on."""
        process = subprocess.Popen(
            [sys.executable, "-c", f"input()\n{code}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for controller in CONTROLLERS:
            (self.folder(controller) / "cgroup.procs").write_text(f"{process.pid}")
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
        return process

    def run(self, code: str) -> tuple[int, str]:
        """Run a program in it to its end; return its status and what it said."""
        with self.begin(code) as process:
            output, _ = process.communicate(timeout=60)
        return process.returncode, output


def _remove(folder: Path) -> None:
    """Remove a group, whose processes may take a moment to leave it after their end."""
    for _ in range(200):
        try:
            folder.rmdir()
        except OSError as error:
            if error.errno != errno.EBUSY:
                return
            time.sleep(0.01)
        else:
            return


@contextmanager
def made() -> Iterator[Container]:
    """Make a container; remove it, and what above it was not there."""
    container = Container(secrets.token_hex(32))
    with ExitStack() as stack:
        for controller in CONTROLLERS:
            folder = container.folder(controller)
            with suppress(FileExistsError):
                folder.parent.mkdir()
                stack.callback(_remove, folder.parent)
            folder.mkdir()
            stack.callback(_remove, folder)
        yield container


@pytest.fixture
def container() -> Iterator[Container]:
    """Make a container."""
    with made() as one:
        yield one


def scraper(root: Root | None = None) -> Scraper:
    """Return a collector of this machine's containers."""
    return Scraper(root or Root(), Identities(None), most=4096)  # type: ignore[arg-type]


def told(outcome: Outcome, metric: Metric, container: Container) -> object:
    """Return a metric of the container, None where there is none."""
    return readings(outcome, metric, "container").get(container.label)


def events(outcome: Outcome, container: Container) -> Mapping[str, float]:
    """Return the events of the container."""
    found = pairs(outcome, metrics.MEMORY_EVENTS, "event")
    return {event: value for (name, event), value in found.items() if name == container.label}


def test_memory_in_use(container: Container) -> None:
    """A program holds 20 MiB of its own; without a limit none is told."""
    code = "memory = bytearray(20 << 20)\nprint('ready', flush=True)\ninput()"
    with container.begin(code) as process:
        assert process.stdout
        assert "ready\n" == process.stdout.readline()
        outcome = scraper().scrape()
        usage, working_set = (
            float(str(told(outcome, metric, container)))
            for metric in (metrics.USAGE, metrics.WORKING_SET)
        )
        process.kill()

    assert 20 * MIB < working_set <= usage < 40 * MIB
    assert 1 == told(outcome, metrics.TASKS, container)
    assert None is told(outcome, metrics.MEMORY_LIMIT, container)
    assert None is told(outcome, metrics.CPU_LIMIT, container)
    assert None is told(outcome, metrics.TASKS_LIMIT, container)
    assert {"max": 0, "oom_kill": 0} == events(outcome, container)


def test_limit_reached_and_out_of_memory(container: Container) -> None:
    """Two programs are killed for it, one after the other."""
    container.write("memory", limit_in_bytes=16 * MIB)
    many = scraper()
    before = events(many.scrape(), container)
    statuses = [container.run("memory = bytearray(64 << 20)")[0] for _ in range(2)]
    outcome = many.scrape()
    after = events(outcome, container)

    assert [-signal.SIGKILL] * 2 == statuses
    assert {"max": 0, "oom_kill": 0} == before
    assert 2 == after["oom_kill"]
    assert after["max"] >= 2
    assert 16 * MIB == told(outcome, metrics.MEMORY_LIMIT, container)


def test_limit_reached_by_page_cache(container: Container, tmp_path: Path) -> None:
    """Files are written through the limit: it is reached, and nobody dies."""
    container.write("memory", limit_in_bytes=16 * MIB)
    code = (
        f"file = open({str(tmp_path / 'file')!r}, 'wb')\n"
        "for _ in range(48): file.write(bytes(1 << 20)); file.flush()\n"
        "import os; os.fsync(file.fileno())"
    )
    status, _ = container.run(code)
    outcome = scraper().scrape()
    usage, working_set = (
        float(str(told(outcome, metric, container)))
        for metric in (metrics.USAGE, metrics.WORKING_SET)
    )

    assert 0 == status
    assert 0 == events(outcome, container)["oom_kill"]
    assert events(outcome, container)["max"] > 0
    # What is left is page cache, clean and used once.
    assert working_set < usage / 2 <= 8 * MIB


def test_throttling(container: Container) -> None:
    """A fifth of a CPU for a program that wants one; what it loses it measures itself."""
    container.write("cpu", cfs_period_us=100_000, cfs_quota_us=20_000)
    code = (
        "import time\n"
        "wall, cpu = time.monotonic(), time.process_time()\n"
        "while time.monotonic() < wall + 2: pass\n"
        "print(time.monotonic() - wall, time.process_time() - cpu)"
    )
    _, output = container.run(code)
    wall, cpu = map(float, output.split())
    outcome = scraper().scrape()

    assert 0.2 == told(outcome, metrics.CPU_LIMIT, container)
    periods = float(str(told(outcome, metrics.PERIODS, container)))
    throttled = float(str(told(outcome, metrics.THROTTLED_PERIODS, container)))
    assert wall / 0.1 * 0.8 <= throttled <= periods <= wall / 0.1 * 1.3
    assert wall - cpu == pytest.approx(told(outcome, metrics.THROTTLED, container), rel=0.2)
    modes = {
        mode: value
        for (name, mode), value in pairs(outcome, metrics.CPU, "mode").items()
        if name == container.label
    }
    # The interpreter ends in the group, and version 1 counts in hundredths.
    assert cpu == pytest.approx(sum(modes.values()), abs=0.1)


def test_user_and_system_time(container: Container) -> None:
    """A program that is mostly in the kernel, as os.times has it."""
    code = "import os\nwhile sum(os.times()[:2]) < 1.0: os.urandom(1 << 16)\nprint(*os.times()[:2])"
    _, output = container.run(code)
    user, system = map(float, output.split())
    found = pairs(scraper().scrape(), metrics.CPU, "mode")

    assert system > 2 * user
    assert system == pytest.approx(found[container.label, "system"], abs=0.1)
    assert user == pytest.approx(found[container.label, "user"], abs=0.1)


def test_a_limit_of_tasks(container: Container) -> None:
    """As docker run --pids-limit sets it."""
    container.write("pids", max=7)
    assert 7 == told(scraper().scrape(), metrics.TASKS_LIMIT, container)


def test_groups_that_come_and_go() -> None:
    """300 of them, replaced while they are read: no failure, no open file left, time to spare."""
    stop = threading.Event()
    with ExitStack() as stack, ThreadPoolExecutor(1) as pool:
        mine = {stack.enter_context(made()).label for _ in range(300)}
        many = scraper()
        before, descriptors = _series(many, mine), len(os.listdir("/proc/self/fd"))
        turnover = pool.submit(_replace, stop)
        begun = time.monotonic()
        outcomes = [many.scrape() for _ in range(20)]
        seconds = time.monotonic() - begun
        stop.set()
        replaced = turnover.result(60)

        assert [] == [failure for outcome in outcomes for failure in outcome.failures]
        assert 300 * 10 == before == _series(many, mine)
        assert descriptors == len(os.listdir("/proc/self/fd"))
        assert replaced > 5
        assert seconds / 20 < 1.0


def _series(many: Scraper, containers: AbstractSet[str]) -> int:
    """Return how many series some containers have."""
    at = metrics.LABELS.index("container")
    told = (sample.series.values for sample in many.scrape().samples)
    return sum(labels[at] in containers for labels in told if labels)


def _replace(stop: threading.Event) -> int:
    """Make containers and remove them until told to stop; return how many they were."""
    count = 0
    while not stop.is_set():
        with made(), made():
            count += 2
    return count


def test_a_container_with_a_private_namespace(container: Container) -> None:
    """Its /sys/fs/cgroup begins with its own group: absent, and what to mount."""
    script = (
        "mount -t tmpfs none /sys/fs/cgroup && mkdir /sys/fs/cgroup/memory"
        " && mount -t cgroup -o memory none /sys/fs/cgroup/memory && echo ready && read -r line"
    )
    inside = f"import os; os.execvp('unshare', ['unshare', '-Cm', 'sh', '-c', {script!r}])"
    with container.begin(inside) as process:
        assert process.stdout
        assert "ready\n" == process.stdout.readline()
        outcome = scraper(Root(f"/proc/{process.pid}/root")).scrape()
        process.kill()

    assert "absent" == outcome.status
    assert "/sys/fs/cgroup/memory shows the agent's own control group" in outcome.reason
    assert "-v /sys/fs/cgroup:/sys/fs/cgroup:ro" in outcome.reason
