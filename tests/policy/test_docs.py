"""What the documentation shows and points to is there."""

import json
import re
from pathlib import Path

import pytest

from exporters.core.timed import parse_versions
from tests.policy.source import REPOSITORY, files, relative

LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")
PAGES = [path for path in files() if path.suffix == ".md"]


def anchors(page: Path) -> set[str]:
    """Return what GitHub calls the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_lead_somewhere(page: Path) -> None:
    """Every link to a file or a heading of this repository finds it."""
    broken = []
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        found = (page.parent / target).resolve() if target else page
        if not found.exists() or (anchor and anchor not in anchors(found)):
            broken.append(f"{target}#{anchor}")
    assert [] == broken


@pytest.mark.parametrize("folder", ["docs", "docs/adr"])
def test_index_has_every_page(folder: str) -> None:
    """A page that its folder's README.md does not name is not found by a reader."""
    index = (REPOSITORY / folder / "README.md").read_text(encoding="utf-8")
    pages = {path.name for path in (REPOSITORY / folder).glob("*.md")} - {"README.md"}
    assert set() == {name for name in pages if f"({name})" not in index}


def test_excerpt_is_real() -> None:
    """What README shows of a recorded board is what the board's golden scrape has."""
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"^tailsight_.*$", readme, re.MULTILINE)
    golden = REPOSITORY / "tests/golden/jetson-orin-nano-jp6.prom"
    assert shown
    assert set() == set(shown) - set(golden.read_text(encoding="utf-8").splitlines())


def test_examples_of_a_replay_are_understood() -> None:
    """The JSON of docs/replay.md is JSON, and its timed files are such."""
    page = (REPOSITORY / "docs/replay.md").read_text(encoding="utf-8")
    examples = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", page, re.DOTALL)]
    timed = [example for example in examples if any(name.startswith("sys/") for name in example)]
    assert 1 == len(timed)
    for versions in timed[0].values():
        parse_versions(versions)
