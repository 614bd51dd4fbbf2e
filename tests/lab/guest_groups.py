"""
Runs in the lab's machine: control groups (version 2) as container runtimes name them.

https://docs.kernel.org/admin-guide/cgroup-v2.html
"""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOUNT = Path("/sys/fs/cgroup")
CONTROLLERS = "+memory +cpu +cpuset +pids +io"

POD = "0f3a1c5e-7b1d-4f0e-9a52-6c1de5a0b7d4"
NAMESPACE, POD_NAME, CONTAINER = "vision", "detector-7c9", "triton"
IDS = {name: f"{name.encode().hex():0<64}" for name in ("cache", "oom", "swap", "busy", "numa")}
"""Container ids: 64 hexadecimal digits."""
_POD_SLICE = f"kubepods-burstable-pod{POD.replace('-', '_')}.slice"
PATHS = {
    "cache": f"machine.slice/libpod-{IDS['cache']}.scope",
    "oom": f"system.slice/docker-{IDS['oom']}.scope",
    "swap": f"docker/{IDS['swap']}",
    "busy": (
        f"kubepods.slice/kubepods-burstable.slice/{_POD_SLICE}/cri-containerd-{IDS['busy']}.scope"
    ),
    "numa": f"system.slice/docker-{IDS['numa']}.scope",
}
"""Of podman, Docker with systemd, Docker without, and a kubelet with systemd and containerd."""
FILES = (
    "memory.current", "memory.max", "memory.stat", "memory.events", "cpu.stat",
    "memory.pressure", "cpu.pressure", "io.pressure",
)  # fmt: skip

Work = Callable[[], Iterator[Mapping[str, Any]]]
"""Yields what it saw, once, and holds what it holds until its process ends."""


@dataclass(frozen=True, slots=True)
class Child:
    """A process that has done its work in a group."""

    pid: int
    seen: Mapping[str, Any] | None
    """None if it did not live to tell."""


def make_groups() -> None:
    """Mount the one hierarchy and make the groups, each with all controllers."""
    subprocess.run(["mount", "-t", "cgroup2", "cgroup2", MOUNT], check=True)
    for path in PATHS.values():
        group = MOUNT
        for part in Path(path).parts:
            (group / "cgroup.subtree_control").write_text(CONTROLLERS)
            group /= part
            group.mkdir(exist_ok=True)


def name_containers() -> None:
    """Leave the names where a kubelet leaves them: the folder and the link of a log."""
    log = Path("/var/log/pods", f"{NAMESPACE}_{POD_NAME}_{POD}", CONTAINER, "0.log")
    log.parent.mkdir(parents=True)
    log.touch()
    link = Path("/var/log/containers", f"{POD_NAME}_{NAMESPACE}_{CONTAINER}-{IDS['busy']}.log")
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(log)


def limit(name: str, **values: object) -> None:
    """Set a group's limits: ``memory_max`` is the file ``memory.max``."""
    for key, value in values.items():
        (MOUNT / PATHS[name] / key.replace("_", ".")).write_text(f"{value}")


def start(name: str, work: Work) -> Child:
    """Fork into a group and work there; return once the process told what it saw, or is dead."""
    reader, writer = os.pipe()
    if pid := os.fork():
        os.close(writer)
        with os.fdopen(reader) as file:
            line = file.readline()
        return Child(pid, json.loads(line) if line else None)
    try:
        (MOUNT / PATHS[name] / "cgroup.procs").write_text(f"{os.getpid()}")
        going = work()
        os.write(writer, (json.dumps(next(going)) + "\n").encode())
        while True:
            signal.pause()
    finally:
        os._exit(1)


def pids(name: str) -> list[int]:
    """Return the processes in a group."""
    return [int(pid) for pid in (MOUNT / PATHS[name] / "cgroup.procs").read_text().split()]


def end_groups() -> None:
    """Kill all processes in the groups."""
    for path in PATHS.values():
        (MOUNT / path / "cgroup.kill").write_text("1")


def raw() -> Mapping[str, Mapping[str, str]]:
    """Return what each group's files say."""
    return {
        name: {file: (MOUNT / path / file).read_text() for file in FILES}
        for name, path in PATHS.items()
    }
