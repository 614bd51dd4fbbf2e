"""Names from recorded nodes, and from what is left of them where sources are missing."""

import shutil
from pathlib import Path

import pytest

from exporters.core.replay import ReplayRoot
from exporters.host.cgroup_path import parse_cgroup_path
from exporters.host.identity import Identities
from exporters.host.place import Place
from tests.support.boards import board_root
from tests.support.identities import AGENT, BOARD, INFERENCE, SYSTEMD, containers

CHECKOUT = ("shop", "checkout-6b9f7d8c54-tn7wp")
PROXY = ("kube-system", "kube-proxy-z5h8m")
ETCD = ("kube-system", "etcd-edge-3")
LEDGER = ("shop", "ledger-1")
COREDNS = ("kube-system", "coredns-6799fbcd5-9hqzv")
SVCLB = ("kube-system", "svclb-traefik-3fa6f1c2-d7vbn")
DETECTOR = ("vision", "detector-5d4f9c7b68-m6r2j")
BACKUP = ("vision", "backup-29458560-4kqnz")


def outside(*names: str) -> set[Place]:
    """Return the places of containers that Docker or Podman started."""
    return {Place(container=name, workload=name) for name in names}


BOARDS = {
    BOARD: SYSTEMD,
    "containers-kubelet-cgroupfs": {
        Place(*CHECKOUT, "", "checkout"),
        Place(*CHECKOUT, "checkout", "checkout"),
        Place(*CHECKOUT, "envoy", "checkout"),
        Place(*PROXY, "", "kube-proxy"),
        Place(*PROXY, "kube-proxy", "kube-proxy"),
        Place(*ETCD, "", "etcd-edge-3"),
        Place(*ETCD, "etcd", "etcd-edge-3"),
        Place(*LEDGER, "", "ledger"),
        Place(*LEDGER, "postgres", "ledger"),
    },
    "containers-k3s": {
        Place(*COREDNS, "", "coredns"),
        Place(*COREDNS, "coredns", "coredns"),
        Place(*SVCLB, "", "svclb-traefik-3fa6f1c2"),
        Place(*SVCLB, "lb-tcp-80", "svclb-traefik-3fa6f1c2"),
        Place(*SVCLB, "lb-tcp-443", "svclb-traefik-3fa6f1c2"),
        Place(*DETECTOR, "", "detector"),
        Place(*DETECTOR, "detector", "detector"),
        Place(*BACKUP, "", "backup"),
        Place(*BACKUP, "backup", "backup"),
    },
    "containers-docker": outside("inference", "shop-web-1", "mqtt"),
    "containers-docker-v1": outside("deepstream", "broker"),
    "containers-hybrid": outside("recorder", "uploader"),
    "containers-podman": outside(
        "detector", "4e4a415b88a8-infra", "web", "systemd-redis", "notebook"
    ),
}


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """Return a copy of the recorded kubelet with the systemd driver, to take things from."""
    copy = tmp_path / "node"
    shutil.copytree(board_root(BOARD), copy, symlinks=True)
    return copy


def without(node: Path, *folders: str) -> set[Place]:
    """Return the places that are found without some folders."""
    for folder in folders:
        shutil.rmtree(node / folder)
    root, identities = ReplayRoot(str(node)), Identities(None)
    places = {identities.of(root, path) for path in containers(node)}
    assert [] == identities.failures()
    return places


@pytest.mark.parametrize("board", BOARDS)
def test_a_recorded_node(board: str) -> None:
    """Every container has its names, whichever driver, runtime and version of cgroups it has."""
    folder = board_root(board)
    root, identities = ReplayRoot(str(folder)), Identities(None)
    paths = containers(folder)
    assert BOARDS[board] == {identities.of(root, path) for path in paths}
    assert len(BOARDS[board]) == len(paths)
    assert [] == identities.failures()


