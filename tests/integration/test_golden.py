"""Every recorded board gives the scrape that was checked by hand, and promtool likes it."""

import subprocess
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import Mounted
from tests.golden.scrape import GOLDEN, scrape
from tests.support.programs import program


def test_board_gives_its_golden_scrape(board: str, mounted: Mounted, tmp_path: Path) -> None:
    """With the recorded reads really failing, the scrape is the golden one to the byte."""
    golden = (GOLDEN / f"{board}.prom").read_text(encoding="utf-8")

    assert golden == scrape(mounted(board), tmp_path / "out.prom")


def test_golden_is_clean_for_promtool(board: str) -> None:
    """Promtool, which lints names, types and help, says nothing."""
    with (GOLDEN / f"{board}.prom").open("rb") as golden:
        said = subprocess.run(
            [program("promtool"), "check", "metrics"],
            stdin=golden,
            capture_output=True,
            check=False,
        )

    assert (0, b"", b"") == (said.returncode, said.stdout, said.stderr)


def test_golden_comes_back_through_the_parser(board: str) -> None:
    """Every sample line of the golden file is one sample to prometheus-client."""
    text = (GOLDEN / f"{board}.prom").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    found = [s for family in text_string_to_metric_families(text) for s in family.samples]

    assert len(lines) == len(found)
    assert len(found) == len({(s.name, tuple(sorted(s.labels.items()))) for s in found})


def test_no_golden_file_without_its_board(board: str) -> None:
    """A board that was renamed leaves no stale golden file behind."""
    from tests.support.boards import board_names

    assert board in {path.stem for path in GOLDEN.glob("*.prom")}
    assert {path.stem for path in GOLDEN.glob("*.prom")} <= set(board_names())
