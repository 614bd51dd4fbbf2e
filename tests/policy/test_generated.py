"""Generated files are what the generator makes, and say all there is."""

from pathlib import Path

import pytest

from exporters.catalogue import catalogue, refuse_twins
from exporters.core import Kind, Metric, Unit
from exporters.generate.__main__ import documents

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("path", sorted(documents()))
def test_committed_file_is_the_generated_one(path: str) -> None:
    """After ``make generate`` nothing differs from what is committed."""
    assert documents()[path] == (ROOT / path).read_text(encoding="utf-8")


def test_every_metric_is_in_the_document() -> None:
    """No metric goes undocumented."""
    text = (ROOT / "docs/metrics.md").read_text(encoding="utf-8")
    names = {metric.name for metrics in catalogue().values() for metric in metrics}

    assert set() == {name for name in names if f"`{name}`" not in text}


def test_every_metric_of_a_golden_scrape_is_in_the_catalogue() -> None:
    """What boards show is what collectors declare."""
    names = {metric.name for metrics in catalogue().values() for metric in metrics}
    shown = {
        line.split()[2]
        for golden in (ROOT / "tests/golden").glob("*.prom")
        for line in golden.read_text(encoding="utf-8").splitlines()
        if line.startswith("# TYPE")
    }

    assert shown
    assert set() == shown - names


def test_two_metrics_of_one_name_are_refused() -> None:
    """One name means one thing."""
    one = Metric("x", Kind.GAUGE, Unit.NONE, "One.")
    other = Metric("x", Kind.GAUGE, Unit.NONE, "Another.")

    with pytest.raises(ValueError, match="tailsight_x"):
        refuse_twins({"a": (one,), "b": (other,)})
