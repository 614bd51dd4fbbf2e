"""Names and label sets."""

import pytest

from exporters.core import Kind, Metric, Unit

HEAT = Metric("thermal_zone_temperature", Kind.GAUGE, Unit.CELSIUS, "Heat.", ("zone",))


@pytest.mark.parametrize(
    ("subject", "kind", "unit", "name"),
    [
        ("heat", Kind.GAUGE, Unit.CELSIUS, "tailsight_heat_celsius"),
        ("energy", Kind.COUNTER, Unit.JOULES, "tailsight_energy_joules_total"),
        ("events", Kind.COUNTER, Unit.NONE, "tailsight_events_total"),
        ("build", Kind.INFO, Unit.NONE, "tailsight_build_info"),
        ("wait", Kind.HISTOGRAM, Unit.SECONDS, "tailsight_wait_seconds"),
    ],
)
def test_name_is_derived(subject: str, kind: Kind, unit: Unit, name: str) -> None:
    """Namespace, subject, unit and suffix make the name, as Prometheus recommends."""
    assert name == Metric(subject, kind, unit, "Help.").name


@pytest.mark.parametrize("subject", ["Heat", "heat-x", "9heat", "heat__x", ""])
def test_refuses_other_than_snake_case(subject: str) -> None:
    """A name that Prometheus would not like cannot be made."""
    with pytest.raises(ValueError, match="snake_case"):
        Metric(subject, Kind.GAUGE, Unit.NONE, "Help.")


@pytest.mark.parametrize("text", ["no full stop", "two\nlines."])
def test_help_is_a_sentence(text: str) -> None:
    """Help is one sentence on one line."""
    with pytest.raises(ValueError, match="sentence"):
        Metric("heat", Kind.GAUGE, Unit.NONE, text)


def test_labels_must_be_those_of_the_metric() -> None:
    """A forgotten or invented label is an error of the programmer."""
    with pytest.raises(TypeError, match="zone"):
        HEAT.series(room="1")


def test_label_values_are_escaped() -> None:
    """Backslash, quote and line end are written as the text format wants them."""
    series = HEAT.series(zone='a\\b"c\nd')

    assert 'tailsight_thermal_zone_temperature_celsius{zone="a\\\\b\\"c\\nd"} ' == series.prefix


def test_series_without_labels_have_no_braces() -> None:
    """A family of one series is just its name."""
    assert "tailsight_x " == Metric("x", Kind.GAUGE, Unit.NONE, "Help.").series().prefix
