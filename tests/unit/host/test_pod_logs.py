"""Names from the folders of logs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.hardware.facts import Facts
from exporters.host import pod_logs
from exporters.host.place import Told
from exporters.host.pod_logs import PodLogs, PodName, parse_folder, parse_link

UID = "402b7eec-0fbd-4eb2-8ba6-b4624fd238c9"
STATIC = "6576683a93d91d8e2119df2c2755f2f1"
ID, OTHER = "2" * 64, "3" * 64
POD = PodName("vision", "inference-7c5d8b9f6d-x2k4q")
FOLDER = f"{POD.namespace}_{POD.pod}_{UID}"


class Clock(Root):
    """A root whose time passes when a test says so."""

    at = 0.0
    looks = 0

    def monotonic(self) -> float:
        """Return the test's time."""
        return self.at

    def names(self, folder: str) -> list[str]:
        """Count."""
        self.looks += 1
        return super().names(folder)


def make(folder: Path, *paths: str) -> Clock:
    """Return a node with these files."""
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()
    return Clock(str(folder))


def test_parse_folder() -> None:
    """The kubelet's form; the second is the one that vectordotdev/vector#6001 shows."""
    assert (UID, POD) == parse_folder(FOLDER)
    static = parse_folder(f"default_static-web-minikube_{STATIC}")
    assert (STATIC, PodName("default", "static-web-minikube")) == static


def test_parse_link() -> None:
    """The form of kubelet's legacy.go; dashes are in every part, and dots in a pod's name."""
    name = f"node-exporter.v2-x2k4q_kube-system_my-app-{ID}.log"
    assert (ID, Told("kube-system", "node-exporter.v2-x2k4q", "my-app")) == parse_link(name)


@pytest.mark.parametrize(
    "name",
    ["", UID, f"a_b_c_{UID}", f"a_b_{UID[:-1]}", f"_b_{UID}", f"A_b_{UID}", f"a_b_{UID}\n"],
)
def test_no_folder_of_a_pod(name: str) -> None:
    """Other names in the folder, such as those before Kubernetes 1.14, say nothing."""
    with pytest.raises(ValueError, match="not <namespace>_<pod>_<uid>"):
        parse_folder(name)


@pytest.mark.parametrize(
    "name", ["", "x.log", f"a_b_c-{ID[1:]}.log", f"a_b_c-{ID}", f"a_b-{ID}.log", f"a_b_c-{ID}.lo"]
)
def test_no_link_of_a_container(name: str) -> None:
    """A name that was cut off, as one of 255 characters is, has no whole id."""
    with pytest.raises(ValueError, match="not <pod>_<namespace>_<container>-<id>"):
        parse_link(name)


@given(st.text(max_size=120))
def test_any_name(name: str) -> None:
    """Whatever lies there is a name or refused."""
    for parse in (parse_folder, parse_link):
        try:
            key, names = parse(name)
        except ValueError:
            continue
        assert key
        assert all(part for part in names[:2])


def test_a_pod_that_comes_later(tmp_path: Path) -> None:
    """What has not been seen is looked for again, once in a while and not for each miss."""
    root, logs = make(tmp_path, f"var/log/pods/{FOLDER}/triton/0.log"), PodLogs()
    facts = Facts(root)
    assert POD == logs.pod(facts, UID)
    make(tmp_path, f"var/log/pods/a_b_{STATIC}/c/0.log")
    root.at = 0.05
    assert logs.pod(facts, STATIC) is None
    root.at = 0.2
    assert PodName("a", "b") == logs.pod(facts, STATIC)


def test_what_is_gone_is_forgotten(tmp_path: Path) -> None:
    """A look keeps what is there and nothing else."""
    link = f"var/log/containers/p_n_c-{ID}.log"
    root, logs = make(tmp_path, link), PodLogs()
    facts = Facts(root)
    assert Told("n", "p", "c") == logs.container(facts, ID)
    (tmp_path / link).unlink()
    root.at = 1.0
    assert logs.container(facts, OTHER) is None
    assert logs.container(facts, ID) is None
    assert not logs.has_links(PodName("n", "p"))


def test_many_that_are_not_there(tmp_path: Path) -> None:
    """The sandboxes of a node, which have no links, cost a scrape one look and not one each."""
    root, logs = make(tmp_path, f"var/log/containers/p_n_c-{ID}.log"), PodLogs()
    facts = Facts(root)
    for number in range(100):
        logs.container(facts, f"{number:064x}")
        logs.pod(facts, f"{number:032x}")
    assert 2 == root.looks


def test_links_of_a_pod(tmp_path: Path) -> None:
    """A pod has links as soon as one of its containers has."""
    facts, logs = Facts(make(tmp_path, f"var/log/containers/p_n_c-{ID}.log")), PodLogs()
    logs.container(facts, OTHER)
    assert [True, False] == [logs.has_links(PodName("n", "p")), logs.has_links(PodName("p", "n"))]


def test_docker_links_its_own_file(tmp_path: Path) -> None:
    """The log of a restart is a link of its own; a plain file is another runtime's."""
    pod = tmp_path / "var/log/pods" / FOLDER
    for container, log, target in (
        ("a", "0.log", OTHER),
        ("b", "0.log", "4" * 64),
        ("b", "1.log", ID),
    ):
        (pod / container).mkdir(parents=True, exist_ok=True)
        (pod / container / log).symlink_to(f"/var/lib/docker/containers/{target}/{target}-json.log")
    (pod / "a" / "1.log").touch()
    facts = Facts(Root(str(tmp_path)))
    assert "b" == PodLogs.linked_to_docker(facts, UID, POD, ID)
    assert "" == PodLogs.linked_to_docker(facts, UID, POD, "5" * 64)
    assert ["a", "b"] == PodLogs.candidates(facts, UID, POD)


def test_no_folders(tmp_path: Path) -> None:
    """A node without them has no pods, which is no failure."""
    facts, logs = Facts(Root(str(tmp_path))), PodLogs()
    assert (None, None) == (logs.pod(facts, UID), logs.container(facts, ID))
    assert [] == facts.failures


def test_too_many_links_are_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Links that stay behind fill no memory; that not all are looked at is said."""
    monkeypatch.setattr(pod_logs, "MOST", 2)
    links = [f"var/log/containers/p_n_c-{number}{ID[1:]}.log" for number in range(4)]
    facts, logs = Facts(make(tmp_path, *links)), PodLogs()

    assert Told("n", "p", "c") == logs.container(facts, f"1{ID[1:]}")
    assert None is logs.container(facts, f"3{ID[1:]}")
    assert ["var/log/containers"] == [failure.where for failure in facts.failures]
    assert "4 names, of which 2 are looked at" in str(facts.failures[0].error)
