"""
For the same files, node_exporter and tailsight publish the same values.

The oracle is Debian's prometheus-node-exporter (``make tools`` unpacks it). To compare another
family, add a row to ``PAIRS`` of tests/support/node_exporter_{hardware,host}.py and what they need
to ``COLLECTORS`` and ``FLAGS`` there. Each difference on purpose is in
docs/node-exporter-differences.md.
"""

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from exporters.core.replay import ReplayRoot
from exporters.host.disk_stats import FIELDS
from tests.support import node_exporter_hardware as hardware
from tests.support import node_exporter_host as host
from tests.support.collect import run
from tests.support.node_exporter import Key, Pair, Values, published

REPOSITORY = Path(__file__).resolve().parents[2]
PAIRS = (*hardware.PAIRS, *host.PAIRS)
LEFT_OUT = (
    *hardware.LEFT_OUT,
    *host.LEFT_OUT,
    # Each agent's own.
    "node_scrape_collector_*",
    "node_exporter_build_info",
)
EXACT = 1e-12
"""It multiplies milliseconds by 0.001, which no binary number is; here they are divided."""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the node that both read."""
    return host.node(tmp_path_factory.mktemp("equality"))


@pytest.fixture(scope="module")
def node(tree: Path) -> Values:
    """Give what node_exporter publishes."""
    return published(tree, tuple(dict.fromkeys((*hardware.FLAGS, *host.FLAGS))))


@pytest.fixture(scope="module")
def ours(tree: Path) -> Values:
    """Give what tailsight publishes."""
    root = ReplayRoot(str(tree))
    found: Values = {}
    for collector in (*hardware.COLLECTORS, *host.COLLECTORS):
        for series, value in run(collector, root).samples:
            assert isinstance(value, int | float)
            labels = dict(zip(series.metric.labels, series.values, strict=True))
            found.setdefault(series.metric.name, []).append((labels, value))
    return found


def of_theirs(values: Values, pair: Pair) -> list[tuple[Key, float]]:
    """Return node_exporter's values of a pair, by file, as they should be here."""
    found = [(pair.key(labels), value) for labels, value in values[pair.node]]
    if pair.summed:
        sums: dict[Key, float] = {}
        for key, value in found:
            sums[key] = sums.get(key, 0) + value
        found = list(sums.items())
    kept = (one for one in found if one[0] not in pair.left_out)
    return sorted([*kept, *pair.lost])


def of_ours(values: Values, pair: Pair) -> list[tuple[Key, float]]:
    """Return our values of a pair, by file."""
    return sorted(
        (pair.key(labels), float(value))
        for labels, value in values.get(pair.ours, ())
        if all(fnmatchcase(labels[name], pattern) for name, pattern in pair.only.items())
    )


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.node)
def test_values_are_equal(pair: Pair, node: Values, ours: Values) -> None:
    """Every file that both read gives one value, and neither reads one that the other does not."""
    if pair.newer and pair.node not in node:
        pytest.skip(f"this version of node_exporter has no {pair.node}")
    theirs, found = of_theirs(node, pair), of_ours(ours, pair)

    assert theirs
    assert [key for key, _ in theirs] == [key for key, _ in found]
    assert pytest.approx([value for _, value in theirs], rel=EXACT, abs=0) == [
        value for _, value in found
    ]


def test_discarded_bytes_are_its_sectors(node: Values, ours: Values) -> None:
    """A sector is 512 bytes."""
    sectors = {
        labels["device"]: value for labels, value in node["node_disk_discarded_sectors_total"]
    }
    (discarded,) = (field.name for field in FIELDS if field.subject == "disk_discarded")

    assert {device: 512 * value for device, value in sectors.items()} == {
        labels["device"]: value for labels, value in ours[discarded]
    }


def test_nothing_of_node_exporter_is_forgotten(node: Values) -> None:
    """Each family that it publishes is compared, or left out on purpose."""
    compared = {pair.node for pair in PAIRS}
    rest = [
        name
        for name in node
        if name.startswith("node_")
        and name not in compared
        and not any(fnmatchcase(name, pattern) for pattern in LEFT_OUT)
    ]

    assert [] == rest


def test_differences_are_written_down() -> None:
    """The page of differences names each family that is left out."""
    page = (REPOSITORY / "docs/node-exporter-differences.md").read_text(encoding="utf-8")

    assert [] == [name for name in LEFT_OUT if name not in page]
