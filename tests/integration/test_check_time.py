"""``tailsight check --time`` on recorded nodes, by what real daemons said."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support import chrony, ptp
from tests.support.agent import tailsight

# struct timex: TIME_OK, and STA_UNSYNC with TIME_ERROR.
KEPT = {"state": 0, "status": 0, "maxerror": 0, "tai": 37}
FREE = {"state": 5, "status": 64, "maxerror": 16000000}


def node(
    folder: Path, timex: dict[str, int], *lines: str, ptp4l: str = "", chronyd: str = ""
) -> Path:
    """Record a node with programs that run and what a ptp4l and a chronyd answered."""
    for name, capture in (("ptp4l", ptp.REAL / ptp4l), ("chrony", chrony.REAL / chronyd)):
        answers = folder / "replay" / name
        answers.mkdir(parents=True)
        for file in capture.glob("*.bin"):
            shutil.copy(file, answers)
    (folder / "replay" / "adjtimex.json").write_text(json.dumps(timex))
    for pid, line in enumerate(lines, 100):
        process = folder / "proc" / str(pid)
        process.mkdir(parents=True)
        (process / "comm").write_text(f"{line.partition(' ')[0]}\n")
        (process / "cmdline").write_bytes(line.replace(" ", "\0").encode())
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
    status, found = report(node(tmp_path, KEPT, "ptp4l -i eth0", ptp4l="follower"))

    assert (0, True, []) == (status, found["good"], found["faults"])
    assert pytest.approx(2.71e-6) == found["bound_seconds"]
    assert pytest.approx(5.42e-6) == found["span"]["apart_seconds"]
    assert "true time" == found["reference"]


def test_a_span_that_is_too_short_for_it(tmp_path: Path) -> None:
    """Two such nodes cannot put spans of 5 us in order, though they can be scraped every second."""
    root = node(tmp_path, KEPT, "ptp4l -i eth0", ptp4l="follower")
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
    status, found = report(node(tmp_path, KEPT, "ptp4l -i eth0", ptp4l=capture))

    assert 1 == status
    assert ["ptp4l"] == [fault["who"] for fault in found["faults"]]
    assert words in found["faults"][0]["reason"]
    assert found["bound_seconds"] is None


def test_nobody_is_at_fault(tmp_path: Path) -> None:
    """In words, with what to do, each line for itself."""
    done = tailsight("check", "--time", f"--root={node(tmp_path, FREE, 'bash')}")

    assert 1 == done.returncode
    assert "How far off this clock is, is not known." in done.stdout
    assert "nobody: nothing keeps this clock\n  fix: start chronyd" in done.stdout


def test_a_client_of_chrony_is_good_enough(tmp_path: Path) -> None:
    """
    Two such nodes differ by 9.2 us at most.

    By chronyc the clock is 1.325 us fast, the root dispersion 0.877 us, the root delay 4.781 us:
    1.325 + 0.877 + 4.781 / 2 = 4.5925 us.
    """
    status, found = report(node(tmp_path, FREE, "chronyd -F 1", chronyd="follower"))

    assert (0, [], "true time") == (status, found["faults"], found["reference"])
    assert pytest.approx(4.5925e-6, abs=2e-9) == found["bound_seconds"]
    assert pytest.approx(9.185e-6, abs=4e-9) == found["span"]["apart_seconds"]
    assert {
        "chrony's offset": pytest.approx(1.325e-6, abs=1e-9),
        "root dispersion": pytest.approx(0.877e-6, abs=1e-9),
        "half the root delay": pytest.approx(2.3905e-6, abs=1e-9),
    } == found["parts"]


def test_a_clock_that_chrony_has_yet_to_correct(tmp_path: Path) -> None:
    """It is 0.125 s off a reference clock: good to be scraped every 15 s, not for spans of 1 ms."""
    status, found = report(node(tmp_path, KEPT, "chronyd", chronyd="reference-clock"))

    assert 1 == status
    assert (True, False) == (found["scrape_interval"]["good"], found["span"]["good"])
    assert ["chrony"] == [fault["who"] for fault in found["faults"]]
    assert "chrony's offset is 125 ms" in found["faults"][0]["reason"]


@pytest.mark.parametrize(
    ("capture", "words"),
    [
        ("unsynchronized", "chronyd has no reference that it follows"),
        ("local", "chronyd has no reference but its own clock (local)"),
        ("refused", "chronyd refuses tracking: wrong length of the request"),
    ],
)
def test_chrony_is_at_fault(tmp_path: Path, capture: str, words: str) -> None:
    """What a real chronyd said when it had no server, served its own clock, and refused."""
    status, found = report(node(tmp_path, FREE, "chronyd", chronyd=capture))

    assert (1, None) == (status, found["bound_seconds"])
    assert ["chrony"] == [fault["who"] for fault in found["faults"]]
    assert words in found["faults"][0]["reason"]


def test_chrony_and_phc2sys_fight(tmp_path: Path) -> None:
    """Both set the system clock; with chronyd -x, or a phc2sys that only feeds it, they do not."""
    root = node(
        tmp_path, KEPT, "chronyd", "phc2sys -a -r", chronyd="follower", ptp4l="follower"
    )  # fmt: skip
    status, found = report(root)

    assert (1, None) == (status, found["bound_seconds"])
    assert ["chrony and phc2sys"] == [fault["who"] for fault in found["faults"]]

    (root / "proc" / "101" / "cmdline").write_bytes(b"phc2sys\0-a\0-r\0-E\0ntpshm\0")
    assert (0, []) == (report(root)[0], report(root)[1]["faults"])


def test_a_live_machine_gets_a_verdict() -> None:
    """Whatever this machine's clock is, the report is whole and agrees with the exit status."""
    done = tailsight("check", "--time", "--json")
    found = json.loads(done.stdout)

    assert found["good"] == (done.returncode == 0)
    assert found["good"] or found["faults"] or found["bound_seconds"]
