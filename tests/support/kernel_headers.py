"""What the C compiler makes of the kernel's headers: the measure for byte layouts."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest


def evaluate(folder: Path, headers: Sequence[str], expressions: Sequence[str]) -> list[int]:
    """Return the values of C expressions (sizes, offsets, constants); skip without a compiler."""
    return list(map(int, compiled(folder, headers, "".join(map(_print, expressions))).split()))


def compiled(folder: Path, headers: Sequence[str], body: str) -> bytes:
    """Compile and run the body of a C function; return what it wrote to its standard output."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed: run `make tools`")
    names = ("stdio.h", "stddef.h", "string.h", *headers)
    includes = "".join(f"#include <{name}>\n" for name in names)
    source, program = folder / "ask.c", folder / "ask"
    source.write_text(f"{includes}int main(void) {{\n{body}\nreturn 0;\n}}\n")
    subprocess.run(["gcc", "-Wall", "-o", program, source], check=True, timeout=60)
    return subprocess.run([program], check=True, capture_output=True, timeout=10).stdout


def _print(expression: str) -> str:
    return f'printf("%lld\\n", (long long)({expression}));\n'
