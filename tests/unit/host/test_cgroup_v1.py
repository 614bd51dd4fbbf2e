"""The files of control groups of version 1, with the meaning of version 2."""

import pytest

from exporters.host.cgroup_parts import Reading
from exporters.host.cgroup_v1 import (
    cpu_limit,
    cpu_times,
    memory,
    memory_limit,
    oom_kills,
    throttling,
)


def test_memory_counts_groups_below() -> None:
    """1073741824 - 157286400: of the two keys the one with ``total_``."""
    stat = "inactive_file 7\ntotal_cache 9\ntotal_inactive_file 157286400\ntotal_active_file 3"
    expected = {"memory_usage": 1073741824, "memory_working_set": 916455424}
    assert expected == memory("1073741824", stat)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1073741824", {"memory_limit": 1073741824}),
        ("9223372036854771712", {}),
        ("9223372036854710272", {}),
        ("9223372036854775807", {}),
        ("18446744073709551615", {}),
        ("8796093018112", {}),
        ("8796093022208", {"memory_limit": 8796093022208}),
    ],
    ids=["1 GiB", "4 KiB pages", "64 KiB pages", "old", "older", "32 bits", "8 TiB"],
)
def test_no_limit_is_the_largest_number(text: str, expected: Reading) -> None:
    """LONG_MAX in whole pages, whose size differs by architecture."""
    assert expected == memory_limit(text)


def test_oom_kills_since_linux_4_13() -> None:
    """JetPack 4 has Linux 4.9, which does not tell."""
    assert {"memory_oom_kill": 3} == oom_kills("oom_kill_disable 0\nunder_oom 0\noom_kill 3")
    assert {} == oom_kills("oom_kill_disable 0\nunder_oom 0")


def test_cpu_times_are_hundredths() -> None:
    """7710 of them are 77.10 seconds."""
    assert {"cpu_user": 77_100_000, "cpu_system": 11_010_000} == cpu_times("user 7710\nsystem 1101")


def test_throttled_time_is_nanoseconds() -> None:
    """1990118220114 of them are 1990.118220 seconds."""
    found = throttling("nr_periods 210118\nnr_throttled 31118\nthrottled_time 1990118220114")
    expected = {"cpu_periods": 210118, "cpu_throttled_periods": 31118, "cpu_throttled": 1990118220}
    assert expected == found


@pytest.mark.parametrize(
    ("quota", "period", "expected"),
    [
        ("-1", "100000", {}),
        ("300000", "100000", {"cpu_limit": 3.0}),
        ("20000", "50000", {"cpu_limit": 0.4}),
    ],
)
def test_cpu_limit_is_quota_over_period(quota: str, period: str, expected: Reading) -> None:
    """A quota of -1 is none."""
    assert expected == cpu_limit(quota, period)


@pytest.mark.parametrize(("quota", "period"), [("-2", "1"), ("1", "0"), ("max", "1"), ("1", "-1")])
def test_what_is_no_cpu_limit(quota: str, period: str) -> None:
    """What the kernel does not print."""
    with pytest.raises(ValueError, match=r"implausible|no period|not a number"):
        cpu_limit(quota, period)
