"""``make golden``: writes the golden scrape of every board anew."""

import sys
import tempfile
from pathlib import Path

from tests.golden.check_report import CHECK_GOLDEN, check_reports
from tests.golden.scrape import GOLDEN, scrape
from tests.support.boards import board_names, board_root
from tests.support.faults import Faults
from tests.support.mount import mounted_tree


def main() -> int:
    """Write all golden files."""
    for board in board_names():
        tree = board_root(board)
        with tempfile.TemporaryDirectory() as folder:
            point = Path(folder, "root")
            with mounted_tree(tree, point, Faults.recorded(tree)):
                text = scrape(point, Path(folder, "out.prom"))
                reports = check_reports(point)
        (GOLDEN / f"{board}.prom").write_text(text, encoding="utf-8")
        for suffix, report in reports.items():
            (CHECK_GOLDEN / f"{board}{suffix}").write_text(report, encoding="utf-8")
        print(f"{board}: {text.count(chr(10))} lines")  # noqa: T201  # what a person wants to see
    return 0


if __name__ == "__main__":
    sys.exit(main())
