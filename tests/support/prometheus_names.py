"""
How OpenTelemetry names become Prometheus names, written from the specification.

https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/
What the specification leaves open is as translators do it: a unit is not appended where the
name holds its word anywhere, ``_total`` moves to the end, unit 1 is ``_ratio`` on gauges only.
"""

import re

WORDS = {
    "A": "amperes", "By": "bytes", "Cel": "celsius", "Hz": "hertz", "J": "joules",
    "s": "seconds", "V": "volts", "W": "watts", "1": "",
}  # fmt: skip
PER = {"s": "per_second"}


def prometheus_name(name: str, unit: str, kind: str) -> str:
    """Return the Prometheus name; kind is gauge, sum (monotonic) or histogram."""
    words = [word for word in re.split(r"[^a-zA-Z0-9:]+", name) if word]
    numerator, _, denominator = unit.partition("/")
    for word in (word_of(numerator, WORDS), word_of(denominator, PER)):
        if word and word not in words:
            words.append(word)
    if kind == "sum":
        words = [word for word in words if word != "total"] + ["total"]
    if unit == "1" and kind == "gauge":
        words = [word for word in words if word != "ratio"] + ["ratio"]
    return "_".join(words)


def word_of(unit: str, known: dict[str, str]) -> str:
    """Return a unit's word; none for one in braces, itself for one that is not known."""
    return "" if set("{}") & set(unit) else known.get(unit, unit)


def label_name(attribute: str) -> str:
    """Return the label that an attribute becomes."""
    return re.sub(r"_+", "_", re.sub(r"[^a-zA-Z0-9_]", "_", attribute))
