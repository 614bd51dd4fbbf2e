"""A real pair of ptp4l, a grandmaster and a follower, in two namespaces joined by a cable."""

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from exporters.clock.options import ClockOptions
from exporters.clock.ptp4l import collector
from exporters.core import Root
from tests.support.collect import run, values
from tests.support.netns import INTERFACE, Namespace, joined
from tests.support.programs import program
from tests.support.uevents import descriptors

SYNCHRONIZED = 'tailsight_clock_synchronized{source="ptp4l"}'
OFFSET = 'tailsight_clock_offset_seconds{source="ptp4l"}'
DELAY = "tailsight_ptp_mean_path_delay_seconds"
PRESENT = "tailsight_ptp_grandmaster_present"
QUICK = """[global]
time_stamping software
free_running 1
uds_address {socket}
logAnnounceInterval -3
logSyncInterval -3
logMinDelayReqInterval -3
announceReceiptTimeout 3
use_syslog 0
verbose 1
{more}
"""
"""As quick as it goes; the socket is the configuration's own. It sets no clock."""

Values = dict[str, object]


@dataclass(frozen=True, slots=True)
class Node:
    """A ptp4l and where it runs."""

    space: Namespace
    socket: Path
    log: Path

    def values(self, domain: int = 0) -> Values:
        """Return what is exported of it."""
        options = ClockOptions(ptp4l_sockets=(str(self.socket),), ptp4l_domain=domain)
        return values(run(collector(options), Root()))

    def wait(self, holds: Callable[[Values], bool]) -> Values:
        """Return the values as soon as something holds of them."""
        deadline = time.monotonic() + 20
        while not holds(found := self.values()):
            assert time.monotonic() < deadline, f"{found}\n{self.log.read_text()}"
            time.sleep(0.05)
        return found

    def pmc(self, *requests: str) -> dict[str, str]:
        """Return what linuxptp's own client shows of it."""
        own = ("-i", str(self.socket.with_suffix(".pmc")))
        text = self.space.run(
            str(program("pmc")), "-u", "-b", "0", "-s", str(self.socket), *own, *requests
        )
        return dict(re.findall(r"^\t\t(\S+) +(\S+)", text, re.MULTILINE))


@contextmanager
def running(
    space: Namespace, folder: Path, name: str, more: str = "", *user: str
) -> Iterator[Node]:
    """Run a ptp4l until the end of the block; ``user`` makes it another's."""
    node = Node(space, folder / f"{name}.socket", folder / f"{name}.log")
    settings = folder / f"{name}.conf"
    settings.write_text(QUICK.format(socket=node.socket, more=more))
    command = (*user, str(program("ptp4l")), "-f", str(settings), "-i", INTERFACE)
    with space.running(*command, log=node.log):
        yield node


def test_a_real_pair(tmp_path: Path) -> None:
    """
    The follower finds its master, says what ``pmc`` says, and tells nothing once that is gone.

    A free-running ptp4l becomes a slave only when it is told that something else keeps its clock.
    """
    with joined() as (here, there), ExitStack() as following:
        follower = following.enter_context(running(there, tmp_path, "follower", "slaveOnly 1"))
        with running(here, tmp_path, "master", "clockClass 6\nclockAccuracy 0x21") as master:
            follower.wait(lambda found: OFFSET in found and DELAY in found)
            follower.pmc("SET SYNCHRONIZATION_UNCERTAIN_NP 0")
            found = follower.wait(lambda found: found.get(SYNCHRONIZED) == 1)
            assert (
                1
                == found['tailsight_ptp_port_state_info{port="1",interface="veth0",state="slave"}']
            )

            check_identities(found, master, follower)
            check_numbers(follower)
            check_itself(master)
            check_another_domain(follower)
            assert [] == [path.name for path in tmp_path.glob("tailsight.*")]

        found = follower.wait(lambda found: found.get(PRESENT) == 0)
        state = 'tailsight_ptp_port_state_info{port="1",interface="veth0",state="listening"}'
        assert {SYNCHRONIZED: 0, PRESENT: 0, state: 1} == found


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_one_that_is_not_root() -> None:
    """It can answer to an agent that is: the agent's socket is open to it for that moment."""
    needs = "+net_bind_service,+net_raw"
    user = ("setpriv", "--reuid", "65534", "--inh-caps", needs, "--ambient-caps", needs)
    with joined() as (here, _), TemporaryDirectory(dir="/tmp") as folder:
        os.chown(folder, 65534, -1)
        with running(here, Path(folder), "other", "", *user) as node:
            found = node.wait(lambda found: found.get(PRESENT) == 0)
            assert 0 == found[SYNCHRONIZED]
            assert 65534 == node.socket.stat().st_uid
            assert [] == [path.name for path in Path(folder).glob("tailsight.*")]


def check_identities(found: Values, master: Node, follower: Node) -> None:
    """The grandmaster's identity, class and accuracy, by pmc on either side."""
    its = master.pmc("GET DEFAULT_DATA_SET")
    seen = follower.pmc("GET PARENT_DATA_SET")
    assert its["clockIdentity"] == seen["grandmasterIdentity"]
    series = (
        f'tailsight_ptp_grandmaster_info{{grandmaster="{its["clockIdentity"]}",'
        f'parent="{seen["parentPortIdentity"]}",clock_class="6",accuracy="1e-07"}}'
    )
    assert 1 == found[series]


def check_numbers(follower: Node) -> None:
    """Offset and delay are those that pmc shows before and after, when no Sync came between."""
    for _ in range(50):
        before = follower.pmc("GET TIME_STATUS_NP", "GET CURRENT_DATA_SET")
        found = follower.values()
        if before == follower.pmc("GET TIME_STATUS_NP", "GET CURRENT_DATA_SET"):
            break
    else:
        pytest.fail("a Sync came in between every time")
    assert int(before["master_offset"]) == round(float(str(found[OFFSET])) * 1e9)
    assert float(before["meanPathDelay"]) == pytest.approx(float(str(found[DELAY])) * 1e9)
    assert int(before["stepsRemoved"]) == found["tailsight_ptp_steps_removed"]
    bound = abs(int(before["master_offset"])) + float(before["meanPathDelay"])
    assert pytest.approx(bound) == float(str(found["tailsight_ptp_error_bound_seconds"])) * 1e9


def check_itself(master: Node) -> None:
    """The grandmaster, of class 6, is synchronised and has no offset."""
    found = master.values()
    assert (1, 0) == (found[SYNCHRONIZED], found[PRESENT])
    assert OFFSET not in found


def check_another_domain(follower: Node) -> None:
    """Asked in another domain, it does not answer; no descriptor stays open."""
    before = descriptors()
    assert {} == follower.values(domain=5)
    assert before == descriptors()
