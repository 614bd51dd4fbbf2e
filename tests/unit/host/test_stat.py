"""The text of /proc/stat, and times that do not go back."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.host.stat import Steady, parse_stat

IDLE, IOWAIT = 3, 4


def ticks(**changed: int) -> tuple[int, ...]:
    """Return a CPU's times, 1000 in each mode but for those given."""
    return (1000, 1000, 1000, changed.get("idle", 1000), changed.get("iowait", 1000), *[1000] * 5)


def test_all_that_is_read() -> None:
    """Times by CPU, and counts by their names; other lines are let be."""
    found = parse_stat(
        "cpu  3 3 3 3 3 3 3 3 3 3\ncpu0 1 2 3 4 5 6 7 8 9 10\ncpu12 0 0 0 0 0 0 0 0 0 0\n"
        "intr 8885917 17 0 0\nctxt 38\nbtime 1418183276\nprocesses 26442\nnew_line x\n"
        "procs_running 2\nprocs_blocked 0\nsoftirq 5057579 250191 1481983"
    )

    assert {0: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 12: (0,) * 10} == found.cpus
    assert {
        "intr": 8885917,
        "ctxt": 38,
        "btime": 1418183276,
        "processes": 26442,
        "procs_running": 2,
        "procs_blocked": 0,
    } == found.counts


def test_modes_of_later_kernels_are_let_be() -> None:
    """They are appended."""
    assert {0: (0,) * 10} == parse_stat("cpu0 0 0 0 0 0 0 0 0 0 0 55 66").cpus


@pytest.mark.parametrize(
    "text",
    [
        "",
        "cpu  1 2 3 4 5 6 7 8 9 10",
        "cpu0 1 2 3 4 5 6 7 8 9",
        "cpu0 1 2 3 4 5 6 7 8 9 -1",
        "cpu0 1 2 3 4 5 6 7 8 9 \u0665",
        "cpux 1 2 3 4 5 6 7 8 9 10",
        "cpu0 1 2 3 4 5 6 7 8 9 10\nctxt",
        "cpu0 1 2 3 4 5 6 7 8 9 10\nctxt -5",
    ],
)
def test_what_is_no_stat(text: str) -> None:
    """No CPU, a line that was cut, or what is no number."""
    with pytest.raises(ValueError, match=r"no times|no CPU|not a number|implausible"):
        parse_stat(text)


@given(st.text(), st.sampled_from(["", "cpu0 ", "cpu0 1 2 3 4 5 6 7 8 9 1\nctxt ", "intr "]))
def test_any_text(text: str, begin: str) -> None:
    """Whatever the text, each CPU has ten times and no count is negative, or it is refused."""
    try:
        found = parse_stat(begin + text)
    except ValueError:
        return
    assert {10} == {len(times) for times in found.cpus.values()}
    assert all(time >= 0 for times in found.cpus.values() for time in times)
    assert all(count >= 0 for count in found.counts.values())


def test_a_small_step_back_is_not_told() -> None:
    """The kernel's page: iowait may decrease; the last value stays until it is passed."""
    steady = Steady()
    found = [steady(0, ticks(iowait=value))[IOWAIT] for value in (1000, 999, 1000, 1001)]

    assert [1000, 1000, 1000, 1001] == found


def test_other_modes_go_on_meanwhile() -> None:
    """A step back of one mode holds no other."""
    steady = Steady()
    steady(0, ticks())

    assert ticks(idle=1500) == steady(0, ticks(idle=1500, iowait=998))


def test_a_cpu_that_was_offline_begins_anew() -> None:
    """Its idle time falls by more than three seconds; what comes after is counted from there."""
    steady = Steady()
    found = [steady(0, ticks(idle=value))[IDLE] for value in (1000, 12, 13)]

    assert [1000, 12, 13] == found


def test_three_seconds_are_no_restart() -> None:
    """Which is where node_exporter draws the line, too."""
    steady = Steady()
    steady(0, ticks())

    assert 1000 == steady(0, ticks(idle=700))[IDLE]
    assert 699 == steady(0, ticks(idle=699))[IDLE]


def test_cpus_do_not_mix() -> None:
    """Each is its own."""
    steady = Steady()
    steady(0, ticks())

    assert 999 == steady(1, ticks(idle=999))[IDLE]


@given(st.lists(st.integers(0, 2000), min_size=1))
def test_no_fall_but_a_restart(raw: list[int]) -> None:
    """Whatever the kernel says, a fall that is told is one of more than three seconds."""
    steady = Steady()
    told = [steady(0, ticks(idle=value))[IDLE] for value in raw]

    assert all(new >= old or old - new > 300 for old, new in pairwise(told))
    assert all(told[i] >= raw[i] for i in range(len(raw)))
