"""A real pair of chronyd, a server and a client, in two namespaces joined by a cable."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from exporters.clock.chrony import collector
from exporters.clock.chrony_messages import Command, request
from exporters.clock.chrony_socket import _connected, endpoints
from exporters.clock.options import ClockOptions
from exporters.core import Root
from tests.support.chrony import Chronyd, answering
from tests.support.collect import run, values
from tests.support.netns import Namespace, joined
from tests.support.programs import program
from tests.support.uevents import descriptors

REPOSITORY = Path(__file__).resolve().parents[2]
SYNCHRONIZED = 'tailsight_clock_synchronized{source="chrony"}'
OFFSET = 'tailsight_clock_offset_seconds{source="chrony"}'
BOUND = 'tailsight_clock_error_bound_seconds{source="chrony"}'
OWN = "tailsight_chrony_"
SETTINGS = """pidfile {folder}/{name}.pid
bindcmdaddress {socket}
cmdport 323
{more}
"""
QUICK = "server {address} iburst minpoll -4 maxpoll -4 offset {offset}"
"""As quick as it goes; with -x it sets no clock. The offset is one that a test can see."""
IN_A_NAMESPACE = """
import json
from exporters.clock.chrony import collector
from exporters.clock.options import ClockOptions
from exporters.core import Root
from tests.support.collect import run, values
outcome = run(collector(ClockOptions(chrony_address={address!r})), Root())
print(json.dumps([outcome.status, outcome.reason, values(outcome)]))
"""

Values = dict[str, object]


@dataclass(frozen=True, slots=True)
class Node:
    """A chronyd and where it runs."""

    space: Namespace
    socket: Path
    log: Path

    def values(self) -> Values:
        """Return what is exported of it, by its socket."""
        return values(run(collector(ClockOptions(chrony_address=str(self.socket))), Root()))

    def by_port(self, address: str) -> tuple[str, str, Values]:
        """Return status, reason and values by its command port, which only its namespace sees."""
        code = IN_A_NAMESPACE.format(address=address)
        text = self.space.run("env", f"PYTHONPATH={REPOSITORY}", sys.executable, "-c", code)
        status, reason, found = json.loads(text)
        return status, reason, found

    def wait(self, holds: Callable[[Values], bool]) -> Values:
        """Return the values as soon as something holds of them."""
        deadline = time.monotonic() + 20
        while not holds(found := self.values()):
            assert time.monotonic() < deadline, f"{found}\n{self.log.read_text()}"
            time.sleep(0.05)
        return found

    def tracking(self) -> list[str]:
        """Return what chrony's own client shows of it, by columns."""
        return chronyc(self.space, "-h", str(self.socket))


@contextmanager
def running(
    space: Namespace, folder: Path, name: str, more: str, user: str = "root"
) -> Iterator[Node]:
    """Run a chronyd until the end of the block."""
    node = Node(space, folder / f"{name}.sock", folder / f"{name}.log")
    settings = folder / f"{name}.conf"
    settings.write_text(SETTINGS.format(folder=folder, name=name, socket=node.socket, more=more))
    command = (str(program("chronyd")), "-x", "-d", "-u", user, "-f", str(settings))
    with space.running(*command, log=node.log):
        yield node


def chronyc(space: Namespace, *where: str) -> list[str]:
    """Return what ``chronyc -c tracking`` prints."""
    return space.run(str(program("chronyc")), "-n", "-c", *where, "tracking").strip().split(",")


def test_a_real_pair(tmp_path: Path) -> None:
    """The client follows its server once that runs, and says what ``chronyc`` says."""
    with joined() as (here, there), ExitStack() as clients:
        wanted = QUICK.format(address=here.address, offset=0.125)
        client = clients.enter_context(running(there, tmp_path, "client", wanted))
        before = client.wait(lambda found: SYNCHRONIZED in found)
        assert 0 == before[SYNCHRONIZED]
        assert set() == {OFFSET, BOUND, f"{OWN}stratum"} & before.keys()

        with running(here, tmp_path, "server", "local stratum 5\nallow") as server:
            found = client.wait(lambda found: found.get(SYNCHRONIZED) == 1)
            check_reference(found, here.address)
            check_numbers(client)
            check_the_same_bytes(client)
            check_the_port(client)
            check_itself(server)
        check_leftovers(client, tmp_path)

        clients.close()
        outcome = run(collector(ClockOptions(chrony_address=str(client.socket))), Root())
        assert ("absent", []) == (outcome.status, outcome.samples)


