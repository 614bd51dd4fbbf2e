"""``tailsight check --time`` beside a real chronyd and a real ptp4l, each in its own network."""

import json
import subprocess
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent import COMMAND, clean_environment
from tests.support.netns import INTERFACE, Namespace, joined
from tests.support.programs import program

Report = dict[str, Any]
PTP4L = """[global]
time_stamping software
free_running 1
uds_address {socket}
logAnnounceInterval -3
logSyncInterval -3
logMinDelayReqInterval -3
announceReceiptTimeout 3
{more}
"""


def report(space: Namespace, flag: str) -> tuple[int, Report]:
    """Return exit status and JSON of the command in a network, where one daemon can be asked."""
    nobody = ("--ptp4l.sockets=/no/such/socket", "--chrony.address=127.0.0.1:1")
    done = subprocess.run(
        [*space.enter, *COMMAND, "check", "--time", "--json", *nobody, flag],
        env=clean_environment(), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "" == done.stderr
    return done.returncode, json.loads(done.stdout)


def wait(holds: Callable[[], bool]) -> None:
    """Return as soon as something holds, which must be soon."""
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def reasons(found: Report, who: str) -> str:
    """Return what somebody is blamed for."""
    return "; ".join(fault["reason"] for fault in found["faults"] if fault["who"] == who)


def test_chronyd(tmp_path: Path) -> None:
    """It is at fault while its server is silent, and good enough once that answers."""
    chronyd = (str(program("chronyd")), "-x", "-d", "-u", "root", "-f", "/dev/null", "cmdport 0")
    client = tmp_path / "client.sock"
    flag = f"--chrony.address={client}"
    with joined() as (here, there):

        def run(space: Namespace, name: str, *lines: str) -> AbstractContextManager[object]:
            own = (f"pidfile {tmp_path}/{name}.pid", f"bindcmdaddress {tmp_path}/{name}.sock")
            return space.running(*chronyd, *own, *lines, log=tmp_path / f"{name}.log")

        with run(there, "client", f"server {here.address} iburst minpoll -4 maxpoll -4"):
            wait(client.exists)
            status, found = report(there, flag)
            assert (1, None) == (status, found["bound_seconds"])
            assert "none of chronyd's servers answers (asked: 1)" == reasons(found, "chrony")

            with run(here, "server", "local stratum 1", "allow"):
                wait(lambda: report(there, flag)[1]["bound_seconds"] is not None)
                status, found = report(there, flag)

    assert (0, True, "true time") == (status, found["good"], found["reference"])
    assert 0 < found["bound_seconds"] < 1e-3
    assert pytest.approx(found["bound_seconds"]) == sum(found["parts"].values())
    assert "does not set it (-x)" in reasons(found, "chrony"), "unless another one keeps the clock"


def test_ptp4l(tmp_path: Path) -> None:
    """It is at fault before its grandmaster is there and when that is gone; good in between."""
    socket = tmp_path / "follower"
    flag = f"--ptp4l.sockets={socket}"
    pmc = (str(program("pmc")), "-u", "-b", "0", "-s", str(socket), "-i", str(tmp_path / "pmc"))
    hears_nobody = f"port 1 ({INTERFACE}) hears no grandmaster"
    with joined() as (here, there):

        def run(space: Namespace, name: str, more: str) -> AbstractContextManager[object]:
            settings = tmp_path / f"{name}.conf"
            settings.write_text(PTP4L.format(socket=tmp_path / name, more=more))
            command = (str(program("ptp4l")), "-f", str(settings), "-i", INTERFACE)
            return space.running(*command, log=tmp_path / f"{name}.log")

        def good() -> bool:
            # A free-running ptp4l becomes a slave once told that something else keeps its clock.
            there.run(*pmc, "SET SYNCHRONIZATION_UNCERTAIN_NP 0")
            return report(there, flag)[0] == 0

        with run(there, "follower", "slaveOnly 1"):
            wait(lambda: hears_nobody in reasons(report(there, flag)[1], "ptp4l"))
            with run(here, "master", "clockClass 6\nclockAccuracy 0x21"):
                wait(good)
                status, found = report(there, flag)
            assert (0, "true time") == (status, found["reference"])
            assert "" == reasons(found, "ptp4l")
            # The stamps are the system clock's: no hardware clock lies between, whatever is here.
            assert ["ptp4l's bound"] == list(found["parts"])
            assert 1e-7 < found["bound_seconds"] < 1e-3

            wait(lambda: hears_nobody in reasons(report(there, flag)[1], "ptp4l"))
            status, found = report(there, flag)
            assert (1, None) == (status, found["bound_seconds"])
