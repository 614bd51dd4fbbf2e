"""What is written is read back the same by the parsers of others."""

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as parse_openmetrics,
)
from prometheus_client.parser import text_string_to_metric_families as parse_text

from exporters.core import Kind, Metric, Sample, Unit
from exporters.core.exposition import CHUNK, render
from exporters.core.histogram import HistogramValue

HEAT = Metric("heat", Kind.GAUGE, Unit.CELSIUS, "Heat with a \\ in its help.", ("a", "b"))
ENERGY = Metric("energy", Kind.COUNTER, Unit.JOULES, "Energy.", ("a",))
WAIT = Metric("wait", Kind.HISTOGRAM, Unit.SECONDS, "Waits.", ("a",))
BUILD = Metric("build", Kind.INFO, Unit.NONE, "Build.", ("version",))

label_values = st.text(st.characters(codec="utf-8"), max_size=20)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53)


def text(samples: list[Sample], *, openmetrics: bool = False) -> str:
    """Return an exposition as text."""
    return b"".join(render(samples, openmetrics=openmetrics)).decode()


@given(st.dictionaries(st.tuples(label_values, label_values), numbers, max_size=5))
def test_text_comes_back_the_same(readings: dict[tuple[str, str], float]) -> None:
    """Any label text and any finite number survive prometheus-client's parser."""
    samples = [HEAT.sample(value, a=a, b=b) for (a, b), value in readings.items()]

    found = {
        (sample.labels["a"], sample.labels["b"]): sample.value
        for family in parse_text(text(samples))
        for sample in family.samples
    }

    assert readings == found


@given(label_values, numbers)
def test_openmetrics_comes_back_the_same(label: str, value: float) -> None:
    """The stricter parser agrees, and sees type, unit and help."""
    exposition = text([HEAT.sample(value, a=label, b="")], openmetrics=True)
    (family,) = parse_openmetrics(exposition)

    assert ("gauge", "celsius", HEAT.help) == (family.type, family.unit, family.documentation)
    assert [value] == [sample.value for sample in family.samples]


def test_kinds_in_openmetrics() -> None:
    """Counters and infos have family names without their suffix, histograms all their parts."""
    value = HistogramValue((0.1, 1.0), (2, 1, 1), 3.5)
    exposition = text(
        [ENERGY.sample(5, a="x"), BUILD.sample(1, version="1"), WAIT.sample(value, a="x")],
        openmetrics=True,
    )
    families = {family.name: family for family in parse_openmetrics(exposition)}

    assert {
        "tailsight_energy_joules": "counter",
        "tailsight_build": "info",
        "tailsight_wait_seconds": "histogram",
    } == {name: family.type for name, family in families.items()}
    assert {
        ("_bucket", "0.1"): 2.0, ("_bucket", "1.0"): 3.0, ("_bucket", "+Inf"): 4.0,
        ("_sum", ""): 3.5, ("_count", ""): 4.0,
    } == {
        (sample.name.removeprefix("tailsight_wait_seconds"), sample.labels.get("le", "")):
        sample.value for sample in families["tailsight_wait_seconds"].samples
    }  # fmt: skip


def test_order_does_not_depend_on_the_order_of_samples() -> None:
    """The same samples in another order are the same bytes."""
    samples = [HEAT.sample(1, a="2", b=""), ENERGY.sample(2, a=""), HEAT.sample(3, a="1", b="")]

    assert text(samples) == text(samples[::-1])


def test_families_are_written_once_however_many_chunks() -> None:
    """Large families come in several chunks with one head."""
    samples = [HEAT.sample(number, a=f"{number:06}", b="") for number in range(3 * CHUNK)]

    chunks = list(render(samples))

    assert len(chunks) >= 3
    assert 1 == b"".join(chunks).count(b"# TYPE")
    assert 3 * CHUNK + 2 == b"".join(chunks).count(b"\n")


def test_nothing_is_an_exposition_too() -> None:
    """No samples give an empty text, and the end mark of OpenMetrics."""
    assert ("", "# EOF\n") == (text([]), text([], openmetrics=True))


def test_a_name_that_is_no_text_costs_no_scrape() -> None:
    """The name of a file may hold any bytes; as a label it shows what can be shown."""
    samples = [HEAT.sample(1, a=b"\xff.gpu".decode(errors="surrogateescape"), b="")]

    assert '{a="?.gpu",b=""} 1\n' in text(samples)
