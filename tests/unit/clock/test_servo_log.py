"""Servos, by what linuxptp's programs log."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.clock.options import ClockOptions
from exporters.clock.servo_log import Line, collector, latest, parse_line
from exporters.core import Root
from exporters.core.replay import ReplayRoot
from tests.support.collect import run, values
from tests.support.ptp import PTP

MakeTree = Callable[[dict[str, str | bytes]], Path]
LOG = "/var/log/linuxptp.log"
LINES = (PTP / "ptp4l.log").read_text(encoding="utf-8").splitlines()
SLAVE = "ptp4l[100.250]: master offset -571 s2 freq -3972 path delay 89"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            LINES[1],
            Line("ptp4l", "ptp4l.0.config", "", 365195.391, -1e-9, "locked"),
        ),
        (
            "phc2sys[41.002]: CLOCK_REALTIME phc offset      1234 s0 freq   -1012 delay   2170",
            Line("phc2sys", "", "CLOCK_REALTIME", 41.002, 1234e-9, "unlocked"),
        ),
        (
            "phc2sys[41.002]: [ptp4l.0.config] /dev/ptp1 sys offset -7 s1 freq +0",
            Line("phc2sys", "ptp4l.0.config", "/dev/ptp1", 41.002, -7e-9, "jump"),
        ),
        (
            "ts2phc[12.900]: ens1f0 offset          0 s3 freq      -0",
            Line("ts2phc", "", "ens1f0", 12.9, 0.0, "locked_stable"),
        ),
        (
            "Dec  1 03:22:11 edge-7 phc2sys: [41.002] CLOCK_REALTIME phc offset 9 s2 freq -10",
            Line("phc2sys", "", "CLOCK_REALTIME", 41.002, 9e-9, "locked"),
        ),
        (
            "03:22:11 edge-7 ptp4l[811]: [41.002] master offset 9 s2 freq -10 path delay 1",
            Line("ptp4l", "", "", 41.002, 9e-9, "locked"),
        ),
    ],
)
def test_lines(text: str, expected: Line) -> None:
    """Of each program, with and without a tag, by itself and through syslog."""
    assert expected == parse_line(text)


@pytest.mark.parametrize("text", [LINES[0], *LINES[2:]])
def test_lines_without_a_state(text: str) -> None:
    """A change of a port's state, and summaries with rms and max, say nothing of a servo."""
    assert parse_line(text) is None


def test_the_last_fresh_line_counts() -> None:
    """Of each servo; what is older than half a minute, or from before a reboot, does not."""
    text = "\n".join(
        (
            SLAVE.replace("s2", "s0"),
            "phc2sys[69.999]: CLOCK_REALTIME phc offset 1 s2 freq 0 delay 1",
            SLAVE,
            "phc2sys[100.001]: /dev/ptp1 phc offset 5 s1 freq 0 delay 1",
            "ts2phc[130.500]: eth1 offset 5 s2 freq 0",
            "100.250]: master offset 1 s0 freq",
        )
    )
    assert [("phc2sys", "jump"), ("ptp4l", "locked")] == [
        (line.program, line.state) for line in latest(text, 130.0)
    ]


def test_names_that_become_one() -> None:
    """Blanks in a tag are no difference: one servo, by its newest line."""
    first, last = SLAVE.replace(":", ": [a  b]", 1), SLAVE.replace(":", ": [a b]", 1)
    text = f"{first.replace('s2', 's0')}\n{last}"
    assert ["locked"] == [line.state for line in latest(text, 101.0)]


def test_servos_are_bounded() -> None:
    """A log with ever new names makes no more than 16 of them, the newest."""
    text = "\n".join(f"ts2phc[{n}.000]: eth{n} offset 5 s2 freq 0" for n in range(10, 40))
    assert {f"eth{n}" for n in range(24, 40)} == {line.clock for line in latest(text, 40.0)}


def test_a_recorded_log(make_tree: MakeTree) -> None:
    """State and offset, while the recording's time since boot makes them fresh."""
    files: dict[str, str | bytes] = {
        "var/log/linuxptp.log": f"{SLAVE}\n", "proc/uptime": "101.25 390.10\n",
    }  # fmt: skip
    ask = collector(ClockOptions(log_file=LOG))
    labels = 'program="ptp4l",instance="",clock=""'
    assert {
        f'tailsight_ptp_servo_state_info{{{labels},state="locked"}}': 1,
        f"tailsight_ptp_servo_offset_seconds{{{labels}}}": -571e-9,
    } == values(run(ask, ReplayRoot(str(make_tree(files)))))
    later = make_tree({"proc/uptime": "131.00 400.00\n"})
    assert {} == values(run(ask, ReplayRoot(str(later))))


def test_a_live_log(tmp_path: Path) -> None:
    """The programs print CLOCK_MONOTONIC, which is what the lines are compared with."""
    log = tmp_path / "log"
    log.write_text("x" * 40000 + "\n" + SLAVE.replace("100.250", f"{time.monotonic() - 1:.3f}"))
    assert 2 == len(run(collector(ClockOptions(log_file=str(log))), Root()).samples)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (None, "no log of ptp4l and phc2sys is named"),
        ("/missing.log", "no such file: /missing.log"),
    ],
)
def test_no_log(make_tree: MakeTree, path: str | None, reason: str) -> None:
    """Without a log nothing is known of servos."""
    root = ReplayRoot(str(make_tree({"proc/uptime": "1 1"})))
    outcome = run(collector(ClockOptions(log_file=path)), root)
    assert "absent" == outcome.status
    assert outcome.reason.startswith(reason)


@given(st.text(max_size=200), st.floats(0, 1e9))
def test_any_text(text: str, now: float) -> None:
    """Any text is a log; what is found in it is no older than half a minute."""
    assert all(0 <= now - line.monotonic <= 30 for line in latest(text, now))


@given(st.from_regex(r"(ptp4l|phc2sys)\[1\.000\]: .{0,30}offset -?\d{1,25} s[0-9] freq .*"))
def test_any_line(text: str) -> None:
    """Whatever looks like a line is one with a finite offset, or none."""
    for line in latest(text, 1.0):
        assert abs(line.offset_seconds) < 1e11
