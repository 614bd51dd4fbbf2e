"""The setting of NUMA balancing."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.host import numa_balancing
from tests.support.collect import run, values

MakeTree = Callable[[dict[str, str | bytes]], Path]


# https://docs.kernel.org/admin-guide/sysctl/kernel.html#numa-balancing
@pytest.mark.parametrize(
    ("setting", "mode"),
    [("0", "off"), ("1", "normal"), ("2", "memory_tiering"), ("3", "normal,memory_tiering")],
)
def test_bits_have_names(make_tree: MakeTree, setting: str, mode: str) -> None:
    """Each alone, and both."""
    tree = make_tree({numa_balancing.SETTING: f"{setting}\n"})

    assert {f'tailsight_numa_balancing_info{{setting="{setting}",mode="{mode}"}}': 1} == values(
        run(numa_balancing.COLLECTOR, Root(str(tree)))
    )


@pytest.mark.parametrize("text", ["", "4", "-1", "on"])
def test_what_is_no_setting(text: str) -> None:
    """A bit that nothing is known of would be named wrongly."""
    with pytest.raises(ValueError, match=r"implausible|not a number"):
        numa_balancing.parse_setting(text)


def test_a_kernel_without_it_is_absent(tmp_path: Path) -> None:
    """Not off: it could not be switched on."""
    outcome = run(numa_balancing.COLLECTOR, Root(str(tmp_path)))

    assert ("absent", []) == (outcome.status, outcome.failures)
    assert "cannot balance" in outcome.reason


@given(st.text())
def test_any_text(text: str) -> None:
    """Whatever the text, there are four settings, or it is refused."""
    try:
        setting = numa_balancing.parse_setting(text)
    except ValueError:
        return
    assert 0 <= setting <= 3
