"""What the rest of the package knows of NVML: calls by their C name, plain values back."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol


class Xid(NamedTuple):
    """One error report of the driver (https://docs.nvidia.com/deploy/xid-errors/)."""

    device: int
    """Which one of the handles that are watched."""
    number: int


class Nvml(Protocol):
    """The library, or a recording of its answers."""

    def start(self) -> None:
        """
        Initialise it.

        Raises:
            NvmlError: it cannot be loaded or does not find its driver.
        """

    def stop(self) -> None:
        """Shut it down; handles are void afterwards."""

    def ask(self, call: str, *arguments: Any) -> Any:
        """
        Return what a call answers: numbers, texts, handles, and dicts and lists of these.

        Raises:
            NvmlError: it refused; ``FUNCTION_NOT_FOUND`` where the library is too old.
        """

    def watch(self, handles: Sequence[Any]) -> None:
        """
        Have the driver keep the Xids of these GPUs for ``next_xid``.

        Raises:
            NvmlError: none of them can be watched.
        """

    def next_xid(self) -> Xid | None:
        """
        Return the oldest Xid that was not yet returned, or None.

        Raises:
            NvmlError: it refused.
        """
