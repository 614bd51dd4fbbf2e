"""Picks who hears uevents for us, and says why if nobody can."""

import errno
import fcntl
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from exporters.hotplug.events import Events
from exporters.hotplug.netlink import NetlinkEvents
from exporters.hotplug.udev import UdevEvents

log = logging.getLogger(__name__)

CHOICES = ("auto", "pyudev", "netlink", "off")
NONE = "none"

_OPENERS: Mapping[str, Callable[[], Events]] = {"pyudev": UdevEvents, "netlink": NetlinkEvents}
# include/uapi/linux/nsfs.h: the user namespace that owns a namespace.
_NS_GET_USERNS = 0xB701
# include/linux/proc_ns.h: the inode of the user namespace that the kernel starts with.
_FIRST_USER_NAMESPACE = 0xEFFFFFFD


@dataclass(frozen=True, slots=True)
class Source:
    """Who hears uevents for us."""

    name: str
    """``pyudev``, ``netlink`` or ``none``."""
    events: Events | None = None
    """None with the name ``none``."""
    reason: str = ""
    """Why it is none, for people; devices are then found slowly."""


def open_events(choice: str) -> Source:
    """
    Open the source of uevents that was chosen: one of ``CHOICES``.

    ``auto`` takes pyudev if libudev can be loaded and a plain netlink socket otherwise.
    """
    if choice == "off":
        return Source(NONE, reason="switched off")
    if _deaf():
        return Source(NONE, reason="the kernel sends no uevents to a rootless container's network")
    reasons = []
    for name in _OPENERS if choice == "auto" else (choice,):
        try:
            return Source(name, _OPENERS[name]())
        except (ImportError, OSError) as error:
            reasons.append(f"{name}: {error}")
            log.debug("no uevents through %s: %s", name, error)
    return Source(NONE, reason="; ".join(reasons))


def _deaf() -> bool:
    """
    Whether the kernel sends no uevents to this network namespace.

    Since Linux 4.18 only namespaces that belong to the first user namespace get them
    (``uevent_net_init`` in ``lib/kobject_uevent.c``): a container of root does, with its own
    network too, a rootless one does not. Opening a socket succeeds there all the same.
    """
    try:
        network = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        owner: int = fcntl.ioctl(network, _NS_GET_USERNS)
    except OSError as error:
        # EPERM: it belongs to a user namespace outside of ours; the host's network, usually.
        log.debug("owner of the network namespace: %s", errno.errorcode.get(error.errno or 0))
        return False
    finally:
        os.close(network)
    try:
        return os.fstat(owner).st_ino != _FIRST_USER_NAMESPACE
    finally:
        os.close(owner)
