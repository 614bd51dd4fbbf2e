"""What of the host is looked at, as the settings say it."""

from dataclasses import dataclass
from re import Pattern


@dataclass(frozen=True, slots=True)
class Kubelet:
    """Where the kubelet's list of pods is, and what opens it."""

    url: str
    token_file: str
    ca_file: str | None = None


@dataclass(frozen=True, slots=True)
class HostOptions:
    """Which processes and containers count, and how many of them at most."""

    processes: int = 64
    """Groups of processes that have series of their own; the rest together are ``other``."""
    gpu: bool = True
    """Choose the processes that hold a GPU device or have a GPU library mapped."""
    command: Pattern[str] | None = None
    """Choose the processes whose command line has a match of it."""
    cgroup: Pattern[str] | None = None
    """Choose the processes whose cgroup path has a match of it."""
    numa_maps_seconds: float | None = None
    """Read a chosen process's numa_maps so often; None for never."""
    containers: int = 64
    """Containers that have series of their own; the rest together are ``other``."""
    kubelet: Kubelet | None = None
