"""Kernel modules as packages ship them: where they lie, what they need, in which order to load."""

import lzma
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

# The section .modinfo holds strings "key=value", each ended by a NUL.
DEPENDS = re.compile(rb"\0?depends=([\w,-]*)\0")


def name_of(path: Path) -> str:
    """Return a module's name; its file may have hyphens where the name has underscores."""
    return path.name.partition(".ko")[0].replace("-", "_")


def content(path: Path) -> bytes:
    """Return a module uncompressed, as every insmod takes it."""
    if path.suffix == ".xz":
        return lzma.decompress(path.read_bytes())
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout
    return path.read_bytes()


def depends(module: bytes) -> list[str]:
    """Return the names of the modules that one needs."""
    match = DEPENDS.search(module)
    return match[1].decode().replace("-", "_").split(",") if match and match[1] else []


class Modules:
    """The modules of one kernel, by name, those in ``modules.builtin`` left out."""

    def __init__(self, folder: Path) -> None:
        self._paths: Mapping[str, Path] = {name_of(path): path for path in folder.rglob("*.ko*")}
        builtin = (folder / "modules.builtin").read_text(encoding="utf-8").split()
        self._builtin = {name_of(Path(line)) for line in builtin}

    def in_order(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """
        Give name and content of modules and of what they need, in the order to load them.

        Raises:
            LookupError: the kernel has no such module.
        """
        done: set[str] = set()
        for name in names:
            yield from self._with_needs(name.replace("-", "_"), done)

    def _with_needs(self, name: str, done: set[str]) -> Iterator[tuple[str, bytes]]:
        if name in done or name in self._builtin:
            return
        done.add(name)
        if name not in self._paths:
            msg = f"this kernel has no module {name}"
            raise LookupError(msg)
        module = content(self._paths[name])
        for need in depends(module):
            yield from self._with_needs(need, done)
        yield name, module
