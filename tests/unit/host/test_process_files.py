"""Parsers of the files of a process."""

import os
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.host.process_files import (
    parse_cgroup,
    parse_numa_maps,
    parse_stat,
    parse_status,
    parse_uptime,
)
from tests.support.process_tree import KERNEL_THREAD, stat_text, status_text

# https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: fields by their number.
FIELDS = ["1", "(a b) c)", "S", *(str(number) for number in range(4, 53))]


def test_stat_takes_the_fields_of_the_manual() -> None:
    """Each value is the field whose number proc_pid_stat(5) gives it."""
    stat = parse_stat(" ".join(FIELDS))

    assert "a b) c" == stat.command
    assert (14, 15) == (stat.user, stat.system)
    assert (10, 12) == (stat.minor, stat.major)
    assert (20, 22) == (stat.threads, stat.started)
    assert stat.kernel_thread is False


@pytest.mark.parametrize("command", ["a", "", ") S 1 2 3", "a\nb", " ( ", "ä�"])
def test_a_command_cannot_forge_fields(command: str) -> None:
    """Whatever a process calls itself is its name and nothing else."""
    stat = parse_stat(stat_text(7, command, started=123456))

    assert (command, 123456) == (stat.command, stat.started)


def test_a_kernel_thread_is_known_by_its_flag() -> None:
    """PF_KTHREAD is 0x00200000 in include/linux/sched.h."""
    assert parse_stat(stat_text(2, "kthreadd", flags=KERNEL_THREAD)).kernel_thread


@pytest.mark.parametrize(
    "text", ["", "1", "1 (a) S 1", " ".join(FIELDS[:21]), "1 (a) S " + "x " * 50, "45000"]
)
def test_what_is_no_stat_is_refused(text: str) -> None:
    """A cut or foreign text has no values."""
    with pytest.raises(ValueError, match="not the stat"):
        parse_stat(text)


def test_status_of_a_thread() -> None:
    """Kilobytes are bytes; lists stay as they are written."""
    text = status_text(kilobytes=1408, threads=3, allowed=("0-3,8", "0-1"), switches=(150, 545))

    assert (1441792, 3, "0-3,8", "0-1", 150, 545) == parse_status(text)


def test_a_thread_that_has_ended_tells_no_memory() -> None:
    """A zombie's status has no line VmRSS."""
    assert parse_status(status_text(kilobytes=None)).memory is None


def test_a_kernel_without_cpusets_tells_no_nodes() -> None:
    """Mems_allowed_list comes with CONFIG_CPUSETS."""
    text = status_text().replace("Mems_allowed_list:\t0\n", "")

    assert parse_status(text).nodes == ""


def test_what_is_no_status_is_refused() -> None:
    """A missing line is named."""
    with pytest.raises(ValueError, match="Cpus_allowed_list"):
        parse_status("Name:\ta\nThreads:\t1\nvoluntary_ctxt_switches:\t1\n")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("0::/system.slice/app.service\n", "/system.slice/app.service"),
        ("5:memory:/m\n1:name=systemd:/s\n", "/m"),
        ("5:cpu,memory:/m\n1:name=systemd:/s\n0::/u\n", "/m"),
        # Hybrid: a memory controller that nobody uses, or version 2 at its top.
        ("5:memory:/\n1:name=systemd:/s\n0::/\n", "/s"),
        ("4:memory:/docker/7\n0::/\n", "/docker/7"),
        ("1:name=systemd:/s\n0::/u\n", "/s"),
        ("0::/\n", "/"),
        ("", "/"),
        ("0::/a:b/c\n", "/a:b/c"),
    ],
)
def test_the_cgroup_that_tells_most(text: str, path: str) -> None:
    """Version 1's memory controller, else systemd's own, else version 2's; the top last."""
    assert path == parse_cgroup(text)


def test_what_is_no_cgroup_is_refused() -> None:
    """A line has three parts, of which the last begins with a slash."""
    with pytest.raises(ValueError, match="not a line"):
        parse_cgroup("hello")


def test_uptime_in_ticks() -> None:
    """Hundredths of a second are ticks."""
    assert 3_505_001 == parse_uptime("35050.01 117323.42\n")


@pytest.mark.parametrize("text", ["", "1", "1.5 2", "x.00 1", "-1.00 1"])
def test_what_is_no_uptime_is_refused(text: str) -> None:
    """The kernel always writes two digits after the point."""
    with pytest.raises(ValueError, match=r"not a|implausible"):
        parse_uptime(text)


def test_numa_maps_by_the_size_of_their_pages() -> None:
    """Pages of 4 KiB and of 2 MiB count by what they hold: 3 x 4 + 2 x 2048 KiB on node 0."""
    text = (
        "7f00 default file=/usr/lib/libN9=9.so mapped=5 mapmax=2 N0=3 N1=2 kernelpagesize_kB=4\n"
        "7f10 bind:0 anon=2 dirty=2 N0=2 kernelpagesize_kB=2048\n"
        "7f20 default\n"
        "7f30 default stack anon=1 dirty=1 active=0 N10=1 kernelpagesize_kB=4"
    )

    expected = {"0": (3 * 4 + 2 * 2048) * 1024, "1": 2 * 4096, "10": 4096}
    assert expected == parse_numa_maps(text)


def test_pages_of_unknown_size_are_refused() -> None:
    """A cut line would make a wrong sum."""
    with pytest.raises(ValueError, match="numa_maps"):
        parse_numa_maps("7f00 default anon=3 N0=3 kernelpag")


def test_psutil_says_the_same_of_this_process() -> None:
    """On the live files of the process that runs the test."""
    folder = Path("/proc/self")
    stat = parse_stat((folder / "stat").read_text().strip())
    status = parse_status((folder / "status").read_text().strip())
    me = psutil.Process(os.getpid())
    # Whoever steers the clock moves it; psutil remembers the last one that it was asked for.
    boot = psutil.boot_time()

    assert me.name() == stat.command[: len(me.name())]
    assert me.create_time() == pytest.approx(boot + stat.started / 100, abs=0.011)
    assert me.num_threads() == stat.threads == status.threads
    assert me.memory_info().rss == pytest.approx(status.memory, rel=0.05)
    assert len(os.sched_getaffinity(0)) == len(me.cpu_affinity() or [])


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing else than ValueError is raised, whatever a file holds."""
    for parse in (parse_stat, parse_status, parse_cgroup, parse_uptime, parse_numa_maps):
        try:
            parse(text)
        except ValueError:
            continue


@given(st.lists(st.integers(0, 2**64 - 1), min_size=7, max_size=7), st.text(max_size=15))
def test_any_counts_come_back(numbers: list[int], command: str) -> None:
    """What the kernel wrote is what is read, for all numbers that 64 bits hold."""
    minor, major, user, system, threads, started, _ = numbers
    text = stat_text(
        1, command, faults=(minor, major), ticks=(user, system), threads=threads, started=started
    )

    expected = (command, False, started, user, system, minor, major, threads)
    assert expected == parse_stat(text)


@given(st.integers(), st.sampled_from(["VmRSS", "Threads", "voluntary_ctxt_switches"]))
def test_counts_of_a_status_are_plausible(number: int, key: str) -> None:
    """A count is from 0 to what 64 bits hold, or it is refused."""
    line = f"{key}:\t{number}{' kB' if key == 'VmRSS' else ''}"
    lines = (line if one.startswith(f"{key}:") else one for one in status_text().splitlines())
    try:
        found = parse_status("\n".join(lines))
    except ValueError:
        assert not 0 <= number < 2**64
    else:
        assert number in {(found.memory or 0) // 1024, found.threads, found.voluntary}
