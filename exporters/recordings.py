"""Checks a recording's ``replay`` folder before anything is served from it."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from exporters.clock import adjtimex, chrony, phc, ptp4l
from exporters.core.replay import ReplayError, ReplayRoot
from exporters.hardware import network, nvml
from exporters.host import kubelet
from exporters.host.pod_list import pods_of

Messages = Mapping[str, bytes]

MESSAGES: Mapping[str, Callable[[Messages], object]] = {
    "ptp4l": ptp4l.check_recording,
    "phc": phc.check_recording,
    "chrony": chrony.check_recording,
}
"""What takes the binary answers of a folder; raises ValueError."""


def documents(root: ReplayRoot) -> Mapping[str, Callable[[Any], object]]:
    """Return what takes each JSON document; raises ValueError."""
    return {
        "nvml.json": partial(nvml.Replay, root),
        network.RECORDING: network.parse_recording,
        adjtimex.RECORDING: adjtimex.parse_recording,
        kubelet.RECORDING: pods_of,
    }


def check_recording(root: ReplayRoot) -> None:
    """
    Check what the collectors find in a recording's ``replay`` folder.

    Raises:
        ReplayError: a file there is not what its collector takes; one line says which and why.
    """
    for name, take in documents(root).items():
        document = root.document(name)
        if document is not None:
            _check(root, name, partial(take, document))
    for folder, take_all in MESSAGES.items():
        _check(root, folder, partial(take_all, root.messages(folder)))


def _check(root: ReplayRoot, name: str, take: Callable[[], object]) -> None:
    try:
        take()
    except ValueError as error:
        msg = f"{root.folder}replay/{name}: {error}"
        raise ReplayError(msg) from None
