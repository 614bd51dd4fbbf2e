"""The hardware clock of a network card, read through its driver."""

import pytest

from tests.lab.guest_devices import TAI_SECONDS
from tests.lab.incidents import Incidents

pytestmark = pytest.mark.lab


def test_offset(incidents: Incidents) -> None:
    """It is ahead of the system clock by what clock_gettime(2) says just before and after."""
    look = incidents.quiet
    value = look.one("tailsight_ptp_clock_offset_seconds", clock="ptp0", timescale="unknown")
    low, high = look.said("phc", "seconds")
    assert low <= value <= high


def test_offset_in_tai(incidents: Incidents) -> None:
    """Once the kernel knows TAI, a clock that is closer to it is compared with it."""
    look = incidents.end
    value = look.one("tailsight_ptp_clock_offset_seconds", clock="ptp0", timescale="tai")
    low, high = look.said("phc", "seconds")
    assert low <= value + TAI_SECONDS <= high


def test_uncertainty(incidents: Incidents) -> None:
    """The clocks were read within a window that is there, and shorter than a millisecond."""
    value = incidents.end.one("tailsight_ptp_clock_offset_uncertainty_seconds", clock="ptp0")
    assert 0 < value < 1e-3
