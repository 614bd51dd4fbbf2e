"""
Measures tailsight against node_exporter and writes docs/benchmarks.md.

Usage: python -m tests.bench [--scrapes N] [--growth N] [--churn N] [--output FILE]
Exit status 1 if a target is missed.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.bench.churn import churn
from tests.bench.compare import Held, Result, compare, held
from tests.bench.exposition import measure
from tests.bench.report import EVERYTHING, Measured, targets, write
from tests.bench.roots import multiply
from tests.bench.subject import free_port, live, ours
from tests.support.boards import board_root

REPOSITORY = Path(__file__).resolve().parents[2]
FACTORS = (1, 10)
# node_exporter gives these the names of other chips, and would spend its time on reporting it.
COLLIDING = ("hwmon7", "hwmon9", "hwmon10")
SERIES = (1_000, 10_000, 100_000)


def main() -> int:
    """Measure, write, and say which targets hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("--scrapes", type=int, default=1_000, help="of each program and node")
    parser.add_argument("--growth", type=int, default=10_000, help="scrapes to look for growth in")
    parser.add_argument("--churn", type=int, default=200, help="scrapes while all comes and goes")
    parser.add_argument("--output", type=Path, default=REPOSITORY / "docs/benchmarks.md")
    options = parser.parse_args()
    results, memory = scrapes(options.scrapes, options.growth)
    texts = [one for series in SERIES for one in measure(series)]
    found = Measured(results, memory, texts, churn(options.churn))
    command = " ".join(
        ["make bench", *([f'ARGS="{" ".join(sys.argv[1:])}"'] * (len(sys.argv) > 1))]
    )
    write(options.output, found, command)
    verdicts = list(targets(found))
    for name, value, holds in verdicts:
        sys.stdout.write(f"{'ok    ' if holds == 'yes' else 'MISSED'} {name}: {value}\n")
    return int(any(holds != "yes" for _, _, holds in verdicts))


def scrapes(count: int, long: int) -> tuple[list[Result], list[Held]]:
    """Compare on each node, and look at the memory over a long time and in other uses."""
    with tempfile.TemporaryDirectory(prefix="tailsight-bench-") as folder:
        node = multiply(board_root("node-exporter"), 1, Path(folder) / "1x")
        for name in COLLIDING:
            (node / "sys/class/hwmon" / name).unlink()
        results = []
        for factor in FACTORS:
            root = node if factor == 1 else multiply(node, factor, Path(folder) / f"{factor}x")
            results += compare(root, factor, count)
        memory = list(held("the recorded node", ours(node), (100, 1_000, long)))
        memory += held(EVERYTHING, live("--root", str(root)), (1_000,))
    memory += held("this machine, all collectors, pyudev", live("--hotplug", "pyudev"), (1_000,))
    push = live("--otlp.endpoint", f"http://127.0.0.1:{free_port()}", "--otlp.interval", "100ms")
    memory += held("the same, pushing to an endpoint that is away", push, (1_000,))
    return results, memory


if __name__ == "__main__":
    sys.exit(main())
