"""What is remembered of names, what is looked for again, and the kubelet that is asked."""

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import trustme
from hypothesis import example, given
from hypothesis import strategies as st

from exporters.core import Failure, Root
from exporters.core.replay import ReplayRoot
from exporters.hardware.facts import LONGEST
from exporters.host import identity
from exporters.host.identity import Identities
from exporters.host.options import Kubelet
from exporters.host.place import Place, Told
from exporters.host.pod_list import Pod, PodList
from tests.support.boards import board_root
from tests.support.identities import BOARD, SYSTEMD, Clock, containers
from tests.support.kubelet import FakeKubelet, answer, kubelet, listing


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """Return a copy of the recorded kubelet with the systemd driver, to take things from."""
    copy = tmp_path / "node"
    shutil.copytree(board_root(BOARD), copy, symlinks=True)
    return copy


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/system.slice/nginx.service", Place(workload="nginx")),
        ("/user.slice/user-1000.slice/session-3.scope", Place()),
        ("/system.slice/run-u4711.service", Place()),
        ("/system.slice", Place()),
        ("/", Place()),
        ("", Place()),
        ("../..", Place()),
    ],
)
def test_no_container(tmp_path: Path, path: str, place: Place) -> None:
    """A service's name is its workload; what nobody named has none."""
    assert place == Identities(None).of(Root(str(tmp_path)), path)


def test_a_pod_itself(node: Path) -> None:
    """A pod's own cgroup belongs to the pod and to no container."""
    pod = containers(node)[0].rpartition("/")[0]
    place = Identities(None).of(ReplayRoot(str(node)), pod)
    assert place in {known._replace(container="") for known in SYSTEMD}


def test_what_is_known_is_not_read_again(node: Path) -> None:
    """After the first look at it a path costs no read, however often it is asked for."""
    root, identities = Clock(node), Identities(None)
    paths = containers(node)
    first = [identities.of(root, path) for path in paths]
    root.reads, root.at = 0, root.at + 1e6
    assert first == [identities.of(root, path) for path in paths]
    assert 0 == root.reads


def test_a_missing_name_is_looked_for_ever_more_seldom(tmp_path: Path) -> None:
    """After one second, two, four and so on, up to five minutes; not at every scrape."""
    (tmp_path / "node").mkdir()
    root, identities = Clock(tmp_path / "node"), Identities(None)
    looks, path = [], f"/docker/{'2' * 64}"
    begun = root.at
    while root.at < begun + 1200:
        root.reads = 0
        identities.of(root, path)
        if root.reads:
            looks.append(root.at - begun)
        root.at += 1
    assert [0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 811, 1111] == looks


def test_a_name_that_comes_later(tmp_path: Path) -> None:
    """It replaces the id at the next look."""
    root, identities, id_ = Clock(tmp_path), Identities(None), "2" * 64
    path = f"/system.slice/docker-{id_}.scope"
    assert Place(container=id_[:12]) == identities.of(root, path)
    folder = tmp_path / f"var/lib/docker/containers/{id_}"
    folder.mkdir(parents=True)
    (folder / "config.v2.json").write_text('{"Name": "/web"}')
    root.at += 1
    assert Place(container="web", workload="web") == identities.of(root, path)


def test_denied_is_told_once(node: Path) -> None:
    """One failure for all bundles, as long as a name is missing for it, and none afterwards."""
    shutil.rmtree(node / "var")
    root, identities = Clock(node), Identities(None)
    root.denied = ("run/containerd", "proc")
    paths = containers(node)
    places = {identities.of(root, path) for path in paths}
    assert all(len(place.container) == 12 for place in places)
    (failure,) = identities.failures()
    assert "run/containerd/io.containerd.runtime.v2.task/k8s.io/*/config.json" == failure.where
    assert isinstance(failure.error, PermissionError)
    root.denied, root.at = (), root.at + 1
    assert SYSTEMD == {identities.of(root, path) for path in paths}
    assert [] == identities.failures()


def test_denied_and_not_needed(node: Path) -> None:
    """Where another source has all names, nobody misses what cannot be read."""
    root, identities = Clock(node), Identities(None)
    root.denied = ("run/containerd", "proc")
    assert SYSTEMD == {identities.of(root, path) for path in containers(node)}
    assert [] == identities.failures()


def test_failures_of_what_is_gone(tmp_path: Path) -> None:
    """A container that nobody asks for any more has no failures."""
    root, identities = Clock(tmp_path), Identities(None)
    root.denied = ("var/lib/docker",)
    identities.of(root, f"/docker/{'2' * 64}")
    assert 1 == len(identities.failures())
    root.denied, root.at = (), root.at + identity.FORGOTTEN_SECONDS + 1
    identities.of(root, "/system.slice/a.service")
    assert [] == identities.failures()


def test_what_is_gone_is_forgotten(tmp_path: Path) -> None:
    """Paths that come and go leave nothing behind, be it that time passes or that it does not."""
    root, identities = Clock(tmp_path), Identities(None)
    for number in range(identity.MOST + 100):
        identities.of(root, f"/system.slice/a{number}.service")
    assert identity.MOST == len(identities._entries)
    root.at += identity.FORGOTTEN_SECONDS + 1
    identities.of(root, "/system.slice/b.service")
    assert 1 == len(identities._entries)


