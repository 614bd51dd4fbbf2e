"""
What board this is: its name as its maker writes it, and its type.

From the device tree (``/proc/device-tree/{model,compatible}``) where there is one, else from DMI
(``/sys/class/dmi/id``), whose texts need not be UTF-8 (node_exporter#1979, #2504).
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from exporters.hardware.board_types import ARCHITECTURES, NAMES, ONLY_ON, Rows
from exporters.hardware.facts import FILLERS, Facts, tidy

DEVICE_TREES = ("proc/device-tree", "sys/firmware/devicetree/base")
DMI = "sys/class/dmi/id"


def compatible(facts: Facts) -> tuple[str, ...]:
    """Return what the device tree says the board is compatible with, from board to chip."""
    texts = (facts.raw(f"{tree}/compatible") for tree in DEVICE_TREES)
    text = next(filter(None, texts), "")
    return tuple(tidy(name) for name in text.split("\0") if name)


def name(facts: Facts) -> str:
    """Return the board's name; empty where nothing tells."""
    model = facts.first(*(f"{tree}/model" for tree in DEVICE_TREES))
    return model or _dmi_name(facts)


def hardware_type(facts: Facts) -> str:
    """Return the board's type, one of ``board_types.types()``."""
    dmi = (facts.raw(f"{DMI}/{file}") for file in ("product_name", "board_name", "sys_vendor"))
    names = (*compatible(facts), name(facts), *map(tidy, dmi))
    return fitting(NAMES, names) or _architecture(facts)


def fitting(rows: Rows, names: Iterable[str]) -> str:
    """Return what the first row stands for whose pattern fits a name; empty where none does."""
    lowered = [name.lower() for name in names]
    return next(
        (kind for pattern, kind in rows if any(fnmatchcase(name, pattern) for name in lowered)), ""
    )


def _dmi_name(facts: Facts) -> str:
    """Return maker and product; the mainboard's where the system has no names of its own."""
    for vendor_file, product_file in (
        ("sys_vendor", "product_name"),
        ("board_vendor", "board_name"),
    ):
        product = facts.first(f"{DMI}/{product_file}", fillers=FILLERS)
        if product:
            vendor = facts.first(f"{DMI}/{vendor_file}", fillers=FILLERS)
            known = not vendor or product.lower().startswith(vendor.lower())
            return product if known else tidy(f"{vendor} {product}")
    return ""


def _architecture(facts: Facts) -> str:
    texts: dict[str, str] = {}
    for path, pattern, kind in ARCHITECTURES:
        if path not in texts:
            texts[path] = facts.raw(path).replace("\t", " ").lower()
        if fnmatchcase(texts[path], pattern):
            return kind
    return next((kind for path, kind in ONLY_ON if facts.root.exists(path)), "")
