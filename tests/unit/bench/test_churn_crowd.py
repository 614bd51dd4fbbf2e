"""The crowd of the churn benchmark is as large as asked for, changes, and leaves nothing behind."""

import json
import subprocess
import sys
import time

import psutil

from tests.bench.crowd import MEMBERS, hierarchies


def test_come_and_go() -> None:
    """Ten processes at any time, of which more and more are others; none at the end."""
    command = [sys.executable, "-m", "tests.bench.crowd", "10", "2", "50"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin
        assert process.stdout
        first = json.loads(process.stdout.readline())
        assert 10 == first["processes"]
        assert first["groups"] in {0, 2}  # none where it may not make any
        crowd = psutil.Process(process.pid)
        seen = {child.pid for child in crowd.children()}
        deadline = time.monotonic() + 10
        while len(seen) < 20 and time.monotonic() < deadline:
            now = crowd.children()
            assert 10 - MEMBERS - 1 <= len(now) <= 10
            seen |= {child.pid for child in now}
        process.stdin.close()
        last = json.loads(process.stdout.readline())
    assert 20 <= len(seen) <= last["processes"]
    assert not [pid for pid in seen if psutil.pid_exists(pid)]
    assert not [path for top in hierarchies() for path in top.glob(f"bench-{process.pid}")]
