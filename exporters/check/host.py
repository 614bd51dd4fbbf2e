"""What is asked of the running machine only, not of a recording: mounts, privileges, uevents."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from exporters.check.hotplug import hotplug_row
from exporters.check.machine import machine
from exporters.check.mounts import Mount, masked, mount_rows, parse_mountinfo
from exporters.check.privileges import Privileges, describe, parse_privileges
from exporters.check.row import Row
from exporters.core.root import Root


@dataclass(frozen=True, slots=True)
class Host:
    """The running machine, as this process sees it."""

    container: str
    mounts: Mapping[str, Mount] | None = None
    """None where /proc does not show them."""
    who: Privileges | None = None

    def facts(self) -> dict[str, str]:
        """Return what a person has to know to understand the verdicts."""
        who = describe(self.who) if self.who else {"user": "unknown: /proc/self cannot be read"}
        return machine() | who | {"container": self.container, "masked": " ".join(self.masked)}

    @property
    def masked(self) -> tuple[str, ...]:
        """What a container runtime hides of /proc and /sys."""
        return tuple(masked(self.mounts or {}))

    def rows(self, root: Root, hotplug: str) -> Iterator[Row]:
        """Yield verdicts on what the agent itself needs."""
        yield from mount_rows(self.mounts, root)
        yield hotplug_row(hotplug)


def host(root: Root, environment: Mapping[str, str]) -> Host:
    """Look at the running machine; without /proc little is to be seen, which is no error."""
    container = container_of(root, environment)
    try:
        mounts = parse_mountinfo(root.read("proc/self/mountinfo"))
        who = parse_privileges(root.read("proc/self/status"), root.read("proc/self/uid_map"))
    except (OSError, ValueError):
        return Host(container)
    return Host(container, mounts, who)


def container_of(root: Root, environment: Mapping[str, str]) -> str:
    """Return by what signs this is a container; empty where there is none."""
    signs = {
        "Kubernetes": "KUBERNETES_SERVICE_HOST" in environment,
        "Docker": root.exists(".dockerenv"),
        "Podman": root.exists("run/.containerenv"),
        # systemd's container interface: LXC, nspawn and Podman set it.
        environment.get("container", ""): "container" in environment,
    }
    return ", ".join(name for name, there in signs.items() if there and name)