def wait(holds: Callable[[], bool]) -> None:
    """Return when something holds; fail after ten seconds."""
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.fixture
def ids() -> Iterator[list[Identities]]:
    """Return a list of those to close in the end."""
    made: list[Identities] = []
    yield made
    for identities in made:
        identities.close()


def below(fake: FakeKubelet) -> Kubelet:
    """Return what opens a kubelet, as files of the node."""
    return fake.options(token_file="/token", ca_file="/ca.pem")  # noqa: S106  # a file's name


def test_a_kubelet_names_them(tmp_path: Path, ids: list[Identities]) -> None:
    """First an id, at once; the names, and the owner's, as soon as the answer has come."""
    uid, id_ = "402b7eec-0fbd-4eb2-8ba6-b4624fd238c9", "2" * 64
    owner = {"kind": "RayCluster", "name": "llm", "controller": True}
    pod = {
        "metadata": {
            "name": "llm-https",
            "namespace": "ai",
            "uid": uid,
            "ownerReferences": [owner],
        },
        "status": {"containerStatuses": [{"name": "ray", "containerID": f"containerd://{id_}"}]},
    }
    base = f"/kubepods.slice/kubepods-pod{uid.replace('-', '_')}.slice/cri-containerd-"
    container, sandbox = f"{base}{id_}.scope", f"{base}{'3' * 64}.scope"
    root = Clock(tmp_path)
    with kubelet(tmp_path, answer(200, listing(pod)), trustme.CA()) as fake:
        identities = Identities(below(fake))
        ids.append(identities)
        assert Place("", uid, id_[:12], "") == identities.of(root, container)
        wait(lambda: identities.of(root, container).pod == "llm-https")
        assert Place("ai", "llm-https", "ray", "llm") == identities.of(root, container)
        assert Place("ai", "llm-https", "", "llm") == identities.of(root, sandbox)
        assert [] == identities.failures()


def test_a_kubelet_that_refuses(tmp_path: Path, ids: list[Identities]) -> None:
    """It is a failure that says what to allow; the names that files have are there still."""
    board = board_root(BOARD)
    shutil.copytree(board, tmp_path, symlinks=True, dirs_exist_ok=True)
    root = Clock(tmp_path)
    with kubelet(tmp_path, answer(403), trustme.CA()) as fake:
        identities = Identities(below(fake))
        ids.append(identities)
        paths = containers(tmp_path)
        assert SYSTEMD == {identities.of(root, path) for path in paths}
        wait(lambda: bool(identities.failures()))
        (failure,) = identities.failures()
        assert f"https://{fake.address}/pods" == failure.where
        assert "nodes/pods" in str(failure.error)


@dataclass(slots=True)
class Asked:
    """Counts what is wanted of a kubelet that knows of nothing."""

    failure: Failure | None = None
    pods: PodList = field(default_factory=PodList)
    version: int = 1
    wanted: int = 0

    def want(self) -> None:
        """Count."""
        self.wanted += 1

    def close(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    ("failure", "questions"), [(None, identity.QUESTIONS), (Failure("x", OSError()), 16)]
)
def test_a_kubelet_is_not_asked_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Failure | None, questions: int
) -> None:
    """For what it does not know, such as a sandbox, some times; one that fails goes on."""
    asked = Asked(failure)
    monkeypatch.setattr(identity, "pods_for", lambda *_: asked)
    root, identities = Clock(tmp_path), Identities(None)
    for _ in range(50):
        identities.of(root, f"/kubepods/pod{'4' * 32}/{'2' * 64}")
        root.at += 60
    # Looks fall on minutes 0 to 6, 8, 11, 16 and each fifth from there on.
    assert questions == asked.wanted


def test_a_newer_list_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What misses a name need not wait for its turn when the kubelet has answered."""
    asked = Asked()
    monkeypatch.setattr(identity, "pods_for", lambda *_: asked)
    root, identities = Clock(tmp_path), Identities(None)
    path, uid = f"/kubepods/pod{'4' * 32}/{'2' * 64}", "4" * 32
    assert uid == identities.of(root, path).pod
    asked.pods = PodList({uid: Pod("shop", "web", "web")}, {"2" * 64: Told("shop", "web", "app")})
    assert uid == identities.of(root, path).pod
    asked.version = 2
    assert Place("shop", "web", "app", "web") == identities.of(root, path)


PIECES = st.one_of(
    st.sampled_from(
        ["kubepods", f"pod{'4' * 32}", "2" * 64, f"docker-{'2' * 64}.scope", "..", "a.service",
         f"libpod-{'2' * 64}.scope", "user-1.slice", "\0", "%s", "{}"]
    ),
    st.text(max_size=300),
)  # fmt: skip


ROOTS = (Root(str(board_root("containers-docker"))), ReplayRoot(str(board_root("containers-k3s"))))


@given(st.lists(PIECES, max_size=6).map("/".join), st.sampled_from(ROOTS))
@example(f"/kubepods/pod{'4' * 32}/\0/{'2' * 64}", ROOTS[0])
@example("/a\nb.service", ROOTS[0])
@example(f"/{'a' * 300}.service", ROOTS[0])
def test_any_path(path: str, root: Root) -> None:
    """No path is too odd to be answered, and every answer is one that labels may have."""
    place = Identities(None).of(root, path)
    assert all(len(text) <= LONGEST and text.isprintable() for text in place)
