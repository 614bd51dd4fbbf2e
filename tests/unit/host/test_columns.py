"""Sums over CPU columns that wrap, come and go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.host.columns import Columns, growth, parse_header, parse_line

TOP = 2**32


def look(columns: Columns, text: str, seconds: float = 0.0) -> dict[str, int]:
    """Return the totals by name at a look."""
    return {name: row.total for name, row in columns.look(text, seconds).items()}


def test_a_line_is_counts_and_what_follows() -> None:
    """A wide count touches the colon, as IPI0's on a busy Arm."""
    assert ((2768808080, 5), "Rescheduling interrupts") == parse_line(
        "IPI0:2768808080          5       Rescheduling interrupts", 2
    )
    assert ((18, 0), "IR-IO-APIC-edge      timer") == parse_line(
        "  0:         18          0  IR-IO-APIC-edge      timer", 2
    )
    assert ((3,), "") == parse_line("ERR:          3", 2)


@pytest.mark.parametrize("line", ["", "no colon 5", "RES:", "RES: 1 x", "RES: 1 2", "RES: 1 -2 3"])
def test_what_is_no_line(line: str) -> None:
    """Three CPUs have three counts."""
    with pytest.raises(ValueError, match="wants 3 counts"):
        parse_line(line, 3)


@pytest.mark.parametrize("line", ["", "CPU", "CPU0 5", "CPU0 CPUx", "0 1"])
def test_what_is_no_header(line: str) -> None:
    """Each column is a CPU's."""
    with pytest.raises(ValueError, match="no CPUs"):
        parse_header(line)


def test_the_first_look_shows_the_sums() -> None:
    """As other agents show them."""
    assert {"RES": 12, "ERR": 1} == look(Columns(), "CPU0 CPU1\nRES: 5 7 Rescheduling\nERR: 1")


def test_what_grows_is_added() -> None:
    """In one line, while another stays as it is."""
    columns = Columns()
    look(columns, "CPU0 CPU1\nRES: 5 7\nLOC: 1 1")

    assert {"RES": 15, "LOC": 2} == look(columns, "CPU0 CPU1\nRES: 6 9\nLOC: 1 1")


def test_a_column_that_wraps_goes_on() -> None:
    """From 2^32 - 10 to 20 within 15 s are 30 interrupts."""
    columns = Columns()
    look(columns, f"CPU0 CPU1\nRES: {TOP - 10} 7")

    assert {"RES": TOP + 27} == look(columns, "CPU0 CPU1\nRES: 20 7", 15.0)


def test_a_column_that_fell_began_anew() -> None:
    """From a million to 20 within 15 s is a driver that was loaded again, no wrap."""
    columns = Columns()
    look(columns, "CPU0 CPU1\n42: 1000000 7 nvme0q0")

    assert {"42": 1000027} == look(columns, "CPU0 CPU1\n42: 20 7 nvme0q0", 15.0)


def test_a_cpu_that_goes_takes_nothing_along() -> None:
    """What it counted stays in the sum, what the other counts is added."""
    columns = Columns()
    look(columns, "CPU0 CPU1\nRES: 5 1000")

    assert {"RES": 1006} == look(columns, "CPU0\nRES: 6")


def test_a_cpu_that_comes_brings_nothing_along() -> None:
    """Its column begins with what it had counted before it went; then it counts."""
    columns = Columns()
    look(columns, "CPU0\nRES: 5")

    assert {"RES": 6} == look(columns, "CPU0 CPU1\nRES: 6 1000")
    assert {"RES": 16} == look(columns, "CPU0 CPU1\nRES: 6 1010")


def test_columns_are_told_apart_by_their_cpus() -> None:
    """A line may look the same though its second column is of another CPU now."""
    columns = Columns()
    look(columns, "CPU0 CPU1\nRES: 5 70")
    look(columns, "CPU0 CPU2\nRES: 5 70")

    assert {"RES": 76} == look(columns, "CPU0 CPU2\nRES: 5 71")


def test_another_device_of_the_same_number_begins_anew() -> None:
    """What the first has counted is not the second's."""
    columns = Columns()
    look(columns, "CPU0 CPU1\n42: 5 7 PCI-MSI eth0")

    assert {"42": 3} == look(columns, "CPU0 CPU1\n42: 1 2 PCI-MSI nvme0q0")


def test_a_bad_line_spoils_no_count() -> None:
    """Nothing of that look is counted; the next goes on from the look before."""
    columns = Columns()
    look(columns, "CPU0 CPU1\nRES: 5 7\nLOC: 1 1")
    with pytest.raises(ValueError, match="wants 2 counts"):
        look(columns, "CPU0 CPU1\nRES: 6 7\nLOC: 1 1x")

    assert {"RES": 13, "LOC": 2} == look(columns, "CPU0 CPU1\nRES: 6 7\nLOC: 1 1")


@given(st.lists(st.tuples(st.integers(0, TOP - 1), st.integers(0, TOP - 1)), min_size=1))
def test_no_sum_ever_falls(readings: list[tuple[int, int]]) -> None:
    """Whatever two columns show, and however they wrap."""
    columns, before = Columns(), 0
    for number, (first, second) in enumerate(readings):
        total = look(columns, f"CPU0 CPU1\nRES: {first} {second}", 15.0 * number)["RES"]
        assert before <= total
        before = total


@given(st.lists(st.integers(0, TOP - 1), min_size=1, max_size=8), st.data())
def test_growth_is_what_each_has_grown(before: list[int], data: st.DataObject) -> None:
    """Wraps or not, as long as they are possible."""
    grown = [data.draw(st.integers(0, 10_000_000)) for _ in before]
    now = [(old + more) % TOP for old, more in zip(before, grown, strict=True)]

    assert sum(grown) == growth(before, now, 10_000_000)


@given(st.text(), st.sampled_from(["", "CPU0\n", "CPU0 CPU1\nRES: ", "CPU0 CPU1\nRES: 1 2\n"]))
def test_any_text(text: str, begin: str) -> None:
    """Whatever the text, a sum is not negative, or it is refused."""
    try:
        found = look(Columns(), begin + text)
    except ValueError:
        return
    assert all(total >= 0 for total in found.values())
