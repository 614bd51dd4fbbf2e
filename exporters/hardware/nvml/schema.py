"""
What ``replay/nvml.json`` may say, so that a slip in it shows at the start and not as a reading.

NVML itself answers in the types of nvml.h; those that decide what is looked for are checked here.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from exporters.core.timed import is_moment, is_number

MOST_GPUS = 64


def _is_text(answer: Any) -> bool:
    return isinstance(answer, str)


def _is_count(answer: Any) -> bool:
    return isinstance(answer, int) and is_number(answer, 0, MOST_GPUS)


def _is_pair(answer: Any) -> bool:
    """Whether it is two whole numbers, as of what a call gives by reference."""
    pair = isinstance(answer, list) and len(answer) == 2  # noqa: PLR2004  # a pair
    return pair and all(isinstance(one, int) for one in answer)


def _is_list_of_processes(answer: Any) -> bool:
    return isinstance(answer, list) and all(
        isinstance(one, dict)
        and isinstance(one.get("pid"), int)
        and is_number(one.get("usedGpuMemory") or 0, 0, 2**64)
        for one in answer
    )


_SHAPES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "nvmlDeviceGetCount": (_is_count, f"a count, at most {MOST_GPUS}"),
    "nvmlDeviceGetUUID": (_is_text, "a text"),
    "nvmlDeviceGetName": (_is_text, "a text"),
    "nvmlSystemGetDriverVersion": (_is_text, "a text"),
    "nvmlDeviceGetMigMode": (_is_pair, "two whole numbers, the present and the pending mode"),
    "nvmlDeviceGetCudaComputeCapability": (_is_pair, "two whole numbers"),
    "nvmlDeviceGetComputeRunningProcesses": (_is_list_of_processes, "a list of processes"),
    "nvmlDeviceGetGraphicsRunningProcesses": (_is_list_of_processes, "a list of processes"),
}


def check(answers: Mapping[str, Any]) -> None:
    """
    Check the answers of a device, its instances included, or of the system.

    Raises:
        ValueError: one is not what its call answers, or its versions are not in order.
    """
    for call, answer in answers.items():
        if is_timed(answer):
            _check_versions(call, answer)
        for version in answer if is_timed(answer) else [{"value": answer}]:
            _check_answer(call, version.get("value", version))
    for instance in mappings(answers, "mig"):
        check(instance)


def is_timed(answer: Any) -> bool:
    """Whether it is a list of timed versions of an answer."""
    return (
        isinstance(answer, list)
        and bool(answer)
        and all(isinstance(version, dict) and "at" in version for version in answer)
    )


def _check_versions(call: str, versions: Sequence[Mapping[str, Any]]) -> None:
    whole = all(("value" in version) != ("error" in version) for version in versions)
    if not whole or not all(is_moment(version["at"]) for version in versions):
        msg = f'a version of {call} wants "at" and either "value" or "error"'
        raise ValueError(msg)
    moments = [version["at"] for version in versions]
    if moments != sorted(moments):
        msg = f'the versions of {call} do not rise in "at"'
        raise ValueError(msg)


def _check_answer(call: str, answer: Any) -> None:
    if isinstance(answer, dict) and answer.keys() - {"at"} == {"error"}:
        if not isinstance(answer["error"], int):
            msg = f"an error of {call} wants to be one of NVML's numbers"
            raise ValueError(msg)
    elif call in _SHAPES:
        fits, wanted = _SHAPES[call]
        if not fits(answer):
            msg = f"{call} wants {wanted}, got {str(answer)[:40]!r}"
            raise ValueError(msg)


def check_xid(xid: Mapping[str, Any], devices: int) -> None:
    """
    Check an Xid.

    Raises:
        ValueError: it lacks something, or is of no device.
    """
    if not is_moment(xid.get("at")) or not all(
        isinstance(xid.get(name), int) for name in ("device", "number")
    ):
        msg = f"an Xid wants at, device and number: {xid!r}"
        raise ValueError(msg)
    if not 0 <= xid["device"] < devices:
        msg = f"there is no device {xid['device']}: {xid!r}"
        raise ValueError(msg)


def mapping(document: Any, name: str, default: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object in an object; raise ValueError where it is something else."""
    found = document.get(name, default) if isinstance(document, dict) else None
    if not isinstance(found, dict):
        msg = f"wants an object with an object {name!r}"
        raise ValueError(msg)  # noqa: TRY004  # for the caller all is one: a bad file
    return found


def mappings(document: Any, name: str) -> Sequence[Mapping[str, Any]]:
    """Return a list of objects in an object; raise ValueError where it is something else."""
    found = document.get(name, []) if isinstance(document, dict) else None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        msg = f"{name!r} wants to be a list of objects"
        raise ValueError(msg)
    return found
