"""The recorded kubelet with the systemd driver, and a live node whose time stands still."""

import os
from pathlib import Path

from exporters.core import Root
from exporters.host.cgroup_path import is_container
from exporters.host.place import Place

BOARD = "containers-kubelet-systemd"
INFERENCE = ("vision", "inference-7c5d8b9f6d-x2k4q")
BROKER = ("messaging", "broker-0")
AGENT = ("kube-system", "node-agent-8m4tz")
SCHEDULER = ("kube-system", "kube-scheduler-edge-7")
# All containers of the recorded kubelet with the systemd driver, each pod's sandbox first.
SYSTEMD = {
    Place(*INFERENCE, "", "inference"),
    Place(*INFERENCE, "triton", "inference"),
    Place(*INFERENCE, "metrics", "inference"),
    Place(*BROKER, "", "broker"),
    Place(*BROKER, "mosquitto", "broker"),
    Place(*AGENT, "", "node-agent"),
    Place(*AGENT, "agent", "node-agent"),
    Place(*SCHEDULER, "", "kube-scheduler-edge-7"),
    Place(*SCHEDULER, "kube-scheduler", "kube-scheduler-edge-7"),
}


class Clock(Root):
    """A live node whose time passes when a test says so, and which counts what is read."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder))
        self.at = 1000.0
        self.reads = 0
        self.denied: tuple[str, ...] = ()

    def monotonic(self) -> float:
        """Return the test's time."""
        return self.at

    def _enter(self, path: str) -> int:
        self.reads += 1
        if path.startswith(self.denied) and self.denied:
            raise PermissionError(13, "Permission denied", path)
        return super()._enter(path)


def containers(board: Path) -> list[str]:
    """Return the paths of all containers of a recorded node, without the mount."""
    mount = board / "sys/fs/cgroup"
    mount = mount / "memory" if (mount / "memory").is_dir() else mount
    paths = (f"/{Path(folder).relative_to(mount)}" for folder, _, _ in os.walk(mount))
    return [path for path in paths if is_container(path)]
