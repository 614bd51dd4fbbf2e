"""The shape that keeps the code readable, checked."""

import ast

from tests.policy.source import modules, relative, tree

MOST_LINES = {"exporters": 250, "tools": 250, "tests": 400}
# The one place where "whatever a collector raises" is the right thing to catch.
CATCHES_ALL = "exporters/core/runner.py"


def test_modules_are_short() -> None:
    """A longer module holds two ideas; a test may have long tables."""
    lines = {
        relative(path): (len(path.read_text(encoding="utf-8").splitlines()), most)
        for folder, most in MOST_LINES.items()
        for path in modules(folder)
    }
    assert {} == {path: count for path, (count, most) in lines.items() if count > most}


def test_tests_say_what_they_hold() -> None:
    """Every test has a docstring: the sentence that it proves."""
    silent = [
        f"{relative(path)}:{node.lineno}: {node.name}"
        for path in modules("tests")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and path.name.startswith("test_")
        and not ast.get_docstring(node)
    ]
    assert [] == silent


def names_of(caught: ast.expr | None) -> set[str]:
    """Return the names that an ``except`` clause catches; a bare one catches BaseException."""
    if caught is None:
        return {"BaseException"}
    return {node.id for node in ast.walk(caught) if isinstance(node, ast.Name)}


def test_broad_excepts_live_in_the_runner() -> None:
    """Only the runner catches Exception; elsewhere it would hide a mistake."""
    broad = [
        f"{relative(path)}:{node.lineno}"
        for path in modules("exporters")
        if relative(path) != CATCHES_ALL
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ExceptHandler)
        and names_of(node.type) & {"Exception", "BaseException"}
    ]
    assert [] == broad
