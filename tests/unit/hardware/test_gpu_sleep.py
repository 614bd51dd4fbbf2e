"""A GPU that sleeps is left alone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.core import Root
from exporters.hardware.gpu_sleep import STATUSES, SUSPENDED, Sleep, parse_status

MakeTree = Callable[[dict[str, str | bytes]], Path]
WHERE = "sys/power/runtime_status"


@pytest.mark.parametrize(
    ("text", "asleep"),
    [
        ("active", False),
        ("resuming", False),
        ("suspending", True),
        ("suspended", True),
        ("unsupported", False),
        ("error", False),
    ],
)
def test_the_kernels_words(text: str, asleep: bool) -> None:  # noqa: FBT001  # a table of cases
    """The statuses of Documentation/ABI/testing/sysfs-devices-power."""
    assert asleep is parse_status(text)


def test_a_status_that_cannot_be_read_counts_as_awake(make_tree: MakeTree) -> None:
    """One that slept before is read again: the failure must not hide its sensors for ever."""
    root = Root(str(make_tree({WHERE: "suspended\n"})))
    sleep = Sleep(SUSPENDED.series(gpu="card0", device="d"), WHERE)
    sleep.read(root)
    slept = sleep.asleep
    make_tree({WHERE: "garbage\n"})
    with pytest.raises(ValueError, match="not a runtime status"):
        sleep.read(root)

    assert (True, False) == (slept, sleep.asleep)


@given(st.text())
def test_any_text_is_a_status_or_refused(text: str) -> None:
    """Any input is one of six words, or ValueError."""
    try:
        parse_status(text)
    except ValueError:
        assert text not in STATUSES
