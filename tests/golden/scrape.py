"""Takes the scrape of a board that a golden file holds."""

import re
from pathlib import Path

from tests.support.agent import tailsight

GOLDEN = Path(__file__).parent
# Durations differ at every run; versions with every release and Python.
_VOLATILE = re.compile(r"tailsight_(collector_duration|scrape_duration|build_info)")


def scrape(root: Path, output: Path) -> str:
    """Return the metrics of a root, without what differs at every run."""
    done = tailsight("once", f"--root={root}", f"--output={output}")
    if done.returncode:
        msg = f"tailsight once --root={root}: {done.stderr}"
        raise RuntimeError(msg)
    lines = output.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not _VOLATILE.match(line))
