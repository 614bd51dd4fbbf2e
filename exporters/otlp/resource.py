"""
Who speaks: the resource attributes of everything that this agent pushes.

Names by the semantic conventions (https://opentelemetry.io/docs/specs/semconv/resource/). What
``tailsight_node_info`` says in labels stands here instead of on each series.
"""

from collections.abc import Mapping
from urllib.parse import unquote

SERVICE = "tailsight"

NODE_ATTRIBUTES: Mapping[str, str] = {
    "node": "host.name",
    "board": "device.model.name",
    "hardware_type": "host.type",
    "accelerator": "hw.model",
    "kernel": "os.version",
    "driver": "hw.driver_version",
    "region": "cloud.region",
    "zone": "cloud.availability_zone",
    "rack": "tailsight.rack",
}
"""The labels of ``tailsight_node_info``; what is unknown, an empty label, is left out."""


def resource(
    node: Mapping[str, str], environment: Mapping[str, str], version: str
) -> dict[str, str]:
    """
    Return the resource attributes of the agent on a node.

    Args:
        node: the labels of ``tailsight_node_info``.
        environment: NODE_NAME says that this is a Kubernetes node; OTEL_RESOURCE_ATTRIBUTES
            and OTEL_SERVICE_NAME have the last word, as in OpenTelemetry's SDKs.
        version: the agent's.

    Raises:
        ValueError: OTEL_RESOURCE_ATTRIBUTES is not ``name=value,name=value``.
    """
    found = {
        "service.name": SERVICE,
        "service.version": version,
        # One agent runs on a node: its name is unique, and outlives restarts, so that
        # Prometheus' ``instance`` does not change with each of them.
        "service.instance.id": node.get("node", ""),
        "os.type": "linux",
        "k8s.node.name": environment.get("NODE_NAME", ""),
    }
    found |= {name: node.get(label, "") for label, name in NODE_ATTRIBUTES.items()}
    found |= parse_resource_attributes(environment.get("OTEL_RESOURCE_ATTRIBUTES", ""))
    if name := environment.get("OTEL_SERVICE_NAME"):
        found["service.name"] = name
    return {name: value for name, value in found.items() if value}


def parse_resource_attributes(text: str) -> dict[str, str]:
    """
    Parse ``name=value,name=value`` with percent-encoded values.

    https://opentelemetry.io/docs/specs/otel/resource/sdk/#specifying-resource-information-via-an-environment-variable

    Raises:
        ValueError: it is something else; then all of it is to be dismissed.
    """
    found = {}
    for item in filter(None, (item.strip() for item in text.split(","))):
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not name:
            msg = f"OTEL_RESOURCE_ATTRIBUTES: wants name=value,name=value, got {item[:60]!r}"
            raise ValueError(msg)
        try:
            found[unquote(name, errors="strict")] = unquote(value, errors="strict")
        except UnicodeDecodeError as error:
            msg = f"OTEL_RESOURCE_ATTRIBUTES: {item[:60]!r} is not percent-encoded UTF-8"
            raise ValueError(msg) from error
    return found
