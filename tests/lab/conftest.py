"""Fixtures of the lab."""

import shutil
from pathlib import Path

import pytest

from tests.lab.incidents import Incidents, boot
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


@pytest.fixture(scope="session")
def incidents(kernel: Kernel, tmp_path_factory: pytest.TempPathFactory) -> Incidents:
    """Let all incidents happen, in one boot."""
    return boot(kernel, tmp_path_factory.mktemp("incidents"))
