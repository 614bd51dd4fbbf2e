"""``python -m exporters.generate``: writes every generated file of the repository."""

import sys
from pathlib import Path

from exporters.catalogue import catalogue
from exporters.generate.metrics_doc import metrics_doc
from exporters.generate.settings_doc import settings_doc
from exporters.hardware import parts
from exporters.hardware.nvml import NvmlOptions
from exporters.wiring import default_collectors


def documents() -> dict[str, str]:
    """Return the content of each generated file by its path in the repository."""
    collectors = parts({}, NvmlOptions()).collectors
    pages = {
        "docs/metrics.md": metrics_doc(catalogue(), collectors),
        "docs/configuration.md": settings_doc(default_collectors()),
    }
    return {path: "\n".join(lines).rstrip() + "\n" for path, lines in pages.items()}


def main(folder: str = ".") -> int:
    """Write all files below a folder, which must be there."""
    if not Path(folder).is_dir():
        print(f"{folder}: no such folder; usage: python -m exporters.generate [FOLDER]")  # noqa: T201  # a tool
        return 2
    for path, text in documents().items():
        place = Path(folder, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
