"""Power limits: those of each interface, and the one that holds."""

import errno
from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.hardware import rapl, rapl_limits
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
FOLDER = "sys/class/powercap"


def zone(name: str, watts: int, enabled: str = "1") -> dict[str, str | bytes]:
    """Return the files of an interface to package-0 with a long-term limit."""
    files = {
        "name": "package-0",
        "enabled": enabled,
        "constraint_0_name": "long_term",
        "constraint_0_power_limit_uw": f"{watts}000000",
        "constraint_0_time_window_us": "31981568",
    }
    return {f"{FOLDER}/{name}/{file}": f"{text}\n" for file, text in files.items()}


def test_a_nuc_has_two_limits_by_two_interfaces() -> None:
    """PL1 and PL2 are 64 W over 32 s and 2.4 ms, on both (SOURCES.md)."""
    outcome = run(rapl.collector(), ReplayRoot(str(board_root("nuc13-i915"))))
    names = ("long_term", "short_term")
    zones = ("intel-rapl:0", "intel-rapl-mmio:0")

    assert {(zone, name): 64.0 for zone in zones for name in names} == readings(
        outcome, rapl_limits.POWER_LIMIT, "zone", "constraint"
    )
    assert {("package-0", "long_term"): 64.0, ("package-0", "short_term"): 64.0} == readings(
        outcome, rapl_limits.EFFECTIVE_LIMIT, "name", "constraint"
    )
    assert (31.981568, 0.00244) == tuple(
        readings(outcome, rapl_limits.WINDOW, "zone", "constraint")["intel-rapl:0", name]
        for name in names
    )


def test_the_lowest_limit_holds(make_tree: MakeTree) -> None:
    """64 W and 28 W make 28 W."""
    tree = make_tree({**zone("intel-rapl:0", 64), **zone("intel-rapl-mmio:0", 28)})
    outcome = run(rapl.collector(), Root(str(tree)))

    assert {"long_term": 28.0} == readings(outcome, rapl_limits.EFFECTIVE_LIMIT, "constraint")


def test_a_limit_that_is_off_does_not_hold(make_tree: MakeTree) -> None:
    """With the lower one switched off, the other holds; with both off, none does."""
    tree = make_tree({**zone("intel-rapl:0", 64), **zone("intel-rapl-mmio:0", 28, "0")})
    one = run(rapl.collector(), Root(str(tree)))
    make_tree(zone("intel-rapl:0", 64, "0"))
    none = run(rapl.collector(), Root(str(tree)))

    assert {"long_term": 64.0} == readings(one, rapl_limits.EFFECTIVE_LIMIT, "constraint")
    assert {} == readings(none, rapl_limits.EFFECTIVE_LIMIT, "constraint")
    assert {"intel-rapl:0": 0, "intel-rapl-mmio:0": 0} == readings(
        none, rapl_limits.ENABLED, "zone"
    )


def test_half_known_is_not_known(make_tree: MakeTree, mounted: Mounted) -> None:
    """One limit cannot be read: the other is told, but not which of them holds."""
    tree = make_tree({**zone("intel-rapl:0", 64), **zone("intel-rapl-mmio:0", 28)})
    path = f"{FOLDER}/intel-rapl-mmio:0/constraint_0_power_limit_uw"
    outcome = run(rapl.collector(), Root(str(mounted(tree, Faults({path: errno.EIO})))))

    assert {"intel-rapl:0": 64.0} == readings(outcome, rapl_limits.POWER_LIMIT, "zone")
    assert {} == readings(outcome, rapl_limits.EFFECTIVE_LIMIT, "constraint")
    assert path in failed(outcome)


def test_a_constraint_without_a_name_costs_only_itself(
    make_tree: MakeTree, mounted: Mounted
) -> None:
    """The name of the first cannot be read, the second has none and no window: its number is."""
    more = {f"{FOLDER}/intel-rapl:0/constraint_1_power_limit_uw": "9000000\n"}
    tree = make_tree({**zone("intel-rapl:0", 64), **more})
    path = f"{FOLDER}/intel-rapl:0/constraint_0_name"
    outcome = run(rapl.collector(), Root(str(mounted(tree, Faults({path: errno.EIO})))))

    assert [path] == failed(outcome)
    assert {"1": 9.0} == readings(outcome, rapl_limits.POWER_LIMIT, "constraint")
    assert {} == readings(outcome, rapl_limits.WINDOW, "constraint")


@given(st.lists(st.text() | st.integers().map(str), min_size=4, max_size=4))
def test_any_texts_are_a_limit_or_refused(texts: list[str]) -> None:
    """Any input of two limits and two switches gives one limit, none, or ValueError."""
    series = rapl_limits.EFFECTIVE_LIMIT.series(zone="z", name="n", parent="", constraint="c")
    try:
        samples = rapl_limits.lowest(series, 2)(*texts)
    except ValueError:
        return
    assert len(samples) <= 1
