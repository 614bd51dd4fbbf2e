"""Recorded nodes, with values worked out by hand from their files."""

from collections.abc import Mapping
from typing import Any, cast

import pytest

from exporters.core import Metric
from exporters.core.replay import ReplayRoot
from exporters.core.task import Outcome
from exporters.host import container_metrics as metrics
from exporters.host.cgroup_v2 import parse_keyed
from exporters.host.containers import collector
from exporters.host.identity import Identities
from exporters.host.options import HostOptions
from tests.support.cgroups import pairs
from tests.support.collect import run
from tests.support.readings import readings

ROOTS = "tests/fixtures/roots/containers-"
MIB, GIB = 1 << 20, 1 << 30


@pytest.fixture(scope="module")
def outcomes() -> Mapping[str, Outcome]:
    """Return one scrape of each recorded node."""
    names = (
        "docker",
        "podman",
        "kubelet-systemd",
        "kubelet-cgroupfs",
        "k3s",
        "docker-v1",
        "hybrid",
    )
    return {
        name: run(collector(HostOptions(), Identities(None)), ReplayRoot(ROOTS + name))
        for name in names
    }


# Node, what to tell its containers apart by, then by metric what each has.
CASES: list[tuple[str, Metric, dict[Any, Any]]] = [
    (
        "docker",
        metrics.WORKING_SET,
        {
            "inference": 943718400 - 104857600,
            "shop-web-1": 33554432 - 16777216,
            "mqtt": 8388608 - 2097152,
        },
    ),
    ("docker", metrics.MEMORY_LIMIT, {"inference": GIB, "mqtt": 64 * MIB}),
    ("docker", metrics.CPU_LIMIT, {"inference": 1.5}),
    (
        "docker",
        metrics.THROTTLED,
        {"inference": 771.220118, "shop-web-1": 0.0, "mqtt": 0.0},
    ),
    (
        "podman",
        metrics.USAGE,
        {
            "detector": 384 * MIB,
            "4e4a415b88a8-infra": 504 << 10,
            "web": 56 * MIB,
            "systemd-redis": 16 * MIB,
            "notebook": 80 * MIB,
        },
    ),
    ("podman", metrics.MEMORY_LIMIT, {"detector": 512 * MIB, "systemd-redis": 128 * MIB}),
    (
        "kubelet-systemd",
        metrics.WORKING_SET,
        {
            "triton": 3187671040 - 322961408,
            "metrics": 48340992 - 9437184,
            "mosquitto": 536735744 - 12582912,
            "agent": 73400320 - 8388608,
            "kube-scheduler": 41943040 - 11534336,
        },
    ),
    (
        "kubelet-systemd",
        metrics.THROTTLED_PERIODS,
        {"triton": 38114, "metrics": 12, "mosquitto": 2017, "agent": 0, "kube-scheduler": 0},
    ),
    (
        "kubelet-cgroupfs",
        metrics.CPU_LIMIT,
        {"checkout": 0.3, "postgres": 1.0},
    ),
    (
        "kubelet-cgroupfs",
        metrics.MEMORY_LIMIT,
        {"checkout": 256 * MIB, "envoy": 128 * MIB, "postgres": GIB},
    ),
    (
        "k3s",
        metrics.WORKING_SET,
        {
            "detector": 2 * GIB - 268435456,
            "lb-tcp-443": 552960,
            "lb-tcp-80": 548864,
            "backup": 18874368 - 8388608,
            "coredns": 25165824 - 4194304,
        },
    ),
    ("k3s", metrics.MEMORY_LIMIT, {"detector": 2 * GIB, "coredns": 170 * MIB}),
    (
        "docker-v1",
        metrics.WORKING_SET,
        {"deepstream": 1073741824 - 157286400, "broker": 12582912 - 4194304},
    ),
    ("docker-v1", metrics.MEMORY_LIMIT, {"deepstream": GIB}),
    ("docker-v1", metrics.CPU_LIMIT, {"deepstream": 3.0}),
    ("docker-v1", metrics.PERIODS, {"deepstream": 210118, "broker": 0}),
    ("docker-v1", metrics.THROTTLED, {"deepstream": 1990.118220, "broker": 0.0}),
    ("hybrid", metrics.MEMORY_LIMIT, {"recorder": 512 * MIB}),
    ("hybrid", metrics.THROTTLED, {"recorder": 440.118220, "uploader": 0.0}),
]


@pytest.mark.parametrize(("node", "metric", "expected"), CASES)
def test_values(
    outcomes: Mapping[str, Outcome], node: str, metric: Metric, expected: dict[Any, Any]
) -> None:
    """Each container of the node has its own value, and no other is told."""
    assert expected == {
        container: value
        for (container, _), value in pairs(outcomes[node], metric, "pod").items()
        if container  # else it is of a pod, see below
    }


@pytest.mark.parametrize(
    ("node", "container", "expected"),
    [
        ("kubelet-systemd", "mosquitto", {"max": 18442, "oom": 7, "oom_kill": 6}),
        ("k3s", "detector", {"max": 90118, "oom": 2, "oom_kill": 2}),
        ("podman", "detector", {"max": 31, "oom": 1, "oom_kill": 1}),
    ],
)
def test_events(
    outcomes: Mapping[str, Outcome], node: str, container: str, expected: dict[str, int]
) -> None:
    """A container at its limit; version 2 counts five events."""
    found = readings(outcomes[node], metrics.MEMORY_EVENTS, *metrics.LABELS, "event")
    told = cast("dict[tuple[str, ...], float]", found)
    mine = {event: value for (*_, name, _, event), value in told.items() if name == container}
    assert {"low": 0, "high": 0, **expected} == mine


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ("docker-v1", {("deepstream", "max"): 4118, ("broker", "max"): 0}),
        (
            "hybrid",
            {
                ("recorder", "max"): 992118,
                ("recorder", "oom_kill"): 3,
                ("uploader", "max"): 0,
                ("uploader", "oom_kill"): 0,
            },
        ),
    ],
)
def test_events_of_version_1(
    outcomes: Mapping[str, Outcome], node: str, expected: dict[Any, Any]
) -> None:
    """The failures of memory.failcnt, and kills since Linux 4.13."""
    assert expected == pairs(outcomes[node], metrics.MEMORY_EVENTS, "event")


