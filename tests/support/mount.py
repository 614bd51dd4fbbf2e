"""Mounting a fixture tree with faults, for as long as a ``with`` block lasts."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.faults import Faults

REPOSITORY = Path(__file__).resolve().parents[2]


def why_no_fuse() -> str | None:
    """Return why this machine cannot mount a FUSE file system, or None where it can."""
    if not Path("/dev/fuse").exists():
        return "/dev/fuse does not exist (a container needs --device /dev/fuse)"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "/dev/fuse may not be opened"
    if shutil.which("fusermount3") is None:
        return "fusermount3 is not installed: run `make tools`"
    return None


@contextmanager
def mounted_tree(tree: Path, mount_point: Path, faults: Faults) -> Iterator[Path]:
    """
    Show ``tree`` with ``faults`` at ``mount_point`` and give that path.

    Skips the test where the machine has no FUSE. Killing the server ends the reads that hang in it
    (the kernel answers them with ENOTCONN or ECONNABORTED), so leaving never blocks.
    """
    if reason := why_no_fuse():
        pytest.skip(reason)
    mount_point.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tests.support.faultfs", str(tree), str(mount_point)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=REPOSITORY, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as server:
        try:
            wait_until_ready(server, faults)
            yield mount_point
        finally:
            server.kill()
            subprocess.run(
                ["fusermount3", "-u", "-z", "-q", str(mount_point)],
                check=False,
                capture_output=True,
            )


def wait_until_ready(server: "subprocess.Popen[str]", faults: Faults) -> None:
    """Hand the server its faults and wait for its word, or skip where mounting is not allowed."""
    assert server.stdin is not None
    assert server.stdout is not None
    assert server.stderr is not None
    server.stdin.write(faults.to_json())
    server.stdin.close()
    if server.stdout.readline() != "ready\n":
        said = server.stderr.read().strip()
        if "not permitted" in said or "Permission denied" in said:
            pytest.skip(f"mounting through FUSE is not allowed here: {said.splitlines()[-1]}")
        message = f"the faulty file system did not start: {said}"
        raise RuntimeError(message)
