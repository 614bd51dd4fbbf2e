"""The verdict on a clock as people and machines get it."""

import json
from dataclasses import replace

import pytest

from exporters.check.time_facts import ClockFacts, Servo, Source
from exporters.check.time_units import duration
from exporters.check.time_words import as_json
from tests.support.clock_facts import CHRONY, FREE, PTP, text, verdict


def test_a_good_clock_in_words() -> None:
    """Parts, both verdicts with their numbers, and no fault."""
    facts = replace(CHRONY, root_dispersion=2.8e-4, root_delay=2e-4)

    assert (
        "This clock is off true time by at most 400 us.\n"
        "That is chrony's offset 20 us, root dispersion 280 us, half the root delay 100 us.\n"
        "\n"
        "Scrape interval 15 s: good. A sample's time is off by at most 400 us, where 1.5 s would"
        " do.\n"
        "Spans of 1 ms across nodes: good. Two nodes with such a clock differ by at most 800 us."
    ) == text(facts)


def test_a_clock_that_is_too_coarse_in_words() -> None:
    """10 ms of chrony are too much for spans of 1 ms: two nodes can differ by 20 ms."""
    facts = replace(CHRONY, chrony=Source(synchronized=True, bound=0.01))

    assert "Scrape interval 15 s: good." in text(facts)
    assert "Spans of 1 ms across nodes: NOT GOOD ENOUGH. Two nodes with such a clock can" in text(
        facts
    )
    assert "can differ by 20 ms: shorter spans have no order.\n\nAt fault\nchrony: " in text(facts)


def test_no_number_stands_for_what_is_not_known() -> None:
    """Neither in words nor in JSON."""
    facts = ClockFacts(kernel=FREE, daemons={})
    found = json.loads(as_json(verdict(facts)))

    assert text(facts).startswith("How far off this clock is, is not known.\n")
    assert (None, None, {}) == (found["bound_seconds"], found["reference"], found["parts"])
    assert None is found["span"]["apart_seconds"]
    assert (False, ["nobody"]) == (found["good"], [fault["who"] for fault in found["faults"]])


def test_json_of_a_good_clock() -> None:
    """All numbers are in seconds."""
    facts = replace(CHRONY, root_dispersion=2.8e-4, root_delay=2e-4)

    assert {
        "schema": 1,
        "good": True,
        "bound_seconds": 4e-4,
        "reference": "true time",
        "parts": {
            "chrony's offset": 2e-5,
            "root dispersion": 2.8e-4,
            "half the root delay": 1e-4,
        },
        "scrape_interval": {"seconds": 15.0, "good": True},
        "span": {"seconds": 1e-3, "good": True, "apart_seconds": 8e-4},
        "faults": [],
    } == json.loads(as_json(verdict(facts)))


def test_what_does_no_harm_is_worth_a_look() -> None:
    """A servo that has just jumped and a leap second are told, and the clock stays good."""
    facts = replace(PTP, servos=(Servo("phc2sys", "CLOCK_REALTIME", "jump"),), leap="insert")

    assert verdict(facts).good
    assert "\n\nWorth a look\nphc2sys: its servo of CLOCK_REALTIME is not locked" in text(facts)
    assert "node: a leap second comes at the end of this day (UTC): insert\n  fix: " in text(facts)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (15.0, "15 s"), (3600.0, "3600 s"), (0.0015, "1.5 ms"), (8.5e-5, "85 us"), (3e-7, "300 ns"),
        (0.0, "0 ns"), (-0.02, "-20 ms"), (0.0009999, "1 ms"), (999.9, "1000 s"), (2e-10, "0.2 ns"),
    ],
)  # fmt: skip
def test_lengths_of_time(seconds: float, words: str) -> None:
    """In the unit that suits them."""
    assert words == duration(seconds)