def test_cpu_and_pressure(outcomes: Mapping[str, Outcome]) -> None:
    """Microseconds of version 2, hundredths of version 1, and pressure on a hybrid node."""
    found = pairs(outcomes["kubelet-systemd"], metrics.CPU, "mode")
    assert 6102.441220 == found["triton", "user"]
    assert 1148.893687 == found["triton", "system"]
    found = pairs(outcomes["docker-v1"], metrics.CPU, "mode")
    assert {
        ("deepstream", "user"): 3603.44,
        ("deepstream", "system"): 514.77,
        ("broker", "user"): 77.10,
        ("broker", "system"): 11.01,
    } == found
    found = pairs(outcomes["docker"], metrics.WAITING, "resource")
    assert 8.114220 == found["inference", "io"]
    assert {} == pairs(outcomes["docker-v1"], metrics.WAITING, "resource")
    found = pairs(outcomes["hybrid"], metrics.WAITING, "resource")
    assert {"cpu", "memory", "io"} == {resource for _, resource in found}
    found = pairs(outcomes["hybrid"], metrics.STALLED, "resource")
    assert {"memory", "io"} == {resource for _, resource in found}


def test_labels(outcomes: Mapping[str, Outcome]) -> None:
    """By the contract: names of the kubelet's inside, the container's own outside."""
    found = readings(outcomes["kubelet-systemd"], metrics.CPU_LIMIT, *metrics.LABELS)
    assert {
        ("vision", "inference-7c5d8b9f6d-x2k4q", "triton", "inference"): 2.0,
        ("vision", "inference-7c5d8b9f6d-x2k4q", "metrics", "inference"): 0.5,
        ("messaging", "broker-0", "mosquitto", "broker"): 1.0,
    } == found
    found = readings(outcomes["docker"], metrics.CPU_LIMIT, *metrics.LABELS)
    assert {("", "", "inference", "inference"): 1.5} == found


def test_a_pod_has_a_row_for_its_own_limit(outcomes: Mapping[str, Outcome]) -> None:
    """Without a container, and without what the containers' rows add up to."""
    outcome = outcomes["kubelet-systemd"]
    limits = readings(outcome, metrics.MEMORY_LIMIT, "pod", "container")
    assert 4362076160 == limits["inference-7c5d8b9f6d-x2k4q", ""]
    assert 512 * MIB == limits["broker-0", ""]
    assert ("node-agent-8m4tz", "") not in limits
    events = readings(outcome, metrics.MEMORY_EVENTS, "pod", "container", "event")
    assert ("node-agent-8m4tz", "", "oom_kill") in events
    assert 6 == events["broker-0", "", "oom_kill"] == events["broker-0", "mosquitto", "oom_kill"]
    for metric in (metrics.USAGE, metrics.WORKING_SET, metrics.TASKS):
        assert "" not in readings(outcome, metric, "container")
    for metric, label in ((metrics.CPU, "mode"), (metrics.WAITING, "resource")):
        told = pairs(outcome, metric, label)
        assert "" not in {container for container, _ in told}


@pytest.mark.parametrize(
    ("node", "containers"),
    [
        ("docker", 3),
        ("podman", 5),
        ("kubelet-systemd", 5),
        ("kubelet-cgroupfs", 5),
        ("k3s", 5),
        ("docker-v1", 2),
        ("hybrid", 2),
    ],
)
def test_how_many(outcomes: Mapping[str, Outcome], node: str, containers: int) -> None:
    """Without sandboxes, and without services that nothing limits; nothing failed."""
    outcome = outcomes[node]
    assert "ok" == outcome.status
    assert [] == outcome.failures
    assert {(): containers} == readings(outcome, metrics.CONTAINERS, *())
    assert {(): 0} == readings(outcome, metrics.OTHERS, *())
    assert containers == len(readings(outcome, metrics.USAGE, *metrics.LABELS))


@pytest.mark.parametrize("node", ["docker", "podman", "kubelet-systemd", "kubelet-cgroupfs", "k3s"])
def test_a_recorded_group_counts_those_below(node: str) -> None:
    """As the kernel does in version 2, so that no recording shows what no node would."""
    root = ReplayRoot(ROOTS + node)
    top = "sys/fs/cgroup"
    waiting = [f"{top}/{name}" for name, _ in root.folders(top)]
    while waiting:
        group = waiting.pop()
        inside = [f"{group}/{name}" for name, _ in root.folders(group)]
        waiting += inside
        for file, least in (("memory.events", counts), ("pids.current", tasks)):
            if root.exists(f"{group}/{file}"):
                below = [
                    root.read(f"{one}/{file}") for one in inside if root.exists(f"{one}/{file}")
                ]
                assert least(root.read(f"{group}/{file}")) >= sum(map(least, below)), group


def counts(text: str) -> int:
    """Return how many processes were killed, of memory.events."""
    return parse_keyed(text)["oom_kill"]


def tasks(text: str) -> int:
    """Return how many tasks there are, of pids.current."""
    return int(text)
