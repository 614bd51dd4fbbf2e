"""The files of control groups of version 2."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.host.cgroup_parts import Part, Reading, Row
from exporters.host.cgroup_v1 import PARTS as V1_PARTS
from exporters.host.cgroup_v2 import (
    CPU_KEYS,
    PARTS,
    QUOTA_KEYS,
    count,
    cpu_limit,
    events,
    limit,
    parse_keyed,
    pressure,
    renamed,
    working_set,
)
from exporters.host.container_metrics import COUNTERS, LEVELS, LIMITS

# Linux 6.8, a container with a quota; its first lines.
CPU_STAT = """usage_usec 7251334907
user_usec 6102441220
system_usec 1148893687
core_sched.force_idle_usec 0
nr_periods 412907
nr_throttled 38114
throttled_usec 5734902311
nr_bursts 0
burst_usec 0"""
LINE = st.from_regex(r"[a-z_.]{1,9} \d{1,21}|.{0,9}", fullmatch=True)
TEXTS = st.one_of(
    st.text(max_size=40),
    st.lists(LINE, max_size=5).map("\n".join),
    st.sampled_from(["max", "max 100000", "1 0", "0 1", "-1", "9223372036854771712", "inf"]),
)


def test_a_keyed_file() -> None:
    """Keys may have a dot, as the kernel's own has."""
    assert {"core_sched.force_idle_usec": 0, "nr_periods": 7} == parse_keyed(
        "core_sched.force_idle_usec 0\nnr_periods 7"
    )


@pytest.mark.parametrize(
    "text", ["oom", "oom -1", "oom 1 2", "oom 1.5", "oom \u0661", "some avg10=0.00"]
)
def test_what_is_no_keyed_file(text: str) -> None:
    """What the kernel does not print is no count."""
    with pytest.raises(ValueError, match="no key with a number"):
        parse_keyed(text)


def test_working_set_leaves_out_inactive_pages_of_files() -> None:
    """104857600 - 25165824; other keys that end the same are others."""
    stat = "file 30000000\nworkingset_inactive_file 1\ninactive_file 25165824\nactive_file 5"
    expected = {"memory_usage": 104857600, "memory_working_set": 79691776}
    assert expected == working_set("104857600", stat)


def test_working_set_is_never_below_zero() -> None:
    """The two files are read one after the other."""
    assert {"memory_usage": 5, "memory_working_set": 0} == working_set("5", "inactive_file 8")


@pytest.mark.parametrize(("usage", "stat"), [("max", "inactive_file 1"), ("1", "active_file 1")])
def test_working_set_needs_both(usage: str, stat: str) -> None:
    """Without one of them there is no number."""
    with pytest.raises(ValueError, match=r"not a number|no inactive_file"):
        working_set(usage, stat)


def test_a_limit_that_is_none_is_not_told() -> None:
    """``max`` is the absence of a limit, not a number."""
    parse = limit("memory_limit")
    assert {} == parse("max")
    assert {"memory_limit": 4294967296} == parse("4294967296")
    assert {"memory_limit": 0} == parse("0")
    with pytest.raises(ValueError, match="not a number"):
        parse("infinity")


def test_one_number() -> None:
    """As pids.current has it."""
    assert {"tasks": 12} == count("tasks")("12")


def test_events() -> None:
    """Those that are known; oom_kill came with Linux 4.13, others later."""
    text = "low 0\nhigh 3\nmax 18442\noom 7\noom_kill 6\noom_group_kill 1"
    expected = {
        "memory_low": 0, "memory_high": 3, "memory_max": 18442, "memory_oom": 7,
        "memory_oom_kill": 6,
    }  # fmt: skip
    assert expected == events(text)
    assert {"memory_max": 1} == events("max 1")


def test_cpu_stat() -> None:
    """Times in microseconds as they are; without the controller the quota's keys lack."""
    expected = {
        "cpu_user": 6102441220, "cpu_system": 1148893687, "cpu_periods": 412907,
        "cpu_throttled_periods": 38114, "cpu_throttled": 5734902311,
    }  # fmt: skip
    assert expected == renamed(CPU_KEYS | QUOTA_KEYS)(CPU_STAT)
    short = "\n".join(CPU_STAT.splitlines()[:3])
    expected = {"cpu_user": 6102441220, "cpu_system": 1148893687}
    assert expected == renamed(CPU_KEYS | QUOTA_KEYS)(short)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max 100000", {}),
        ("150000 100000", {"cpu_limit": 1.5}),
        ("20000 100000", {"cpu_limit": 0.2}),
        ("800000 100000", {"cpu_limit": 8.0}),
    ],
)
def test_cpu_limit_is_quota_over_period(text: str, expected: Reading) -> None:
    """A quota of 150 ms for each 100 ms is one CPU and a half."""
    assert expected == cpu_limit(text)


@pytest.mark.parametrize("text", ["max", "100000", "-1 100000", "100000 0", "max max", "1 2 3"])
def test_what_is_no_cpu_limit(text: str) -> None:
    """Two numbers, the second not 0."""
    with pytest.raises(ValueError, match="no quota and period"):
        cpu_limit(text)


def test_pressure_is_in_microseconds() -> None:
    """The kernel's own unit, in which no number is cut."""
    line = "avg10=0.00 avg60=0.00 avg300=0.00 total="
    found = pressure("io")(f"some {line}8114220\nfull {line}6085665")
    assert {"io_some": 8114220, "io_full": 6085665} == found


@pytest.mark.parametrize("parts", [PARTS, V1_PARTS])
@given(first=TEXTS, second=TEXTS)
def test_any_text_gives_plausible_numbers_or_is_refused(
    parts: tuple[Part, ...], first: str, second: str
) -> None:
    """Parsers raise nothing but ValueError, and give known keys with numbers of at least 0."""
    known = {*LEVELS, *LIMITS, *(counter.key for counter in COUNTERS)}
    for part in parts:
        try:
            found = part.parse(*(first, second)[: len(part.files)])
        except ValueError:
            continue
        assert found.keys() <= known
        assert all(0 <= value < 10**21 for value in found.values())


def test_every_key_has_a_metric() -> None:
    """What a real file gives is told: no key is misspelled."""
    line = "avg10=0.00 avg60=0.00 avg300=0.00 total=1"
    texts: dict[str, str] = {
        r"cpu\.stat": CPU_STAT,
        r"memory\.stat": "inactive_file 1",
        r"memory\.events.*": "low 1\nhigh 1\nmax 1\noom 1\noom_kill 1",
        r".*\.pressure": f"some {line}\nfull {line}",
        r"cpu\.max": "1 2",
        r".*": "1",
    }

    def text(name: str) -> str:
        return next(text for pattern, text in texts.items() if re.fullmatch(pattern, name))

    def keys(rows: Row) -> set[str]:
        chosen = [part for part in PARTS if part.rows & rows]
        return {key for one in chosen for key in one.parse(*map(text, one.files))}

    known = {*LEVELS, *LIMITS, *(counter.key for counter in COUNTERS)}
    assert known == keys(Row.OWN)
    assert keys(Row.HOLDER) < known
    assert keys(Row.OTHER) < known - LIMITS.keys()
