"""What runs in the lab's machine has in common: an agent to scrape, and a way to answer."""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

ADDRESS = "127.0.0.1:9749"
START_SECONDS = 60.0


def scrape() -> dict[str, float]:
    """Return all that the agent serves, by series."""
    with urllib.request.urlopen(f"http://{ADDRESS}/metrics", timeout=30) as response:
        lines = response.read().decode().splitlines()
    series = [line.rpartition(" ") for line in lines if not line.startswith("#")]
    return {name: float(value) for name, _, value in series}


@contextmanager
def agent(python: str, *options: str) -> Iterator[None]:
    """Run tailsight with options, from when it answers."""
    command = [python, "-m", "exporters", "serve", "--listen", ADDRESS, *options]
    with subprocess.Popen(command, stdout=sys.stderr) as process:
        try:
            _wait(command)
            yield
        finally:
            process.terminate()


def _wait(command: Sequence[str]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            scrape()
        except OSError:
            time.sleep(0.1)
        else:
            return
    msg = f"does not answer: {command}"
    raise RuntimeError(msg)


def tell(**answer: Any) -> None:
    """Write an answer, as a line of JSON."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
