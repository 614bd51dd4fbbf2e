"""NVML's answers from ``replay/nvml.json`` of a recorded node; docs/replay.md has its schema."""

from collections.abc import Mapping, Sequence
from typing import Any

from exporters.core.replay import ReplayRoot
from exporters.core.timed import at
from exporters.hardware.nvml.errors import Code, NvmlError
from exporters.hardware.nvml.interface import Xid
from exporters.hardware.nvml.schema import check, check_xid, is_timed, mapping, mappings

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
        self._system = mapping(document, "system", {})
        self._devices = mappings(document, "devices")
        self._xids = mappings(document, "xids")
        self._told = 0
        for answers in (self._system, *self._devices):
            check(answers)
        for xid in self._xids:
            check_xid(xid, len(self._devices))

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
                return len(mappings(device, "mig"))
            if call == "nvmlDeviceGetMigDeviceHandleByIndex":
                return self._nth(mappings(device, "mig"), call, arguments[1])
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
        if is_timed(answer):
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
