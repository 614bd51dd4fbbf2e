"""
NVML's error codes, and what they mean for whoever asks.

The codes are those of ``nvmlReturn_t``:
https://docs.nvidia.com/deploy/nvml-api/group__nvmlDeviceEnumvs.html
"""

import errno
from collections.abc import Mapping
from enum import IntEnum


class Code(IntEnum):
    """The codes that are told apart here."""

    UNINITIALIZED = 1
    INVALID_ARGUMENT = 2
    NOT_SUPPORTED = 3
    NO_PERMISSION = 4
    NOT_FOUND = 6
    DRIVER_NOT_LOADED = 9
    TIMEOUT = 10
    LIBRARY_NOT_FOUND = 12
    FUNCTION_NOT_FOUND = 13
    GPU_IS_LOST = 15
    RESET_REQUIRED = 16
    LIB_RM_VERSION_MISMATCH = 18
    NO_DATA = 21
    ARGUMENT_VERSION_MISMATCH = 25
    DEPRECATED = 26
    GPU_NOT_FOUND = 28
    UNKNOWN = 999


ABSENT = frozenset(
    {
        Code.NOT_SUPPORTED,
        Code.FUNCTION_NOT_FOUND,
        Code.NO_DATA,
        Code.DEPRECATED,
        Code.ARGUMENT_VERSION_MISMATCH,
        # All arguments are constants, so this driver does not know the one that was given.
        Code.INVALID_ARGUMENT,
    }
)
"""This GPU, driver or library does not have what was asked for: no failure."""

GONE = frozenset(
    {
        Code.UNINITIALIZED,
        Code.DRIVER_NOT_LOADED,
        Code.GPU_IS_LOST,
        Code.RESET_REQUIRED,
        Code.LIB_RM_VERSION_MISMATCH,
        Code.GPU_NOT_FOUND,
    }
)
"""No other call to this GPU can be answered either, until NVML was initialised anew."""

# ESTALE has the sensors looked for anew at once: the handles are of no use any more.
_ERRNO: Mapping[int, int] = {
    Code.NOT_SUPPORTED: errno.EOPNOTSUPP,
    Code.NO_PERMISSION: errno.EACCES,
    Code.TIMEOUT: errno.ETIMEDOUT,
    Code.LIB_RM_VERSION_MISMATCH: errno.EPROTO,
    Code.DRIVER_NOT_LOADED: errno.EREMOTEIO,
    Code.UNKNOWN: errno.ESTALE,
}


class NvmlError(OSError):
    """NVML refused; ``strerror`` is its own text, ``errno`` the nearest that the kernel knows."""

    def __init__(self, code: int, text: str) -> None:
        nearest = errno.ESTALE if code in GONE else errno.EREMOTEIO
        super().__init__(_ERRNO.get(code, nearest), text)
        self.code = code

    def __str__(self) -> str:
        return f"{self.strerror} (NVML error {self.code})"
