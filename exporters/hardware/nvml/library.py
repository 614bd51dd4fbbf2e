"""NVML itself, through nvidia-ml-py; the only module that imports ``pynvml``."""

import ctypes
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from exporters.hardware.nvml.errors import ABSENT, Code, NvmlError
from exporters.hardware.nvml.interface import Xid

SONAME = "libnvidia-ml.so.1"
_XID_CRITICAL_ERROR = 0x8
# The shortest wait that is surely not taken for "for ever".
_WAIT_MILLISECONDS = 1
# Members of the union nvmlValue_t in the order of nvmlValueType_t.
_MEMBERS = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")


class Library:
    """The library that the dynamic loader finds, such as the container runtime mounts it."""

    def __init__(self) -> None:
        self._pynvml: Any = None
        self._events: Any = None
        self._watched: dict[int | None, int] = {}

    def start(self) -> None:
        """Load and initialise it."""
        try:
            # Tried first, since importing pynvml costs 2 MB that most nodes have no use for.
            ctypes.CDLL(SONAME)
        except OSError as error:
            raise NvmlError(Code.LIBRARY_NOT_FOUND, str(error)) from None
        self._pynvml = importlib.import_module("pynvml")
        self.ask("nvmlInit")

    def stop(self) -> None:
        """Shut it down."""
        self._events = None
        self._watched = {}
        self.ask("nvmlShutdown")

    def ask(self, call: str, *arguments: Any) -> Any:
        """Return what a call answers, structures as dicts by the names of nvml.h."""
        adapted = _ADAPTED.get(call)
        function = adapted(self._pynvml) if adapted else getattr(self._pynvml, call, None)
        if function is None:
            raise NvmlError(Code.FUNCTION_NOT_FOUND, f"nvidia-ml-py has no {call}")
        try:
            return _plain(function(*arguments))
        except self._pynvml.NVMLError as error:
            raise NvmlError(error.value, str(error)) from None

    def watch(self, handles: Sequence[Any]) -> None:
        """Register for Xids; on Linux NVML queues each with its own data."""
        if self._events is not None:
            self.ask("nvmlEventSetFree", self._events)
            self._events, self._watched = None, {}
        events = self.ask("nvmlEventSetCreate")
        refused: NvmlError | None = None
        for place, handle in enumerate(handles):
            try:
                self.ask("nvmlDeviceRegisterEvents", handle, _XID_CRITICAL_ERROR, events)
            except NvmlError as error:
                refused = error
            else:
                self._watched[_address(handle)] = place
        if not self._watched:
            self.ask("nvmlEventSetFree", events)
            raise refused or NvmlError(Code.NOT_SUPPORTED, "no GPU to watch")
        self._events = events

    def next_xid(self) -> Xid | None:
        """Take one event from the queue."""
        if self._events is None:
            return None
        try:
            event = self.ask("nvmlEventSetWait_v2", self._events, _WAIT_MILLISECONDS)
        except NvmlError as error:
            if error.code == Code.TIMEOUT or error.code in ABSENT:
                return None
            raise
        place = self._watched.get(_address(event["device"]))
        return None if place is None else Xid(place, event["eventData"])


def _memory(pynvml: Any) -> Callable[..., Any] | None:
    version = getattr(pynvml, "nvmlMemory_v2", None)
    if version is None:
        return None
    return lambda handle: pynvml.nvmlDeviceGetMemoryInfo(handle, version=version)


def _field(pynvml: Any) -> Callable[..., Any]:
    def get(handle: Any, field: int) -> Any:
        value = pynvml.nvmlDeviceGetFieldValues(handle, [field])[0]
        if value.nvmlReturn:
            raise pynvml.NVMLError(value.nvmlReturn)
        return getattr(value.value, _MEMBERS[value.valueType])

    return get


_ADAPTED: Mapping[str, Callable[[Any], Callable[..., Any] | None]] = {
    "nvmlDeviceGetMemoryInfo_v2": _memory,
    "nvmlDeviceGetFieldValues": _field,
}


def _address(handle: Any) -> int | None:
    return ctypes.cast(handle, ctypes.c_void_p).value


def _plain(answer: Any) -> Any:
    """Return a structure as a dict, a list of them likewise; the rest as it is."""
    if isinstance(answer, ctypes.Structure):
        return {name: getattr(answer, name) for name, *_ in answer._fields_}
    if isinstance(answer, list | tuple):
        return [_plain(one) for one in answer]
    if isinstance(answer, bytes):
        return answer.decode(errors="replace")
    # pynvml's own record, of processes.
    return vars(answer) if type(answer).__name__ == "nvmlFriendlyObject" else answer
