"""The text of a PSI file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.host.psi import parse_pressure

SOME = "some avg10=0.18 avg60=0.34 avg300=0.10 total=159886802"
FULL = "full avg10=0.18 avg60=0.34 avg300=0.10 total=159229614"


def test_both_lines() -> None:
    """Totals are microseconds (the kernel's page on PSI)."""
    assert {"some": 159.886802, "full": 159.229614} == parse_pressure(f"{SOME}\n{FULL}\n")


@pytest.mark.parametrize(("text", "kind"), [(SOME, "some"), (FULL, "full")])
def test_one_line(text: str, kind: str) -> None:
    """Old kernels have no full for the CPU, and interrupts have nothing else."""
    assert [kind] == list(parse_pressure(text))


@pytest.mark.parametrize(
    "text",
    ["", SOME[:-9], SOME + "x", SOME.replace("=1", "=-1"), f"{SOME}\n{SOME}", f"{SOME}\n\n{FULL}"],
)
def test_what_is_no_pressure(text: str) -> None:
    """A line that was cut, twice the same one, or none, is no reading."""
    with pytest.raises(ValueError, match=r"pressure|one line each"):
        parse_pressure(text)


@given(st.text() | st.from_regex(r"(some|full) avg10=\d+ total=\d+", fullmatch=True))
def test_any_text(text: str) -> None:
    """Whatever the text, times are not negative, or it is refused."""
    try:
        found = parse_pressure(text)
    except ValueError:
        return
    assert found.keys() <= {"some", "full"}
    assert all(value >= 0 for value in found.values())


@given(st.integers(0, 2**63), st.integers(0, 2**63))
def test_any_totals(some: int, full: int) -> None:
    """What the kernel prints is read back to the microsecond."""
    averages = "avg10=0.00 avg60=12.34 avg300=100.00"
    found = parse_pressure(f"some {averages} total={some}\nfull {averages} total={full}\n")

    assert {"some": some / 1e6, "full": full / 1e6} == found
