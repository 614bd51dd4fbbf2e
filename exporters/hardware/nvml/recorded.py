"""What a recording of NVML says of the node; on a live one its files tell the same."""

from typing import NamedTuple

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.hardware.nvml.errors import NvmlError
from exporters.hardware.nvml.replay import Replay


class Recorded(NamedTuple):
    """The first GPU's name and the driver's version; empty where the recording has none."""

    name: str = ""
    driver: str = ""


def recorded(root: Root) -> Recorded:
    """
    Return what ``replay/nvml.json`` says; nothing on a live node.

    Raises:
        ValueError: it is not of the schema.
    """
    document = root.document("nvml.json") if isinstance(root, ReplayRoot) else None
    if document is None or not isinstance(root, ReplayRoot):
        return Recorded()
    nvml = Replay(root, document)
    try:
        first = nvml.ask("nvmlDeviceGetHandleByIndex", 0)
    except NvmlError:
        return Recorded()
    return Recorded(
        _told(nvml, "nvmlDeviceGetName", first), _told(nvml, "nvmlSystemGetDriverVersion")
    )


def _told(nvml: Replay, call: str, *arguments: object) -> str:
    try:
        return str(nvml.ask(call, *arguments))
    except NvmlError:
        return ""
