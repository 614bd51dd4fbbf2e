"""Programs that the tests compare with, installed or unpacked by ``make tools``."""

import os
import shutil
from pathlib import Path

import pytest

PLACES = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
"""Daemons are not on everybody's PATH."""
UNPACKED = Path(__file__).resolve().parents[2] / ".cache" / "debs"


def program(name: str) -> Path:
    """Return the path of a program, from ``.cache/debs/*`` or PATH; skip the test without it."""
    unpacked = sorted(UNPACKED.glob(f"*/usr/*bin/{name}"))
    found = unpacked[0] if unpacked else shutil.which(name, path=PLACES)
    if found is None:
        pytest.skip(f"{name} is not installed: run `make tools`")
    return Path(found)
