"""Fixtures of the lab."""

import shutil
from pathlib import Path

import pytest

from tests.lab.machine import Kernel, find_kernel

PACKAGES = Path(__file__).resolve().parents[2] / ".cache" / "debs"


@pytest.fixture(scope="session")
def kernel() -> Kernel:
    """Return the unpacked kernel; skip, saying how to get it, where something is missing."""
    for program in ("qemu-system-x86_64", "busybox"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed: run `make lab`")
    found = find_kernel(PACKAGES)
    if found is None:
        pytest.skip("no kernel below .cache/debs: run `make lab`")
    return found
