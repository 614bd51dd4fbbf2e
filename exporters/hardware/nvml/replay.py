"""NVML's answers from ``replay/nvml.json`` of a recorded node; docs/replay.md has its schema."""

from collections.abc import Mapping, Sequence
from typing import Any

from exporters.core.replay import ReplayRoot
from exporters.core.timed import at
from exporters.hardware.nvml.errors import Code, NvmlError
from exporters.hardware.nvml.interface import Xid

_TEXTS: Mapping[int, str] = {
    Code.UNINITIALIZED: "Uninitialized",
    Code.NOT_SUPPORTED: "Not Supported",
    Code.NO_PERMISSION: "Insufficient Permissions",
    Code.NOT_FOUND: "Not Found",
    Code.DRIVER_NOT_LOADED: "Driver Not Loaded",
    Code.LIBRARY_NOT_FOUND: "NVML Shared Library Not Found",
    Code.GPU_IS_LOST: "GPU is lost",
    Code.RESET_REQUIRED: "GPU requires restart",
    Code.LIB_RM_VERSION_MISMATCH: "RM has detected an NVML/RM version mismatch.",
    Code.UNKNOWN: "Unknown Error",
}


class Replay:
    """
    A recording, which answers as the library did.

    Raises:
        ValueError: the document is not of the schema.
    """

    def __init__(self, root: ReplayRoot, document: Any) -> None:
        self._root = root
        self._system = _mapping(document, "system", {})
        self._devices = _mappings(document, "devices")
        self._xids = _mappings(document, "xids")
        self._told = 0
        for answers in (self._system, *self._devices):
            for call, answer in answers.items():
                _check(call, answer)
        for xid in self._xids:
            if not all(isinstance(xid.get(name), int) for name in ("at", "device", "number")):
                msg = f"nvml.json: an Xid wants at, device and number: {xid!r}"
                raise ValueError(msg)
            if not 0 <= xid["device"] < len(self._devices):
                msg = f"nvml.json: there is no device {xid['device']}: {xid!r}"
                raise ValueError(msg)

    def start(self) -> None:
        """Fail where the recording says that initialising failed."""
        self._find(self._system, "nvmlInit", None)

    def stop(self) -> None:
        """Do nothing: there is nothing to shut down."""

    def ask(self, call: str, *arguments: Any) -> Any:
        """Return the recorded answer; handles are the recorded devices themselves."""
        device = arguments[0] if arguments and isinstance(arguments[0], Mapping) else None
        if device is not None:
            if call == "nvmlDeviceGetMaxMigDeviceCount":
                return len(_mappings(device, "mig"))
            if call == "nvmlDeviceGetMigDeviceHandleByIndex":
                return self._nth(_mappings(device, "mig"), call, arguments[1])
            return self._find(device, _key(call, arguments[1:]))
        if call == "nvmlDeviceGetCount":
            return self._find(self._system, call, len(self._devices))
        if call == "nvmlDeviceGetHandleByIndex":
            return self._nth(self._devices, call, arguments[0])
        return self._find(self._system, _key(call, arguments))

    def watch(self, handles: Sequence[Any]) -> None:
        """Do nothing: the recording lists its Xids."""

    def next_xid(self) -> Xid | None:
        """Return the next Xid whose time has come."""
        if self._told >= len(self._xids):
            return None
        event = self._xids[self._told]
        if event["at"] > self._root.elapsed():
            return None
        self._told += 1
        return Xid(event["device"], event["number"])

    def _nth(self, devices: Sequence[Mapping[str, Any]], call: str, index: int) -> Any:
        if index >= len(devices):
            raise _error(Code.NOT_FOUND)
        self._find(devices[index], call, None)
        return devices[index]

    def _find(self, answers: Mapping[str, Any], key: str, *default: Any) -> Any:
        if key not in answers:
            if default:
                return default[0]
            raise _error(Code.NOT_SUPPORTED)
        answer = answers[key]
        if _is_timed(answer):
            version = at(answer, self._root.elapsed()) or {"error": Code.NOT_SUPPORTED}
            answer = version.get("value", version)
        if isinstance(answer, dict) and answer.keys() - {"at"} == {"error"}:
            raise _error(answer["error"])
        return answer


def _key(call: str, arguments: Sequence[Any]) -> str:
    """Return how a call is written in the file: without parentheses where it takes no more."""
    return f"{call}({', '.join(map(str, arguments))})" if arguments else call


def _error(code: int) -> NvmlError:
    return NvmlError(code, _TEXTS.get(code, f"NVML Error with code {code}"))


def _is_timed(answer: Any) -> bool:
    return (
        isinstance(answer, list)
        and bool(answer)
        and all(isinstance(version, dict) and "at" in version for version in answer)
    )


def _check(call: str, answer: Any) -> None:
    """Raise ValueError for a timed list whose versions are incomplete or out of order."""
    if not _is_timed(answer):
        return
    moments = [version["at"] for version in answer]
    whole = all(("value" in version) != ("error" in version) for version in answer)
    if not whole or not all(isinstance(moment, int | float) for moment in moments):
        msg = f'nvml.json: a version of {call} wants "at" and either "value" or "error"'
        raise ValueError(msg)
    if moments != sorted(moments):
        msg = f'nvml.json: the versions of {call} do not rise in "at"'
        raise ValueError(msg)


def _mapping(document: Any, name: str, default: Mapping[str, Any]) -> Mapping[str, Any]:
    found = document.get(name, default) if isinstance(document, dict) else None
    if not isinstance(found, dict):
        msg = f"nvml.json: wants an object with an object {name!r}"
        raise ValueError(msg)  # noqa: TRY004  # for the caller all is one: a bad file
    return found


def _mappings(document: Any, name: str) -> Sequence[Mapping[str, Any]]:
    found = document.get(name, []) if isinstance(document, dict) else None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        msg = f"nvml.json: {name!r} wants to be a list of objects"
        raise ValueError(msg)
    return found
