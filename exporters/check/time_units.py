"""Lengths of time for people."""

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
_MOST_DIGITS = 1000


def duration(seconds: float) -> str:
    """Return a length of time in the unit that suits it, with three digits."""
    size = float(f"{abs(seconds):.3g}")
    if size >= _MOST_DIGITS:
        return f"{seconds:.0f} s"
    factor, unit = next((pair for pair in _UNITS if size >= pair[0]), _UNITS[-1])
    return f"{seconds / factor:.3g} {unit}"
