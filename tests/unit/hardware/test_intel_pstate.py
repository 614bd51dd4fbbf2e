"""What intel_pstate lets the CPUs do."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.hardware import cpufreq, intel_pstate
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
FOLDER = intel_pstate.FOLDER


def test_a_nuc() -> None:
    """Active, with turbo, up to 100 per cent (the files of the tree)."""
    outcome = run(intel_pstate.COLLECTOR, ReplayRoot(str(board_root("nuc13-i915"))))

    assert {"active": 1} == readings(outcome, intel_pstate.STATUS, "status")
    assert {"intel_pstate": 1} == readings(outcome, cpufreq.BOOST, "source")
    assert {"max": 1.0} == readings(outcome, intel_pstate.PERFORMANCE_LIMIT, "limit")


def test_no_turbo_is_no_boost(make_tree: MakeTree) -> None:
    """The file says the opposite of the metric."""
    tree = make_tree({f"{FOLDER}/no_turbo": "1\n", f"{FOLDER}/min_perf_pct": "8\n"})
    outcome = run(intel_pstate.COLLECTOR, Root(str(tree)))

    assert {"intel_pstate": 0} == readings(outcome, cpufreq.BOOST, "source")
    assert {"min": 0.08} == readings(outcome, intel_pstate.PERFORMANCE_LIMIT, "limit")


def test_a_driver_that_is_off_is_no_failure(make_tree: MakeTree, mounted: Mounted) -> None:
    """All files but the status answer EAGAIN then; the status says so."""
    tree = make_tree({f"{FOLDER}/status": "off\n", f"{FOLDER}/no_turbo": "0\n"})
    faults = Faults({f"{FOLDER}/no_turbo": errno.EAGAIN})
    outcome = run(intel_pstate.COLLECTOR, Root(str(mounted(tree, faults))))

    assert [] == outcome.failures
    assert {"off": 1} == readings(outcome, intel_pstate.STATUS, "status")
    assert {} == readings(outcome, cpufreq.BOOST, "source")


def test_other_errors_show(make_tree: MakeTree, mounted: Mounted) -> None:
    """EIO is a failure, and costs one file."""
    tree = make_tree({f"{FOLDER}/status": "active\n", f"{FOLDER}/no_turbo": "0\n"})
    outcome = run(
        intel_pstate.COLLECTOR,
        Root(str(mounted(tree, Faults({f"{FOLDER}/no_turbo": errno.EIO})))),
    )

    assert [f"{FOLDER}/no_turbo"] == failed(outcome)
    assert {"active": 1} == readings(outcome, intel_pstate.STATUS, "status")


def test_other_machines_are_absent() -> None:
    """A Jetson has another driver."""
    outcome = run(intel_pstate.COLLECTOR, ReplayRoot(str(board_root("jetson-nano-jp4"))))

    assert "absent" == outcome.status


@pytest.mark.parametrize("name", sorted(intel_pstate.PARSERS))
@given(text=st.text() | st.integers().map(str))
def test_any_text_is_plausible_or_refused(name: str, text: str) -> None:
    """Any input gives a value of 0 to 1, or ValueError."""
    try:
        samples = intel_pstate.PARSERS[name](text)
    except ValueError:
        return
    assert all(
        0 <= sample.value <= 1 for sample in samples if isinstance(sample.value, int | float)
    )
