"""Reasons for throttling, and how often they were seen to begin."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.hardware.gpu_throttle import Beginnings, make_reason, parse_flag, parse_reasons


def test_only_a_rising_edge_is_a_beginning() -> None:
    """On at first sight is no beginning; off, on, on, off, on are two."""
    beginnings = Beginnings()
    levels = (True, False, True, True, False, True)

    assert [0, 0, 1, 1, 1, 2] == [beginnings("a", active=level) for level in levels]


def test_reasons_do_not_mix() -> None:
    """Each reason of each GT is counted by itself."""
    beginnings = Beginnings()
    for level in (False, True):
        beginnings("a", active=level)

    assert (0, 1) == (beginnings("b", active=True), beginnings("a", active=True))


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("pl1", "power"),
        ("thermal", "thermal"),
        ("vr_tdc", "over_current"),
        ("prochot", "prochot"),
        ("of_a_later_kernel", "of_a_later_kernel"),
    ],
)
def test_causes(name: str, cause: str) -> None:
    """Known reasons get the common word; unknown ones keep their own. The raw one stays."""
    reason = make_reason("xe", "slot/gt0", "card0/gt0", name)

    assert ("gpu", cause, "xe", f"card0/gt0/{name}") == reason.active.values


@pytest.mark.parametrize(
    ("text", "reasons"),
    [("none", set()), ("pl1", {"pl1"}), ("soc_thermal psys_pl1", {"soc_thermal", "psys_pl1"})],
)
def test_lists_of_reasons(text: str, reasons: set[str]) -> None:
    """Names with spaces between, or "none" (docs.kernel.org/gpu/xe/xe_gt_freq.html)."""
    assert reasons == set(parse_reasons(text))


@given(st.text())
def test_any_text_is_reasons_or_refused(text: str) -> None:
    """Any input gives names, or ValueError; a flag is 0 or 1."""
    for parse in (parse_reasons, parse_flag("pl1")):
        try:
            names = parse(text)
        except ValueError:
            continue
        assert all(name.replace("_", "").isalnum() for name in names)
