"""The page at ``/``: links, the version, and how every collector does. No assets, no script."""

import sys
from collections.abc import Iterator, Mapping

from exporters import __version__
from exporters.core.task import Outcome

HTML = "text/html; charset=utf-8"
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;", "\0": "\ufffd"}
)
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --ok: #1a7f37; --absent: #6e7781;
  --bad: #cf222e; }
@media (prefers-color-scheme: dark) { :root { --ok: #3fb950; --absent: #8b949e; --bad: #ff7b72; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2.5rem auto;
  padding: 0 1.25rem; }
h1 { margin: 0; font-size: 1.6rem; } h1 small { font-weight: 400; font-size: 1rem; opacity: .65; }
nav { margin: .75rem 0 1.75rem; } nav a { margin-right: 1.25rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .4rem .75rem; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th { font-size: .8rem; opacity: .7; font-weight: 600; } tbody tr:hover { background: var(--soft); }
.number { text-align: right; white-space: nowrap; }
.why { overflow-wrap: anywhere; opacity: .85; }
.status { white-space: nowrap; } .status::before { content: "\\25CF\\00A0"; }
.ok { color: var(--ok); } .absent { color: var(--absent); }
.error, .timeout { color: var(--bad); font-weight: 600; }
"""
_LINKS = (("/metrics", "Metrics"), ("/-/healthy", "Healthy"), ("/-/ready", "Ready"))
_COLUMNS = (
    ("Collector", ""),
    ("Status", ""),
    ("Series", "number"),
    ("Failed sensors", "number"),
    ("Duration", "number"),
    ("Why", "why"),
)
_SHOWN_FAILURES = 3


def escape(text: str) -> str:
    """Return text that HTML takes as nothing else, in an attribute too."""
    return text.translate(_ESCAPES)


def index(outcomes: Mapping[str, Outcome] | None) -> str:
    """Return the page; without outcomes, one that says that there was no scrape yet."""
    versions = f"{__version__} on Python {'.'.join(map(str, sys.version_info[:3]))}"
    links = "".join(f'<a href="{path}">{name}</a>' for path, name in _LINKS)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>tailsight</title><style>{_STYLE}</style></head>\n"
        f"<body><h1>tailsight <small>{escape(versions)}</small></h1>\n<nav>{links}</nav>\n"
        f"{_table(outcomes) if outcomes is not None else '<p>No scrape has ended yet.</p>'}\n"
        "</body></html>\n"
    )


def _table(outcomes: Mapping[str, Outcome]) -> str:
    head = "".join(f'<th scope="col" class="{kind}">{name}</th>' for name, kind in _COLUMNS)
    rows = "\n".join(_row(name, outcome) for name, outcome in outcomes.items())
    return (
        "<p>The collectors, as the last scrape found them:</p>\n"
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div>"
    )


def _row(name: str, outcome: Outcome) -> str:
    cells = (
        (escape(name), ""),
        (outcome.status, f"status {outcome.status}"),
        (str(len(outcome.samples)), "number"),
        (str(len(outcome.failures)), "number"),
        (f"{outcome.seconds * 1000:.1f} ms", "number"),
        ("<br>".join(map(escape, _reasons(outcome))), "why"),
    )
    row = "".join(f'<td class="{kind}">{text}</td>' for text, kind in cells)
    return f"<tr>{row}</tr>"


def _reasons(outcome: Outcome) -> Iterator[str]:
    """Yield the lines that say why a collector, or a sensor of it, gives nothing."""
    if outcome.reason:
        yield outcome.reason
    for failure in outcome.failures[:_SHOWN_FAILURES]:
        yield f"{failure.where}: {failure.error}"
    if (more := len(outcome.failures) - _SHOWN_FAILURES) > 0:
        yield f"and {more} more"
