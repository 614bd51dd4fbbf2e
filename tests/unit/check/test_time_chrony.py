"""What chronyd is blamed for, by its own word."""

from dataclasses import replace

import pytest

from exporters.check.daemons import Daemons
from exporters.check.time_facts import ClockFacts, Source
from tests.support.clock_facts import CHRONY, FREE, blamed, reasons, verdict


@pytest.mark.parametrize(
    ("reference", "sources", "words"),
    [
        ("", {"online": 3, "offline": 1, "unresolved": 1}, "no reference that it follows"),
        ("", {"online": 0, "burst_online": 1, "offline": 1}, "no reference that it follows"),
        ("", {"online": 0, "unresolved": 4}, "cannot find the addresses of its servers (4)"),
        ("", {"online": 0, "offline": 2}, "told that its servers cannot be reached (2 offline)"),
        ("", {"online": 0, "offline": 0}, "no NTP server, and no reference clock"),
        ("", {}, "no reference that it follows"),
        ("local", {"online": 1}, "but its own clock (local)"),
    ],
)
def test_chronyd_has_no_reference(reference: str, sources: dict[str, int], words: str) -> None:
    """It answers, and follows nothing: what it says of its sources is why."""
    facts = replace(CHRONY, kernel=FREE, chrony=FREE, reference=reference, ntp_sources=sources)

    assert ["chrony"] == blamed(facts)
    assert words in reasons(facts)
    assert verdict(facts).bound is None


def test_chronyd_runs_and_does_not_answer() -> None:
    """The kernel has chronyd's word, 2 ms: good for the interval; the report says what to mend."""
    facts = ClockFacts(
        kernel=Source(synchronized=True, bound=2e-3),
        daemons={"chronyd": [("chronyd",)]},
        trouble={"chrony": "127.0.0.1:323: no answer"},
    )
    found = verdict(facts)

    assert ["chrony", "node"] == blamed(facts)
    assert "127.0.0.1:323: no answer" == found.faults[0].reason
    assert (True, False) == (found.interval_ok, found.span_ok)


def test_chronyd_only_looks() -> None:
    """With -x it knows the time, and nobody sets the clock by it: good now, but worth a look."""
    facts = replace(CHRONY, daemons={"chronyd": [("chronyd", "-d", "-x")]})

    assert ["chrony"] == blamed(facts)
    assert "does not set it (-x)" in reasons(facts)
    assert verdict(facts).good


def test_chronyd_looks_at_what_another_keeps() -> None:
    """With -x beside phc2sys it is there for its bound: nothing is wrong."""
    daemons: Daemons = {"chronyd": [("chronyd", "-x")], "phc2sys": [("phc2sys", "-a", "-r")]}

    assert [] == blamed(replace(CHRONY, daemons=daemons))


@pytest.mark.parametrize(
    ("reachable", "selection", "words"),
    [
        (0, {"unselectable": 2}, "none of chronyd's servers answers (asked: 2)"),
        (2, {"falseticker": 2}, "contradict each other (2 are falsetickers)"),
        (2, {"unselectable": 2}, "answer (2), but it can use none of them yet"),
    ],
)
def test_chronyd_has_servers_and_follows_none(
    reachable: int, selection: dict[str, int], words: str
) -> None:
    """What it makes of each says why."""
    facts = replace(
        CHRONY, chrony=FREE, ntp_sources={"online": 2}, reachable=reachable, selection=selection
    )

    assert words in reasons(facts)


def test_chronyd_has_a_reference_clock_alone() -> None:
    """It is no NTP source, and gives samples that do not suffice."""
    selection = {"unselectable": 1}
    facts = replace(CHRONY, chrony=FREE, ntp_sources={"online": 0}, reachable=1)

    assert "answer (1), but it can use none of them yet" in reasons(
        replace(facts, selection=selection)
    )


def test_chronyd_whose_servers_fall_silent() -> None:
    """The bound holds, and grows: worth a look before it is too large."""
    facts = replace(CHRONY, reachable=0)

    assert "none of chronyd's sources answers any more" in reasons(facts)
    assert verdict(facts).good
    assert [] == blamed(replace(CHRONY, reachable=1))