@pytest.mark.parametrize("board", BOARDS)
def test_its_processes(board: str) -> None:
    """By what ``/proc/<pid>/cgroup`` says they belong where their containers do."""
    folder = board_root(board)
    root, identities = ReplayRoot(str(folder)), Identities(None)
    places = set()
    for file in sorted(folder.glob("proc/*/cgroup")):
        path = file.read_text().splitlines()[-1].split(":", 2)[2]
        if parse_cgroup_path(path).container_id:
            places.add(identities.of(root, path))
    assert BOARDS[board] == places


@pytest.mark.parametrize(
    "folders",
    [
        pytest.param(("run",), id="no bundles: not root"),
        pytest.param(("run", "proc"), id="nor the processes: no hostPID"),
        pytest.param(("var/log/containers",), id="no links"),
        pytest.param(("var/log/containers", "proc"), id="neither links nor processes"),
        pytest.param(("var/log",), id="bundles alone"),
    ],
)
def test_one_source_is_enough(node: Path, folders: tuple[str, ...]) -> None:
    """Either the links to logs or the bundles name everything, sandboxes included."""
    assert SYSTEMD == without(node, *folders)


def short(name: str) -> str:
    """Return the short id of a recorded container by the name that its log has."""
    logs = board_root(BOARD) / "var/log/containers"
    (log,) = logs.glob(f"*_{name}-*.log")
    return log.name.rpartition("-")[2][:12]


def test_folders_of_logs_alone(node: Path) -> None:
    """A pod with one container names it; of several none is named, for a guess may be wrong."""
    places = without(node, "run", "var/log/containers")
    several = {("triton", INFERENCE), ("metrics", INFERENCE), ("agent", AGENT)}
    by_id = {place for place in SYSTEMD if (place.container, place[:2]) in several}
    expected = SYSTEMD - by_id
    expected |= {place._replace(container=short(place.container)) for place in by_id}
    assert expected == places


def test_a_sandbox_that_starts(node: Path) -> None:
    """Until the pause program runs in it, it could be taken for the pod's only container."""
    for comm in node.glob("proc/*/comm"):
        if comm.read_text() == "pause\n":
            comm.write_text("runc:[2:INIT]\n")
    places = without(node, "run", "var/log/containers")
    names = [place.container for place in places if place.pod == "broker-0"]
    assert (2, 1) == (len(names), names.count("mosquitto"))


def test_folders_of_logs_and_no_processes(node: Path) -> None:
    """Then a sandbox looks like the only container, so that neither is given its name."""
    places = without(node, "run", "proc", "var/log/containers")
    assert {place[:2] for place in SYSTEMD} == {place[:2] for place in places}
    assert all(len(place.container) == 12 for place in places)
    assert 9 == len(places)


def test_nothing_to_name_them(node: Path) -> None:
    """Ids stand for names: the pod's whole UID, twelve digits of the container's."""
    places = without(node, "run", "proc", "var")
    static = [place for place in places if place.pod == "d30e4ee3f0a1b2c3d4e5f60718293a4b"]
    assert short("kube-scheduler") in {place.container for place in static}
    assert {("", "")} == {(place.namespace, place.workload) for place in places}
    assert (9, 4) == (len(places), len({place.pod for place in places}))


def test_docker_by_the_links_of_logs(tmp_path: Path) -> None:
    """With the folders of logs alone, for there the link has the id."""
    copy = tmp_path / "node"
    shutil.copytree(board_root("containers-kubelet-cgroupfs"), copy, symlinks=True)
    places = without(copy, "var/lib", "var/log/containers")
    assert BOARDS["containers-kubelet-cgroupfs"] == places


@pytest.mark.parametrize("board", ["containers-docker", "containers-podman"])
def test_an_engine_that_names_nothing(tmp_path: Path, board: str) -> None:
    """The short id as container and no workload, but where a service is all of it."""
    copy = tmp_path / "node"
    shutil.copytree(board_root(board), copy, symlinks=True)
    paths = containers(copy)
    places = without(copy, "var/lib", *(["home"] if board == "containers-podman" else []))
    assert {parse_cgroup_path(path).container_id[:12] for path in paths} == {
        place.container for place in places
    }
    workloads = {"redis", ""} if board == "containers-podman" else {""}
    assert workloads == {place.workload for place in places}
