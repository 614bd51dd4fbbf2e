"""Texts that become labels."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core.replay import ReplayRoot
from exporters.hardware.facts import LONGEST, Facts, tidy
from tests.conftest import Mounted
from tests.support.faults import Faults

MakeTree = Callable[[dict[str, str | bytes]], Path]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        (" two\n lines\t", "two lines"),
        ("nul\0between", "nul between"),
        ("\x1b[31mred", "[31mred"),
        ("x" * 200, "x" * 128),
        ("\ufffd", "\ufffd"),
    ],
)
def test_tidy(text: str, label: str) -> None:
    """One line, printable, of bounded length."""
    assert label == tidy(text)


@given(st.text())
def test_any_text_becomes_a_label(text: str) -> None:
    """Whatever firmware says; and tidying once is enough."""
    label = tidy(text)

    assert label.isprintable()
    assert len(label) <= LONGEST
    assert label == tidy(label)


def test_the_first_that_says_something(make_tree: MakeTree) -> None:
    """Missing and empty files are passed over; a file in the place of a folder is none."""
    facts = Facts(ReplayRoot(str(make_tree({"a": "\n", "b": "two", "c": "three"}))))

    assert "two" == facts.first("missing", "b/none", "a", "b", "c")
    assert ("", []) == (facts.first("missing", "a"), facts.failures)


def test_failures_are_kept(mounted: Mounted, make_tree: MakeTree) -> None:
    """A file that is there and refuses is a failure, and the next one is asked."""
    tree = make_tree({"a": "one", "b": "two"})
    facts = Facts(ReplayRoot(str(mounted(tree, Faults({"a": errno.EIO})))))

    assert "two" == facts.first("a", "b")
    assert [("a", errno.EIO)] == [
        (failure.where, failure.error.errno)
        for failure in facts.failures
        if isinstance(failure.error, OSError)
    ]


def test_what_a_parser_refuses_is_kept(make_tree: MakeTree) -> None:
    """The text stays out of the label, the reason is told."""
    facts = Facts(ReplayRoot(str(make_tree({}))))

    assert "" == facts.parsed("a", "x", lambda text: str(int(text)))
    assert ["a"] == [failure.where for failure in facts.failures]
