"""The real command in a process of its own."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection

COMMAND = (sys.executable, "-m", "exporters")


def clean_environment(**more: str) -> dict[str, str]:
    """Return this process's environment without settings, and with those given."""
    ours = ("TAILSIGHT_", "NODE_")
    kept = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(ours) and name != "NO_COLOR"
    }
    return {**kept, **more}


def tailsight(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end."""
    return subprocess.run(
        [*COMMAND, *arguments],
        env=clean_environment(**environment),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


class Serving:
    """A ``tailsight serve`` that has said where it is."""

    def __init__(self, process: "subprocess.Popen[str]", address: str) -> None:
        self.process = process
        self.address = address

    def get(self, path: str = "/metrics", headers: Mapping[str, str] = {}) -> tuple[int, str]:
        """Return status and text of a page."""
        connection = HTTPConnection(self.address, timeout=20)
        try:
            connection.request("GET", path, headers=dict(headers))
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def stop(self) -> tuple[int, str]:
        """Send SIGTERM; return the exit status and what was logged."""
        self.process.send_signal(signal.SIGTERM)
        _, log = self.process.communicate(timeout=20)
        return self.process.returncode, log


@contextmanager
def serving(*arguments: str, **environment: str) -> Iterator[Serving]:
    """Run ``tailsight serve`` on a free port, until the block ends."""
    with subprocess.Popen(
        [*COMMAND, "serve", "--listen=127.0.0.1:0", *arguments],
        env=clean_environment(**environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"serves \S+://(\S+?)/metrics", line)
            if not found:
                process.kill()
                message = f"no greeting: {line!r} {process.communicate()[1]}"
                raise RuntimeError(message)
            yield Serving(process, found[1])
        finally:
            process.kill()
