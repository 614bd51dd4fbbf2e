"""Builds the stub library, scripts its answers, and drives the collector against it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.nvml_stub import captures

SOURCE = Path(__file__).with_name("nvml.c")
REPOSITORY = Path(__file__).parents[3]


def build(folder: Path) -> Path:
    """Compile the stub into a folder, under the name that NVML has."""
    library = folder / "libnvidia-ml.so.1"
    subprocess.run(
        ["gcc", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o", library, SOURCE],
        check=True,
    )
    return library


class Script:
    """The stub's answers, which may change at any time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._answers: dict[tuple[str, str], str] = {}
        self.set("-", nvmlDeviceGetCount="0")

    def set(self, device: str, answers: Mapping[str, str] | None = None, **more: str) -> None:
        """Change some answers of a device (``-`` is the system), all at once."""
        for call, answer in {**(answers or {}), **more}.items():
            self._answers[device, call] = answer
        self._write()

    def unset(self, device: str, *calls: str) -> None:
        """Have the device not support these calls."""
        for call in calls:
            self._answers.pop((device, call), None)
        self._write()

    def gpu(self, index: int, capture: str, uuid: str) -> None:
        """Add a recorded GPU."""
        self.set("-", captures.system(capture), nvmlDeviceGetCount=str(index + 1))
        self.set(str(index), captures.answers(capture, uuid))

    def break_all(self, device: str, error: int) -> None:
        """Have every call to a device fail."""
        calls = [call for owner, call in self._answers if owner == device]
        self.set(device, dict.fromkeys([*calls, "nvmlDeviceGetHandleByIndex"], f"!{error}"))

    def _write(self) -> None:
        lines = [f"{device} {call} {text}" for (device, call), text in self._answers.items()]
        beside = self.path.with_suffix(".new")
        beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
        beside.replace(self.path)


class Agent:
    """A process that runs the collector against the stub."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def __call__(self, request: str, *arguments: Any) -> Any:
        """Have it do something, and return what came of it."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps([request, *arguments]) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


@contextmanager
def agent(library: Path | None, script: Script, root: Path, **options: Any) -> Iterator[Agent]:
    """Start a process that finds the library as any program does; without one it finds none."""
    environment = os.environ | {"NVML_STUB_SCRIPT": str(script.path)}
    environment["LD_LIBRARY_PATH"] = str(library.parent) if library else ""
    command = [
        sys.executable,
        "-m",
        "tests.support.nvml_stub.driver",
        str(root),
        json.dumps(options),
    ]
    with subprocess.Popen(
        command, env=environment, cwd=REPOSITORY, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            yield Agent(process)
        finally:
            process.kill()
