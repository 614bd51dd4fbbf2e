"""
Each way to touch the outside world belongs to a few modules, named here with the reason.

Everything else gets what it needs from a ``Root`` or as an argument, so that a recorded board
answers every question and a parser can be tested with a string.
"""

import ast
from collections.abc import Iterator

import pytest

from tests.policy.source import modules, relative, tree

FILES = "files"
ENVIRONMENT = "environment"
PROCESSES = "processes"

# Path or folder (ending in "/"), what it may touch, why.
OWNERS = (
    ("exporters/core/fileio.py", FILES, "opens what a root asks for"),
    ("exporters/core/root.py", FILES, "reads the host or a recorded board; all collectors use it"),
    ("exporters/core/replay.py", FILES, "reads DIR/replay of a recorded board"),
    ("exporters/config/", FILES, "reads the configuration file"),
    ("exporters/check/kconfig.py", FILES, "asks the root for /proc/config.gz, which is no text"),
    ("exporters/web/tls.py", FILES, "reads certificates and keys"),
    ("exporters/cli/main.py", FILES, "opens /dev/null in the place of a closed pipe"),
    ("exporters/cli/once.py", FILES, "writes --output"),
    ("exporters/cli/main.py", ENVIRONMENT, "hands the environment to the configuration"),
    ("exporters/host/process_numa.py", FILES, "asks the root for bytes, to see whether all came"),
    ("exporters/check/daemons.py", FILES, "asks the root for command lines, which have NULs"),
    ("exporters/clock/phc_ioctl.py", FILES, "opens /dev/ptpN to compare clocks"),
    ("exporters/hotplug/", FILES, "listens to the kernel's uevents"),
    ("exporters/generate/", FILES, "writes generated documents into the repository"),
)

METHODS = {
    "read_text": FILES,
    "read_bytes": FILES,
    "write_text": FILES,
    "write_bytes": FILES,
}
QUALIFIED = {
    ("os", "open"): FILES,
    ("os", "listdir"): FILES,
    ("os", "scandir"): FILES,
    ("os", "fdopen"): FILES,
    ("io", "open"): FILES,
    ("os", "environ"): ENVIRONMENT,
    ("os", "getenv"): ENVIRONMENT,
    ("os", "system"): PROCESSES,
    ("os", "popen"): PROCESSES,
    ("os", "fork"): PROCESSES,
}
IMPORTS = {"subprocess": PROCESSES, "multiprocessing": PROCESSES}


def touches(module: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Give line, what is touched and how, for every use of the outside world in a module."""
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Name(id="open")):
                yield node.lineno, FILES, "open()"
            case ast.Call(func=ast.Attribute(attr=name)) if name in METHODS:
                yield node.lineno, METHODS[name], f".{name}()"
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if (owner, name) in QUALIFIED:
                yield node.lineno, QUALIFIED[owner, name], f"{owner}.{name}"
            case ast.Import(names=names):
                for name in {alias.name.partition(".")[0] for alias in names} & IMPORTS.keys():
                    yield node.lineno, IMPORTS[name], f"import {name}"
            case ast.ImportFrom(module=str(source), names=names):
                yield from imported(node.lineno, source, [alias.name for alias in names])


def imported(line: int, source: str, names: list[str]) -> Iterator[tuple[int, str, str]]:
    """Give what ``from source import names`` touches."""
    if kind := IMPORTS.get(source.partition(".")[0]):
        yield line, kind, f"from {source} import ..."
    for name in names:
        if kind := QUALIFIED.get((source, name)):
            yield line, kind, f"from {source} import {name}"


def allowed(path: str, kind: str) -> bool:
    """Say whether a module is in the table for this kind."""
    return any(
        owned == kind and (path == owner or (owner.endswith("/") and path.startswith(owner)))
        for owner, owned, _ in OWNERS
    )


def test_only_owners_touch_the_outside_world() -> None:
    """No module of the product reads files, environment or processes unless the table says so."""
    strays = [
        f"{relative(path)}:{line}: {how} touches {kind}; ask for it, or add a row to OWNERS"
        for path in modules("exporters")
        for line, kind, how in touches(tree(path))
        if not allowed(relative(path), kind)
    ]
    assert [] == strays


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("open('/sys/x')", FILES),
        ("Path('/sys/x').read_text()", FILES),
        ("os.open('/sys/x', os.O_RDONLY)", FILES),
        ("from os import open as o", FILES),
        ("os.environ['HOME']", ENVIRONMENT),
        ("from os import environ", ENVIRONMENT),
        ("import subprocess", PROCESSES),
        ("from subprocess import run", PROCESSES),
    ],
)
def test_the_check_sees(code: str, kind: str) -> None:
    """Every forbidden form is found, so that a clean report means something."""
    assert [kind] == [found for _, found, _ in touches(ast.parse(code))]


def test_the_check_sees_no_ghosts() -> None:
    """Reading through a Root, or a method that happens to be called open, is no offence."""
    code = "root.read('sys/x'); valve.open(); os.path.join('a', 'b'); os.read(3, 10)"
    assert [] == list(touches(ast.parse(code)))