def check_reference(found: Values, address: str) -> None:
    """The server's address, also as an ID, one stratum below it, and that it is asked."""
    identity = "".join(f"{int(part):02X}" for part in address.split("."))
    series = f'{OWN}reference_info{{reference="{address}",reference_id="{identity}"}}'
    assert (1, 6) == (found[series], found[f"{OWN}stratum"])
    assert 1 == found[f'{OWN}leap_info{{leap="none"}}']
    assert 1 == sum(
        int(str(value)) for name, value in found.items() if name.startswith(f"{OWN}sources")
    )


def check_numbers(client: Node) -> None:
    """
    What chronyc shows before and after, when no update came between, is what is exported.

    Offset and dispersion go on changing: they lie between, or are as good as there.
    """
    for _ in range(50):
        before = client.tracking()
        found = client.values()
        after = client.tracking()
        if before[3] == after[3]:
            break
    else:
        pytest.fail("an update came in between every time")
    for name, column in (("last_offset_seconds", 5), ("rms_offset_seconds", 6)):
        assert before[column] == f"{found[OWN + name]:.9f}"
    assert before[10] == f"{found[OWN + 'root_delay_seconds']:.9f}"
    dispersion = float(str(found[f"{OWN}root_dispersion_seconds"]))
    assert float(before[11]) - 1e-9 <= dispersion <= float(after[11]) + 1e-9
    # chronyc: what is to be added to the clock; ours: what it is ahead.
    offset = float(str(found[OFFSET]))
    assert pytest.approx(-float(before[4]), abs=1e-4) == offset
    assert offset < -0.12, "the server is told to be 0.125 s ahead"
    bound = abs(offset) + dispersion + float(before[10]) / 2
    assert pytest.approx(bound, abs=1e-9) == found[BOUND]


def check_the_same_bytes(client: Node) -> None:
    """A live reply means to chronyc, to the last digit that it prints, what it means to us."""
    with _connected(endpoints(str(client.socket))[0]) as channel:
        channel.settimeout(5)
        replies = []
        for command in Command:
            channel.send(request(command, 1))
            replies.append(channel.recv(1500))
    with answering("127.0.0.1", Chronyd(replies)) as address:
        host, _, port = address.rpartition(":")
        shown = chronyc(Namespace("", ()), "-h", host, "-p", port)
        found = values(run(collector(ClockOptions(chrony_address=address)), Root()))
    assert shown[4] == f"{-float(str(found[OFFSET])):.9f}"
    ratios = ("frequency", "residual_frequency", "skew")
    numbers = [float(str(found[f"{OWN}{name}_ratio"])) * 1e6 for name in ratios]
    assert shown[7:10] == [f"{value:.3f}" for value in numbers]
    assert shown[12] == f"{found[f'{OWN}update_interval_seconds']:.1f}"
    when = float(str(found[f"{OWN}reference_timestamp_seconds"]))
    assert pytest.approx(float(shown[3]), abs=1e-6) == when


def check_the_port(client: Node) -> None:
    """The command port tells the same, by IPv4 and IPv6; nobody listens at another one."""
    for address in ("127.0.0.1:323", "[::1]:323"):
        status, reason, found = client.by_port(address)
        assert ("ok", 1) == (status, found[SYNCHRONIZED]), reason
    status, reason, found = client.by_port("127.0.0.1:324")
    assert ("absent", {}) == (status, found)
    assert "nobody listens at 127.0.0.1:324" in reason


def check_itself(server: Node) -> None:
    """A server without a source follows nothing, though its leap status is Normal."""
    assert "Normal" == server.tracking()[-1]
    found = server.values()
    assert (0, 5) == (found[SYNCHRONIZED], found[f"{OWN}stratum"])
    assert OFFSET not in found


def check_leftovers(client: Node, folder: Path) -> None:
    """No descriptor and no socket of ours stays."""
    before = descriptors()
    client.values()
    assert before == descriptors()
    assert [] == list(folder.glob("tailsight.*"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_one_that_is_not_root() -> None:
    """It can answer to an agent that is: the agent's socket is open to it for that moment."""
    with joined() as (here, _), TemporaryDirectory(dir="/tmp") as folder:
        os.chown(folder, 65534, 65534)
        with running(here, Path(folder), "other", "local stratum 5", user="nobody") as node:
            found = node.wait(lambda found: SYNCHRONIZED in found)
            assert 5 == found[f"{OWN}stratum"]
            assert 65534 == node.socket.stat().st_uid
            assert [] == [path.name for path in Path(folder).glob("tailsight.*")]


def test_one_without_a_port(tmp_path: Path) -> None:
    """With ``cmdport 0`` it runs, but nobody listens at its port; its socket goes on."""
    with joined() as (here, _), running(here, tmp_path, "portless", "cmdport 0") as node:
        assert 0 == node.wait(lambda found: SYNCHRONIZED in found)[SYNCHRONIZED]
        status, reason, _ = node.by_port("127.0.0.1:323")
        assert "absent" == status
        assert "or not with this cmdport" in reason
