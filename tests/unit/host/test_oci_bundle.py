"""Names from the configuration of a container."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.hardware.facts import LONGEST, Facts
from exporters.host.oci_bundle import BUNDLES, from_bundle, parse_bundle
from exporters.host.place import Told

ID = "2" * 64
CONTAINERD = {
    # As containerd/cri#1436 has it, with what has been added since.
    "io.kubernetes.cri.container-name": "con1",
    "io.kubernetes.cri.container-type": "container",
    "io.kubernetes.cri.sandbox-id": "3" * 64,
    "io.kubernetes.cri.sandbox-name": "pod-test",
    "io.kubernetes.cri.sandbox-namespace": "default",
}
CRIO = {
    "io.kubernetes.container.name": "con1",
    "io.kubernetes.cri-o.ContainerType": "container",
    "io.kubernetes.pod.name": "pod-test",
    "io.kubernetes.pod.namespace": "default",
}


def bundle(annotations: dict[str, str]) -> str:
    """Return a configuration with these annotations."""
    return json.dumps({"ociVersion": "1.1.0", "annotations": annotations, "process": {}})


@pytest.mark.parametrize("annotations", [CONTAINERD, CRIO])
def test_a_container(annotations: dict[str, str]) -> None:
    """Both runtimes say the same in words of their own."""
    assert Told("default", "pod-test", "con1") == parse_bundle(bundle(annotations))


@pytest.mark.parametrize(
    "annotations",
    [
        {**CONTAINERD, "io.kubernetes.cri.container-type": "sandbox"},
        {
            "io.kubernetes.container.name": "POD",
            "io.kubernetes.cri-o.ContainerType": "sandbox",
            "io.kubernetes.cri-o.KubeName": "pod-test",
            "io.kubernetes.cri-o.Namespace": "default",
        },
    ],
)
def test_a_sandbox(annotations: dict[str, str]) -> None:
    """It has no name of its own, whatever it is called."""
    assert Told("default", "pod-test", sandbox=True) == parse_bundle(bundle(annotations))


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", "nonsense", '{"annotations": []}', '{"annotations": {"a": 1}}', "[" * 99999,
        bundle({**CONTAINERD, "io.kubernetes.cri.sandbox-name": ""}),
        bundle({**CONTAINERD, "io.kubernetes.cri.container-name": " "}),
    ],
)  # fmt: skip
def test_something_else(text: str) -> None:
    """Not JSON, not a bundle, or not one of a pod."""
    with pytest.raises(ValueError, match=r"."):
        parse_bundle(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from([*CONTAINERD, *CRIO, "a"]), inner)
    ),
)


@given(st.dictionaries(st.sampled_from(["annotations", "x"]), JSON))
def test_any_document(document: dict[str, object]) -> None:
    """Whatever a bundle holds is a label or refused."""
    try:
        told = parse_bundle(json.dumps(document))
    except ValueError:
        return
    assert all(len(text) <= LONGEST and text.isprintable() for text in told[:3])
    assert told.sandbox is not bool(told.container)


@pytest.mark.parametrize("pattern", BUNDLES)
def test_where_bundles_lie(tmp_path: Path, pattern: str) -> None:
    """containerd, k3s, k0s, MicroK8s and CRI-O each have a place of their own."""
    path = tmp_path / pattern.format(ID)
    path.parent.mkdir(parents=True)
    path.write_text(bundle(CONTAINERD))
    assert Told("default", "pod-test", "con1") == from_bundle(Facts(Root(str(tmp_path))), ID)


def test_a_broken_bundle_is_noted(tmp_path: Path) -> None:
    """It says where and why, and no name; one that is not there says nothing."""
    facts = Facts(Root(str(tmp_path)))
    assert from_bundle(facts, ID) is None
    assert [] == facts.failures
    path = tmp_path / BUNDLES[0].format(ID)
    path.parent.mkdir(parents=True)
    path.write_text("{")
    assert from_bundle(facts, ID) is None
    assert [BUNDLES[0].format(ID)] == [failure.where for failure in facts.failures]
