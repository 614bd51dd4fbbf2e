"""Lists of CPUs, as the kernel writes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.hardware.cpulist import parse_cpus, show_cpus


@pytest.mark.parametrize(
    ("text", "cpus"),
    [
        ("0", (0,)),
        ("0-3", (0, 1, 2, 3)),
        ("1,3-5,9", (1, 3, 4, 5, 9)),
        ("0 1 2 3", (0, 1, 2, 3)),
        ("", ()),
    ],
)
def test_reads_lists(text: str, cpus: tuple[int, ...]) -> None:
    """Ranges, single CPUs, the spaces of related_cpus and the empty list of no offline CPU."""
    assert cpus == parse_cpus(text)


@pytest.mark.parametrize("text", ["3-0", "0,0", "5,1", "0-3-5", "a", "0,", "-1", "0-99999999", "²"])
def test_refuses_what_is_no_list(text: str) -> None:
    """Neither a mistake nor a number of CPUs that no machine has is a list."""
    with pytest.raises(ValueError, match=r"not|implausible"):
        parse_cpus(text)


@given(st.text() | st.text(alphabet="0123456789,- "))
def test_any_text_is_a_rising_list_or_refused(text: str) -> None:
    """The parser gives rising numbers, or ValueError and nothing else."""
    try:
        cpus = parse_cpus(text)
    except ValueError:
        return
    assert sorted(set(cpus)) == list(cpus)


@given(st.sets(st.integers(0, 300)))
def test_what_is_shown_can_be_read(cpus: set[int]) -> None:
    """Showing and reading a list are inverse."""
    assert tuple(sorted(cpus)) == parse_cpus(show_cpus(sorted(cpus)))


def test_shows_ranges() -> None:
    """Neighbours are joined, as the kernel does."""
    assert "0-3,5,8-9" == show_cpus([0, 1, 2, 3, 5, 8, 9])
