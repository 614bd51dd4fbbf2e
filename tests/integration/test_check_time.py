"""``tailsight check --time`` on recorded nodes: messages of a real ptp4l, and the kernel's word."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent import tailsight
from tests.support.ptp import REAL

# struct timex: TIME_OK, and STA_UNSYNC with TIME_ERROR.
KEPT = {"state": 0, "status": 0, "maxerror": 0, "tai": 37}
FREE = {"state": 5, "status": 64, "maxerror": 16000000}


def node(folder: Path, capture: str, timex: dict[str, int], *comms: str) -> Path:
    """Record a node with the answers of a ptp4l and programs that run."""
    answers = folder / "replay" / "ptp4l"
    answers.mkdir(parents=True)
    for file in (REAL / capture).glob("*.bin") if capture else ():
        shutil.copy(file, answers)
    (folder / "replay" / "adjtimex.json").write_text(json.dumps(timex))
    for pid, comm in enumerate(comms, 100):
        process = folder / "proc" / str(pid)
        process.mkdir(parents=True)
        (process / "comm").write_text(f"{comm}\n")
        (process / "cmdline").write_bytes(f"/usr/sbin/{comm}\0-a\0".encode())
    return folder


def report(root: Path, *flags: str) -> tuple[int, dict[str, Any]]:
    """Return exit status and JSON."""
    done = tailsight("check", "--time", "--json", f"--root={root}", *flags)
    assert "" == done.stderr
    return done.returncode, json.loads(done.stdout)


def test_a_follower_is_good_enough(tmp_path: Path) -> None:
    """
    Two such nodes differ by 5.42 us at most.

    By pmc the offset is 127 ns, the path 2483 ns, and the grandmaster's accuracy 0x21, which is
    100 ns: 2.71 us in all.
    """
    status, found = report(node(tmp_path, "follower", KEPT, "ptp4l"))

    assert (0, True, []) == (status, found["good"], found["faults"])
    assert pytest.approx(2.71e-6) == found["bound_seconds"]
    assert pytest.approx(5.42e-6) == found["span"]["apart_seconds"]
    assert "true time" == found["reference"]


def test_a_span_that_is_too_short_for_it(tmp_path: Path) -> None:
    """Two such nodes cannot put spans of 5 us in order, though they can be scraped every second."""
    root = node(tmp_path, "follower", KEPT, "ptp4l")
    status, found = report(root, "--time.span=0.005ms", "--time.scrape-interval=1s")

    assert 1 == status
    assert (True, False) == (found["scrape_interval"]["good"], found["span"]["good"])


@pytest.mark.parametrize(
    ("capture", "words"),
    [
        ("grandmaster-gone", "port 1 (veth0) hears no grandmaster"),
        ("tai-taken-for-utc", "its clock is 37.000 s from the grandmaster's"),
    ],
)
def test_ptp4l_is_at_fault(tmp_path: Path, capture: str, words: str) -> None:
    """What real ptp4ls said when their grandmaster was gone, and when its time was TAI."""
    status, found = report(node(tmp_path, capture, KEPT, "ptp4l"))

    assert 1 == status
    assert ["ptp4l"] == [fault["who"] for fault in found["faults"]]
    assert words in found["faults"][0]["reason"]
    assert found["bound_seconds"] is None


def test_nobody_is_at_fault(tmp_path: Path) -> None:
    """In words, with what to do, each line for itself."""
    done = tailsight("check", "--time", f"--root={node(tmp_path, '', FREE, 'bash')}")

    assert 1 == done.returncode
    assert "How far off this clock is, is not known." in done.stdout
    assert "nobody: nothing keeps this clock\n  fix: start chronyd" in done.stdout


def test_a_live_machine_gets_a_verdict() -> None:
    """Whatever this machine's clock is, the report is whole and agrees with the exit status."""
    done = tailsight("check", "--time", "--json")
    found = json.loads(done.stdout)

    assert found["good"] == (done.returncode == 0)
    assert found["good"] or found["faults"] or found["bound_seconds"]
