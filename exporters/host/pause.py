"""Whether a container of a pod is its sandbox, by the program that runs in it."""

from exporters.core import Root

PAUSE = "pause"
"""What the sandbox's process is called: ``build/pause`` of kubernetes/kubernetes."""
_STARTING = ("runc:", "crun")
"""What a process of any container is called until it becomes the container's program."""
_MOUNTS = ("sys/fs/cgroup", "sys/fs/cgroup/systemd", "sys/fs/cgroup/pids", "sys/fs/cgroup/memory")


def runs_pause(root: Root, cgroup_path: str) -> bool | None:
    """
    Whether the first process of a cgroup is the pause program; None where that cannot be seen.

    Its pid is 0 to a reader whose pid namespace does not have it: that needs hostPID.
    """
    for mount in _MOUNTS:
        pids = _read(root, f"{mount}/{cgroup_path.strip('/')}/cgroup.procs").split()
        if pids:
            command = _read(root, f"proc/{pids[0]}/comm")
            return None if not command or command.startswith(_STARTING) else command == PAUSE
    return None


def _read(root: Root, path: str) -> str:
    """Return a file's text; empty where it cannot be read, which says nothing of the container."""
    try:
        return root.read(path)
    except (OSError, ValueError):  # the latter: a NUL, which no path has
        return ""
