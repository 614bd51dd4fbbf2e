"""Where the node's name and place are looked up."""

import subprocess
import sys
from pathlib import Path

import pytest

from exporters.cli.main import run
from exporters.config.load import ConfigError
from exporters.config.settings import Settings
from exporters.wiring import node_environment
from tests.support.boards import board_root


def labels_file(tmp_path: Path, text: str) -> str:
    """Write a node labels file and return its path."""
    path = tmp_path / "labels"
    path.write_text(text)
    return str(path)


def test_without_a_file_the_environment_counts() -> None:
    """Nothing is added to it."""
    assert {"NODE_RACK": "r1"} == node_environment(Settings(), {"NODE_RACK": "r1"})


def test_the_file_has_the_last_word(tmp_path: Path) -> None:
    """What it names replaces the variable; what it does not name stays."""
    settings = Settings(node_labels_file=labels_file(tmp_path, "rack=r2\nzone=hall 3\n"))

    assert {
        "NODE_NAME": "n1", "NODE_REGION": "eu", "NODE_RACK": "r2", "NODE_ZONE": "hall 3",
    } == node_environment(
        settings, {"NODE_NAME": "n1", "NODE_REGION": "eu", "NODE_RACK": "r1"}
    )  # fmt: skip


def test_a_bad_file_is_a_bad_setting(tmp_path: Path) -> None:
    """The one line names flag, file, line and what is wanted; the command ends with status 2."""
    path = labels_file(tmp_path, "rack r2\n")
    arguments = [
        "once", "--root", str(board_root("nuc13-i915")), "--node.labels-file", path,
        "--collector.disable-defaults", "--collector.node",
    ]  # fmt: skip

    with pytest.raises(ConfigError) as caught:
        run(arguments, {})

    assert (
        f"--node.labels-file {path}: line 1: wants NAME=VALUE with one of region, rack, zone, "
        "got 'rack r2'"
    ) == str(caught.value)


def test_labels_reach_the_scrape(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """File and variables stand in the node's info metric, as the command prints it."""
    path = labels_file(tmp_path, "region=eu-central\nrack=r12\n")
    arguments = [
        "once", "--root", str(board_root("jetson-orin-nano-jp6")), "--node.labels-file", path,
        "--collector.disable-defaults", "--collector.node",
    ]  # fmt: skip

    assert 0 == run(arguments, {"NODE_NAME": "edge-7", "NODE_ZONE": "hall 3"})
    line = next(
        line for line in capsys.readouterr().out.splitlines()
        if line.startswith("tailsight_node_info{")
    )  # fmt: skip
    for label in ('node="edge-7"', 'region="eu-central"', 'rack="r12"', 'zone="hall 3"'):
        assert label in line


def test_the_agent_loads_no_cryptography_that_it_does_not_use() -> None:
    """OpenSSL is 3.4 MiB resident; ``secrets``, ``random`` and ``tempfile`` bring it along."""
    code = "import sys, exporters.wiring; print({'_hashlib', '_ssl'} & sys.modules.keys())"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )

    assert "set()\n" == done.stdout
