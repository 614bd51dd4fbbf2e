"""Where a process or a container belongs, and what a source of names says of it."""

from typing import NamedTuple


class Place(NamedTuple):
    """The contract's labels; empty where one does not apply or is not known."""

    namespace: str = ""
    pod: str = ""
    """The pod's name; where none tells it, its UID."""
    container: str = ""
    """Its name; where none tells it, the first 12 digits of its id; empty for a sandbox."""
    workload: str = ""
    """The owner's name inside Kubernetes; outside, the container's or systemd unit's."""


class Told(NamedTuple):
    """What one source says of a container; empty what it does not."""

    namespace: str = ""
    pod: str = ""
    container: str = ""
    sandbox: bool = False
    """It holds a pod's namespaces and nothing else: the pause container."""
