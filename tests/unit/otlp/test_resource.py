"""Who speaks: resource attributes from the node's labels and the environment."""

import pytest

from exporters.otlp.resource import parse_resource_attributes, resource

NODE = {
    "node": "edge-7",
    "board": "NVIDIA Jetson Orin Nano Developer Kit",
    "hardware_type": "jetson-orin-nano",
    "accelerator": "Orin",
    "kernel": "5.15.148-tegra",
    "driver": "540.4.0",
    "region": "eu-north",
    "rack": "r2",
    "zone": "",
}


def test_node_labels() -> None:
    """Each label has its attribute, an unknown one has none."""
    expected = {
        "service.name": "tailsight",
        "service.version": "1.2",
        "service.instance.id": "edge-7",
        "os.type": "linux",
        "host.name": "edge-7",
        "device.model.name": "NVIDIA Jetson Orin Nano Developer Kit",
        "host.type": "jetson-orin-nano",
        "hw.model": "Orin",
        "os.version": "5.15.148-tegra",
        "hw.driver_version": "540.4.0",
        "cloud.region": "eu-north",
        "tailsight.rack": "r2",
    }
    assert expected == resource(NODE, {}, "1.2")


def test_kubernetes_node() -> None:
    """With NODE_NAME the node is one of Kubernetes, too."""
    found = resource({**NODE, "node": "k8s-edge-7"}, {"NODE_NAME": "k8s-edge-7"}, "1")
    assert ("k8s-edge-7", "k8s-edge-7") == (found["k8s.node.name"], found["host.name"])


def test_environment_has_the_last_word() -> None:
    """OTEL_RESOURCE_ATTRIBUTES overrides what was found, OTEL_SERVICE_NAME overrides that."""
    environment = {
        "OTEL_RESOURCE_ATTRIBUTES": "service.name=a,cloud.region=mars,deployment.environment=lab",
        "OTEL_SERVICE_NAME": "b",
    }
    found = resource(NODE, environment, "1")
    assert ["b", "mars", "lab"] == [
        found[name] for name in ("service.name", "cloud.region", "deployment.environment")
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("a=b", {"a": "b"}),
        (" a = b , c=d,", {"a": "b", "c": "d"}),
        ("a=x%2Cy%3Dz", {"a": "x,y=z"}),
        ("a=%E5%8F%B0", {"a": "台"}),
        ("a=b=c", {"a": "b=c"}),
        ("a=", {"a": ""}),
    ],
)
def test_parse(text: str, expected: dict[str, str]) -> None:
    """Values are percent-encoded; white space around names and values does not count."""
    assert expected == parse_resource_attributes(text)


@pytest.mark.parametrize("text", ["a", "a=b,c", "=b", "a=%FF"])
def test_nonsense(text: str) -> None:
    """One bad pair dismisses all of it, with the variable's name in the line."""
    with pytest.raises(ValueError, match="OTEL_RESOURCE_ATTRIBUTES"):
        parse_resource_attributes(text)
