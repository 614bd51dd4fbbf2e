"""The page at /."""

from html.parser import HTMLParser

from exporters.core.collector import Failure
from exporters.core.task import Outcome
from exporters.web.pages import index

VOID = {"meta", "br"}


class Checker(HTMLParser):
    """Collects the table's cells and what the page would load; fails on tags left open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of a tag."""
        assert tag not in {"script", "link", "img", "iframe"}
        assert not [name for name, _ in attrs if name.startswith("on") or name == "src"]
        self.links += [value or "" for name, value in attrs if name == "href"]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        """Close a tag, which must be the last one opened."""
        assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        """Take note of text."""
        if "td" in self.open:
            self.cells[-1] += data


def check(page: str) -> Checker:
    """Parse a page by the standard library."""
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert [] == checker.open
    return checker


def test_every_collector_has_its_row() -> None:
    """Status, series, failures, duration and the reasons are shown as they are."""
    broken = Outcome("ok", seconds=0.0123)
    broken.failures += [Failure(f"sys/{number}", OSError(5, "I/O error")) for number in range(5)]
    absent = Outcome("absent", reason="no fan")
    checker = check(index({"thermal": broken, "fan": absent}))

    reasons = "".join(f"sys/{number}: [Errno 5] I/O error" for number in range(3))
    assert ["thermal", "ok", "0", "5", "12.3 ms", f"{reasons}and 2 more"] == checker.cells[:6]
    assert ["fan", "absent", "0", "0", "0.0 ms", "no fan"] == checker.cells[6:]
    assert {"/metrics", "/-/healthy", "/-/ready"} == set(checker.links)


def test_text_of_the_node_is_no_html() -> None:
    """A reason or path with tags, quotes and ampersands reads as it is and does nothing."""
    reason = "<script>alert('x')</script> & \"q\" <img src=x onerror=y>"
    outcome = Outcome("error", reason=reason)
    outcome.failures.append(Failure("</td><td onclick=x>", ValueError("<b>")))
    checker = check(index({"<i>": outcome}))

    assert "<i>" == checker.cells[0]
    assert f"{reason}</td><td onclick=x>: <b>" == checker.cells[5]


def test_before_the_first_scrape() -> None:
    """The page says that there was none, instead of an empty table."""
    page = index(None)

    assert [] == check(page).cells
    assert "No scrape has ended yet." in page
