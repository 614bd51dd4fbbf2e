"""CPU frequencies: one read for each policy, and nothing for CPUs that are off."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import NoData, Root
from exporters.core.replay import ReplayRoot
from exporters.hardware import cpufreq
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
CPU = "sys/devices/system/cpu"
POLICY = f"{CPU}/cpufreq/policy0"


def policy(**files: str) -> dict[str, str | bytes]:
    """Return the files of a policy of two CPUs, some of them changed."""
    usual = {
        "related_cpus": "0 1",
        "scaling_cur_freq": "1200000",
        "scaling_min_freq": "400000",
        "scaling_max_freq": "2000000",
        "scaling_governor": "schedutil",
        "scaling_driver": "cpufreq-dt",
    }
    return {f"{POLICY}/{name}": f"{text}\n" for name, text in {**usual, **files}.items()}


def test_an_orin_nano_has_two_policies() -> None:
    """policy0 is at 960000 kHz and policy4 at 1344000 (the tree's files)."""
    outcome = run(cpufreq.COLLECTOR, ReplayRoot(str(board_root("jetson-orin-nano-jp6"))))

    assert {("policy0", "0-3"): 960e6, ("policy4", "4-5"): 1344e6} == readings(
        outcome, cpufreq.FREQUENCY, "policy", "cpus"
    )
    assert {
        ("policy0", "scaling_min"): 729.6e6,
        ("policy0", "scaling_max"): 1728e6,
        ("policy0", "cpuinfo_min"): 115.2e6,
        ("policy0", "cpuinfo_max"): 1728e6,
    }.items() <= readings(outcome, cpufreq.FREQUENCY_LIMIT, "policy", "limit").items()
    assert ("policy4", "tegra194", "schedutil", "") in readings(
        outcome, cpufreq.POLICY, "policy", "driver", "governor", "preference"
    )


def test_root_only_file_is_no_failure(mounted: Mounted) -> None:
    """cpuinfo_cur_freq answers EACCES on all Jetsons: with scaling_cur_freq nothing is lost."""
    outcome = run(cpufreq.COLLECTOR, Root(str(mounted("jetson-orin-nano-jp6"))))

    assert ([], {}) == (outcome.failures, readings(outcome, cpufreq.HARDWARE_FREQUENCY, "policy"))
    assert 2 == len(readings(outcome, cpufreq.FREQUENCY, "policy"))


def test_root_only_file_is_a_failure_where_it_is_all(make_tree: MakeTree, mounted: Mounted) -> None:
    """Without scaling_cur_freq the denied file is the frequency, and its loss shows."""
    tree = make_tree(
        {f"{POLICY}/related_cpus": "0\n", f"{POLICY}/cpuinfo_cur_freq": "", f"{CPU}/online": "0\n"}
    )
    faults = Faults({f"{POLICY}/cpuinfo_cur_freq": errno.EACCES})
    outcome = run(cpufreq.COLLECTOR, Root(str(mounted(tree, faults))))

    assert [f"{POLICY}/cpuinfo_cur_freq"] == failed(outcome)


def test_root_reads_the_hardware(make_tree: MakeTree) -> None:
    """Where it can be read, what the hardware says stands beside what the kernel says."""
    tree = make_tree(policy(cpuinfo_cur_freq="1190400"))
    outcome = run(cpufreq.COLLECTOR, Root(str(tree)))

    assert {"policy0": 1190.4e6} == readings(outcome, cpufreq.HARDWARE_FREQUENCY, "policy")


@pytest.mark.parametrize("text", ["<unknown>", "<unsupported>", "0", "-1", "nan", ""])
def test_unknown_is_never_a_number(make_tree: MakeTree, text: str) -> None:
    """The policy's limits stay, its frequency is a failure (#1710)."""
    outcome = run(cpufreq.COLLECTOR, Root(str(make_tree(policy(scaling_cur_freq=text)))))

    assert [f"{POLICY}/scaling_cur_freq"] == failed(outcome)
    assert {} == readings(outcome, cpufreq.FREQUENCY, "policy")
    assert {"scaling_min": 400e6, "scaling_max": 2e9} == readings(
        outcome, cpufreq.FREQUENCY_LIMIT, "limit"
    )


def test_offline_cpus_are_no_failure(make_tree: MakeTree, mounted: Mounted) -> None:
    """All files of an idle policy answer EBUSY (node_exporter#2577)."""
    second = {path.replace("policy0", "policy1"): text for path, text in policy().items()}
    tree = make_tree({**policy(), **second})
    faults = Faults(dict.fromkeys(policy(), errno.EBUSY))
    outcome = run(cpufreq.COLLECTOR, Root(str(mounted(tree, faults))))

    assert ("ok", [], {"policy1": 1.2e9}) == (
        outcome.status,
        outcome.failures,
        readings(outcome, cpufreq.FREQUENCY, "policy"),
    )


def test_a_cpu_may_go_offline_between_scrapes(make_tree: MakeTree, mounted: Mounted) -> None:
    """A policy that was found and is then switched off gives nothing, and no failure."""
    sensors = list(cpufreq.discover(Root(str(make_tree(policy())))))
    faults = Faults(dict.fromkeys(policy(), errno.EBUSY))
    root = Root(str(mounted(make_tree(policy()), faults)))
    kinds = {type(sensor) for sensor in sensors}

    assert {cpufreq.WhileOnline} == kinds
    assert [()] * 4 == [
        sensor.read(root) for sensor in sensors if isinstance(sensor, cpufreq.WhileOnline)
    ]


def test_other_errors_of_a_policy_show(make_tree: MakeTree, mounted: Mounted) -> None:
    """EIO is not "offline": it is counted, and costs one file."""
    faults = Faults({f"{POLICY}/scaling_max_freq": errno.EIO})
    outcome = run(cpufreq.COLLECTOR, Root(str(mounted(make_tree(policy()), faults))))

    assert [f"{POLICY}/scaling_max_freq"] == failed(outcome)
    assert {"policy0": 1.2e9} == readings(outcome, cpufreq.FREQUENCY, "policy")


@pytest.mark.parametrize("error", [errno.EIO, None])
def test_a_policy_that_cannot_be_told_costs_only_itself(
    make_tree: MakeTree, mounted: Mounted, error: int | None
) -> None:
    """The first policy's list of CPUs fails or is garbage; the second is told."""
    second = {path.replace("policy0", "policy1"): text for path, text in policy().items()}
    tree = make_tree({**policy(related_cpus="garbage"), **second})
    faults = Faults({f"{POLICY}/related_cpus": error} if error else {})
    outcome = run(cpufreq.COLLECTOR, Root(str(mounted(tree, faults))))

    assert [POLICY] == failed(outcome)
    assert {"policy1": 1.2e9} == readings(outcome, cpufreq.FREQUENCY, "policy")


def test_a_policy_without_a_list_of_cpus_is_told(make_tree: MakeTree) -> None:
    """Its name tells it from others."""
    files = policy()
    del files[f"{POLICY}/related_cpus"]
    outcome = run(cpufreq.COLLECTOR, Root(str(make_tree(files))))

    assert {("policy0", ""): 1.2e9} == readings(outcome, cpufreq.FREQUENCY, "policy", "cpus")


def test_a_hardware_frequency_that_fails_otherwise_shows(
    make_tree: MakeTree, mounted: Mounted
) -> None:
    """EIO is not the mode of the file: it is counted."""
    tree = make_tree(policy(cpuinfo_cur_freq="1190400"))
    faults = Faults({f"{POLICY}/cpuinfo_cur_freq": errno.EIO})
    outcome = run(cpufreq.COLLECTOR, Root(str(mounted(tree, faults))))

    assert [f"{POLICY}/cpuinfo_cur_freq"] == failed(outcome)


def test_governor_is_read_at_every_scrape(make_tree: MakeTree) -> None:
    """An administrator's change shows at once, not when devices are looked for again."""
    tree = make_tree(policy(energy_performance_preference="balance_power"))
    root = Root(str(tree))
    sensors = [one for one in cpufreq.discover(root) if one.where.endswith("governor")]
    (tree / POLICY / "scaling_governor").write_text("performance\n")
    ((sample,),) = [one.read(root) for one in sensors if isinstance(one, cpufreq.WhileOnline)]

    assert ("policy0", "0-1", "cpufreq-dt", "performance", "balance_power") == sample.series.values


def test_unknown_is_no_governor(make_tree: MakeTree) -> None:
    """``<unknown>`` is a failure, and the frequency is told (node_exporter#1710)."""
    outcome = run(cpufreq.COLLECTOR, Root(str(make_tree(policy(scaling_governor="<unknown>")))))

    assert {"policy0": 1.2e9} == readings(outcome, cpufreq.FREQUENCY, "policy")
    assert {} == readings(outcome, cpufreq.POLICY, "governor")
    assert [f"{POLICY}/scaling_governor"] == failed(outcome)


def test_folders_of_cpus_are_read_once(make_tree: MakeTree) -> None:
    """Old kernels have cpuN/cpufreq: cpu0's own, and a link to it for each CPU that shares it."""
    files = {
        path.replace("cpufreq/policy0", "cpu0/cpufreq"): text for path, text in policy().items()
    }
    tree = make_tree({**files, f"{CPU}/cpu1/online": "1\n"})
    (tree / CPU / "cpu1" / "cpufreq").symlink_to("../cpu0/cpufreq")
    outcome = run(cpufreq.COLLECTOR, Root(str(tree)))

    assert {("cpu0", "0-1"): 1.2e9} == readings(outcome, cpufreq.FREQUENCY, "policy", "cpus")


def test_boost(make_tree: MakeTree) -> None:
    """The switch of drivers without one of their own: 1 is on."""
    tree = make_tree({**policy(), f"{CPU}/cpufreq/boost": "1\n"})
    outcome = run(cpufreq.COLLECTOR, Root(str(tree)))

    assert {"cpufreq": 1} == readings(outcome, cpufreq.BOOST, "source")


def test_a_machine_without_any_is_absent(make_tree: MakeTree) -> None:
    """Most virtual machines have no policy, which is an answer."""
    with pytest.raises(NoData, match="no CPU frequency policy"):
        list(cpufreq.discover(Root(str(make_tree({f"{CPU}/online": "0-3\n"})))))


@given(st.text() | st.integers().map(str))
def test_any_text_is_a_frequency_or_refused(text: str) -> None:
    """Any input gives 1 kHz to 100 GHz, or ValueError."""
    try:
        value = cpufreq.hertz(text)
    except ValueError:
        return
    assert 1e3 <= value <= 1e11
