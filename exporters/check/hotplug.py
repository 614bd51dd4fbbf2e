"""Whether the agent hears of devices that come and go."""

from exporters.check.row import Row
from exporters.hotplug.choose import NONE, open_events

_FIX = (
    "share the host's network namespace (docker: --network host, Kubernetes: hostNetwork: true);"
    " under systemd let RestrictAddressFamilies have AF_NETLINK; until then devices are found"
    " every --discovery.interval"
)


def hotplug_row(choice: str) -> Row:
    """Open the source of uevents that was chosen, as ``serve`` would, and close it again."""
    source = open_events(choice)
    if source.events is not None:
        source.events.close()
    deaf = source.name == NONE
    return Row(
        collector="hotplug",
        kind="node",
        source="NETLINK_KOBJECT_UEVENT",
        verdict="absent" if deaf else "ok",
        sample="" if deaf else f"uevents of the kernel through {source.name}",
        reason=source.reason,
        fix=("--hotplug=auto" if choice == "off" else _FIX) if deaf else "",
    )
