"""The stub library, built once, and an agent that uses it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.nvml_stub.stub import Agent, Script, agent, build

Start = Callable[..., Agent]


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the stub."""
    return build(tmp_path_factory.mktemp("nvml"))


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Give the stub's answers: a driver without GPUs, so far."""
    return Script(tmp_path / "script")


@pytest.fixture
def start(library: Path, script: Script, tmp_path: Path) -> Iterator[Start]:
    """Start agents, with options of the collector; end them with the test."""
    root = tmp_path / "root"
    root.mkdir()
    with ExitStack() as stack:

        def begin(*, with_library: bool = True, **options: Any) -> Agent:
            used = library if with_library else None
            return stack.enter_context(agent(used, script, root, **options))

        yield begin


def state(told: dict[str, Any]) -> str:
    """Return the one state that is 1."""
    prefix = 'tailsight_nvml_state{state="'
    values = {name: value for name, value in told["values"].items() if name.startswith(prefix)}
    assert 1 == sum(values.values())
    present: str = next(name for name, value in values.items() if value)
    return present.split('"')[1]


def power(uuid: str) -> str:
    """Return the series of a GPU's power."""
    return f'tailsight_gpu_power_watts{{gpu="{uuid}"}}'
