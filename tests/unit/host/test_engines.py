"""Names that Docker and Podman keep."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.hardware.facts import Facts
from exporters.host.engines import (
    DOCKER,
    Docker,
    Podman,
    from_docker,
    parse_containers,
    parse_docker,
    parse_homes,
)
from exporters.host.place import Told

ID, OTHER = "2" * 64, "3" * 64
LABELS = {
    "io.kubernetes.container.name": "etcd",
    "io.kubernetes.docker.type": "container",
    "io.kubernetes.pod.name": "etcd-edge-3",
    "io.kubernetes.pod.namespace": "kube-system",
}
LISTS = "var/lib/containers/storage/overlay-containers"


def config(name: str, labels: dict[str, str] | None) -> str:
    """Return a config.v2.json; fluent-bit#5343 shows the service's name that is not meant."""
    service = {"NetworkSettings": {"Service": {"Name": "hoge"}}}
    return json.dumps({**service, "Name": name, "Config": {"Labels": labels}})


def put(root: Path, path: str, text: str) -> None:
    """Write a file with the folders it needs."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


@pytest.mark.parametrize("labels", [None, {}, {"com.docker.compose.service": "web"}])
def test_docker(labels: dict[str, str] | None) -> None:
    """The name has a slash before it, which nobody types."""
    assert Docker("shop-web-1", None) == parse_docker(config("/shop-web-1", labels))


def test_docker_runs_a_pod() -> None:
    """Through cri-dockerd: the labels have the names, and tell the sandbox."""
    name = "k8s_etcd_etcd-edge-3_kube-system_0f1e_0"
    told = Told("kube-system", "etcd-edge-3", "etcd")
    assert Docker(name, told) == parse_docker(config(f"/{name}", LABELS))
    sandbox = {**LABELS, "io.kubernetes.docker.type": "podsandbox"}
    told = Told("kube-system", "etcd-edge-3", sandbox=True)
    assert Docker("x", told) == parse_docker(config("/x", sandbox))


@pytest.mark.parametrize("text", ["", "{}", "[]", "7", '{"Name": "/"}', '{"Name": 7}', "[" * 99999])
def test_docker_says_nothing(text: str) -> None:
    """A container without a name is something else."""
    with pytest.raises(ValueError, match=r"."):
        parse_docker(text)


def test_where_docker_keeps_it(tmp_path: Path) -> None:
    """Both as a package and as a snap."""
    facts = Facts(Root(str(tmp_path)))
    assert from_docker(facts, ID) is None
    for pattern, name in zip(DOCKER, ("deb", "snap"), strict=True):
        put(tmp_path, pattern.format(name[0] * 64), config(f"/{name}", None))
        assert Docker(name, None) == from_docker(facts, name[0] * 64)
    put(tmp_path, DOCKER[0].format(ID), "broken")
    assert from_docker(facts, ID) is None
    assert [DOCKER[0].format(ID)] == [failure.where for failure in facts.failures]


def test_containers() -> None:
    """Ids and first names; an entry without one is left out."""
    entries = [{"id": ID, "names": ["web", "www"]}, {"id": OTHER}, {"id": OTHER, "names": []}, 7]
    assert {ID: "web"} == parse_containers(json.dumps(entries))


@pytest.mark.parametrize("text", ["", "{}", "7", "nonsense"])
def test_no_containers(text: str) -> None:
    """Anything but a list is refused."""
    with pytest.raises(ValueError, match=r"."):
        parse_containers(text)


JSON = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(["Name", "Config", "Labels", "id", "names", *LABELS]), inner
        )
    ),
)


@given(JSON)
def test_any_document(document: object) -> None:
    """Whatever a file holds is names or refused."""
    for parse in (parse_docker, parse_containers):
        try:
            assert parse(json.dumps(document)) is not None
        except ValueError:
            continue


def test_homes() -> None:
    """The third field is the user's number, the sixth the home; what has not seven is no user."""
    text = "root:x:0:0:root:/root:/bin/bash\nedge:x:1000:1000::/home/edge:/bin/bash\n+::::\n"
    assert {"0": "/root", "1000": "/home/edge"} == parse_homes(text)


def test_podman(tmp_path: Path) -> None:
    """Root's containers, those with ``--rm`` in a list of their own."""
    put(tmp_path, f"{LISTS}/containers.json", json.dumps([{"id": ID, "names": ["web"]}]))
    volatile = json.dumps([{"id": OTHER, "names": ["once"]}])
    put(tmp_path, f"{LISTS}/volatile-containers.json", volatile)
    facts, podman = Facts(Root(str(tmp_path))), Podman()
    assert ["web", "once"] == [podman.name(facts, id_, "") for id_ in (ID, OTHER)]
    assert "" == podman.name(facts, "4" * 64, "")


def test_podman_of_a_user(tmp_path: Path) -> None:
    """Below the home that passwd has; a user it does not have keeps no names."""
    put(tmp_path, "etc/passwd", "edge:x:1000:1000::/home/edge:/bin/bash\n")
    lists = "home/edge/.local/share/containers/storage/overlay-containers"
    put(tmp_path, f"{lists}/containers.json", json.dumps([{"id": ID, "names": ["notebook"]}]))
    facts, podman = Facts(Root(str(tmp_path))), Podman()
    assert "notebook" == podman.name(facts, ID, "1000")
    assert ["", ""] == [podman.name(facts, ID, user) for user in ("1001", "")]


def test_a_broken_list_is_noted(tmp_path: Path) -> None:
    """It says where and why; the other list still counts."""
    put(tmp_path, f"{LISTS}/containers.json", "{}")
    put(tmp_path, f"{LISTS}/volatile-containers.json", json.dumps([{"id": ID, "names": ["once"]}]))
    facts = Facts(Root(str(tmp_path)))
    assert "once" == Podman().name(facts, ID, "")
    assert [f"{LISTS}/containers.json"] == [failure.where for failure in facts.failures]
