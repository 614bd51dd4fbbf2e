"""A short soak; ``python -m tests.bench.soak`` is the long one."""

from pathlib import Path

import pytest

from tests.bench.soak import soak


@pytest.mark.slow
def test_soak(tmp_path: Path) -> None:
    """Scraped hard with a fifth of the sensors failing and one hanging, nothing leaks or fails."""
    found = soak(tmp_path / "node", seconds=12.0, connections=4)
    assert [] == list(found.complaints())
