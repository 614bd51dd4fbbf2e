"""Which hardware clock is ptp4l's, on nodes with several, or with software time stamps."""

from dataclasses import replace

import pytest

from exporters.check.time_facts import ClockFacts, Phc
from exporters.check.time_phc import hidden, kept
from tests.support.clock_facts import PTP

NOW = PTP.now
CARD = Phc("ptp0", "tai", 1e-7, 2e-7, "eth0")
# Drivers set a card's clock to the system clock's UTC once; it drifts from there.
FREE_CARD = Phc("ptp1", "utc", -0.8, 2e-7, "eth1")
STARTED_AT_0 = Phc("ptp2", "utc", -NOW, 2e-7, "eth2")
HYPERVISOR = Phc("ptp3", "utc", 1e-9, 1e-8)


def name(facts: ClockFacts) -> str:
    """Return the clock's name, or none."""
    clock = kept(facts)
    return "none" if clock is None else clock.clock


@pytest.mark.parametrize(
    ("phcs", "stamp", "expected"),
    [
        # A Sync of half a second ago by TAI, which is 37 s ahead of the system clock.
        ((CARD,), NOW + 36.5, "ptp0"),
        ((FREE_CARD, STARTED_AT_0, HYPERVISOR, CARD), NOW + 36.5, "ptp0"),
        # By a clock 20 ms off, which nobody copies: others are nearer, but have other times.
        ((HYPERVISOR, CARD._replace(offset=0.02)), NOW + 36.5, "ptp0"),
        ((FREE_CARD._replace(offset=1e-9), CARD._replace(offset=0.02)), NOW + 36.5, "ptp0"),
        # By the system clock's UTC: no card has that time.
        ((CARD, STARTED_AT_0), NOW - 0.5, "none"),
        # By UTC, which two show: the hypervisor's is no network card's.
        ((HYPERVISOR, FREE_CARD), NOW - 1.3, "ptp1"),
        # By nobody's time, as in a recording that is looked at later: the nearest.
        ((STARTED_AT_0, CARD), NOW - 86400, "ptp0"),
        ((CARD, FREE_CARD), None, "ptp0"),
        ((), NOW + 36.5, "none"),
    ],
)
def test_the_clock_that_stamped_the_last_sync(
    phcs: tuple[Phc, ...], stamp: float | None, expected: str
) -> None:
    """Its time is the stamp's, a moment later."""
    assert expected == name(replace(PTP, phcs=phcs, last_sync=stamp))


def test_ptp4l_that_was_told_to_stamp_in_software() -> None:
    """Then no card's clock counts, however near."""
    daemons = {"ptp4l": [("/usr/sbin/ptp4l", "-S", "-i", "eth0")]}
    facts = replace(PTP, phcs=(FREE_CARD,), last_sync=NOW - 1.3, daemons=daemons)

    assert "none" == name(facts)


@pytest.mark.parametrize(("stamp", "expected"), [(NOW + 36.5, True), (NOW - 0.5, False)])
def test_a_clock_that_cannot_be_read(stamp: float, expected: bool) -> None:  # noqa: FBT001  # a table
    """It is missed, unless the stamps are the system clock's."""
    trouble = {"ptp_clock": "/dev/ptp0: Permission denied"}

    assert expected == hidden(replace(PTP, phcs=(), last_sync=stamp, trouble=trouble))
