"""Takes the reports on a board that golden files hold: the table and the JSON."""

import json
import re
from pathlib import Path

from tests.support.agent import tailsight

CHECK_GOLDEN = Path(__file__).parent / "check"
WIDTH = "80"
# Costs differ at every run, versions with every release and Python.
_COST = re.compile(r" +\d+\.\d+ ms")
_VERSION = re.compile(r"(tailsight|python) +\d")


def check_reports(root: Path) -> dict[str, str]:
    """Return the reports by the golden file's suffix, without what differs at every run."""
    return {".txt": table(root), ".json": document(root)}


def table(root: Path) -> str:
    """Return the table as a terminal of 80 columns shows it, without costs and versions."""
    body, _, summary = run(root).rpartition("\n\n")
    lines = [line for line in body.splitlines() if not _VERSION.match(line)]
    # Where the summary is wrapped depends on the length of its cost.
    lines += ["", " ".join(summary.split())]
    return "".join(f"{_COST.sub(without_digits, line)}\n" for line in lines)


def without_digits(cost: re.Match[str]) -> str:
    """Return an underscore in the place of a cost, in the column where it ended."""
    return "_ ms".rjust(len(cost[0])) if cost[0].startswith("  ") else " _ ms"


def document(root: Path) -> str:
    """Return the JSON, without costs and versions."""
    found = json.loads(run(root, "--json"))
    for name in ("tailsight", "python"):
        del found["node"][name]
    for part in (found["summary"], *found["sources"]):
        del part["cost_seconds"]
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def run(root: Path, *flags: str) -> str:
    """Return what ``tailsight check`` prints of a root."""
    done = tailsight("check", f"--root={root}", *flags, COLUMNS=WIDTH)
    if done.stderr or done.returncode not in {0, 1}:
        msg = f"tailsight check --root={root}: {done.returncode}, {done.stderr}"
        raise RuntimeError(msg)
    return done.stdout
