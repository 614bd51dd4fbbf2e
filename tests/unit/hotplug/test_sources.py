"""Both ways to hear uevents, with events that the kernel really sends."""

import ctypes
import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from exporters.hotplug import open_events
from exporters.hotplug.events import LOST, Event, Events
from exporters.hotplug.netlink import NETLINK_KOBJECT_UEVENT, NetlinkEvents
from exporters.hotplug.udev import LIBRARY, UdevEvents
from tests.support.uevents import CPU, NULL, cause, collect, descriptors, need_uevents

SOURCES = (NetlinkEvents, UdevEvents)


@pytest.fixture(params=SOURCES, ids=["netlink", "pyudev"])
def events(request: pytest.FixtureRequest) -> Iterator[Events]:
    """Open each source in turn."""
    need_uevents()
    source: Events = request.param()
    yield source
    source.close()


def test_what_is_heard(events: Events) -> None:
    """Action, subsystem and path are those of the kernel; ``mem`` is the class of /dev/null."""
    for action in ("add", "change", "remove", "add"):
        cause(NULL, action)
    expected = [
        Event(action, "mem", "/devices/virtual/mem/null")
        for action in ("add", "change", "remove", "add")
    ]
    assert expected == collect(events, [NULL])


def test_both_hear_the_same() -> None:
    """The plain socket and libudev give equal events in equal order."""
    need_uevents()
    sources: list[Events] = [source() for source in SOURCES]
    for device, action in ((NULL, "add"), (CPU, "change"), (CPU, "add"), (NULL, "change")):
        cause(device, action)
    heard = [collect(source, [NULL, CPU]) for source in sources]
    for source in sources:
        source.close()
    assert 4 == len(heard[0])
    assert heard[0] == heard[1]


def test_overflow(events: Events) -> None:
    """Events that did not fit are one event ``lost``, and later ones are heard again."""
    with socket.socket(fileno=os.dup(events.fileno())) as same:
        same.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)  # the kernel takes its minimum
    for _ in range(100):
        cause(NULL)
    assert LOST in {event.action for event in events.receive()}
    assert [] == list(events.receive())
    cause(NULL)
    assert [Event("add", "mem", "/devices/virtual/mem/null")] == collect(events, [NULL])


def test_only_the_kernel_is_believed() -> None:
    """A message from another process to our socket is not an event."""
    events = NetlinkEvents()
    try:
        port, _ = events._socket.getsockname()
        kind = socket.SOCK_DGRAM
        with socket.socket(socket.AF_NETLINK, kind, NETLINK_KOBJECT_UEVENT) as forger:
            message = b"add@/x\0ACTION=add\0DEVPATH=/x\0SUBSYSTEM=hwmon\0"
            try:
                forger.sendto(message, (port, 0))
            except PermissionError as error:
                pytest.skip(f"the kernel does not even let us try: {error}")
        assert [] == [event for event in events.receive() if event.devpath == "/x"]
    finally:
        events.close()


@pytest.mark.parametrize("source", SOURCES)
def test_no_descriptor_leaks(source: type[NetlinkEvents | UdevEvents]) -> None:
    """Closing gives back every descriptor."""
    source().close()  # what the first use opens for good, such as a library
    before = descriptors()
    for _ in range(20):
        source().close()
    assert before == descriptors()


def test_pyudev_starts_no_programs() -> None:
    """The library is found without ldconfig, gcc or ld, which an image may not have."""
    try:
        ctypes.CDLL(LIBRARY)
    except OSError as error:
        pytest.skip(str(error))
    code = (
        "import sys; sys.addaudithook(lambda event, _: event in"
        " {'subprocess.Popen', 'os.system', 'os.posix_spawn', 'os.fork'} and sys.exit(event));"
        "from exporters.hotplug.udev import UdevEvents; UdevEvents().close()"
    )
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)


def test_off() -> None:
    """Switched off is a state with a reason, as absent is."""
    source = open_events("off")
    assert ("none", None, "switched off") == (source.name, source.events, source.reason)


def test_auto_without_libudev(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where libudev cannot be loaded, the plain socket takes its place."""
    need_uevents()
    monkeypatch.setattr("exporters.hotplug.udev.LIBRARY", "libudev-of-another-system.so")
    source = open_events("auto")
    assert source.events is not None
    source.events.close()
    assert "netlink" == source.name


def test_chosen_but_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was asked for by name and cannot be had is none, with the loader's reason."""
    monkeypatch.setattr("exporters.hotplug.udev.LIBRARY", "libudev-of-another-system.so")
    monkeypatch.setattr("exporters.hotplug.choose._deaf", lambda: False)
    source = open_events("pyudev")
    assert "none" == source.name
    assert "pyudev: libudev-of-another-system.so: cannot open" in source.reason


def test_rootless_container() -> None:
    """In a network that belongs to another user namespace nothing would be heard: it says so."""
    code = "from exporters.hotplug import open_events; print(open_events('auto').reason)"
    run = ["unshare", "--map-root-user", "--net", sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    if "unshare" in done.stderr:
        pytest.skip(f"no user namespaces here: {done.stderr.strip()}")
    assert "the kernel sends no uevents to a rootless container's network\n" == done.stdout
