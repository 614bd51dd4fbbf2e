"""
The text of a PSI file, be it one of ``/proc/pressure`` or a control group's ``*.pressure``.

https://docs.kernel.org/accounting/psi.html
"""

import re

# The kernel prints only lines such as "some avg10=0.00 avg60=0.00 avg300=0.00 total=0".
_LINE = re.compile(
    r"(?a:(some|full) avg10=\d+\.\d+ avg60=\d+\.\d+ avg300=\d+\.\d+ total=(\d{1,20}))"
)
_MICROSECONDS = 1e6


def parse_pressure(text: str) -> dict[str, float]:
    """
    Return the seconds that tasks have lost in all, by ``some`` and ``full``.

    Either may be missing: ``full`` of the CPU before Linux 5.13, ``some`` of interrupts always.

    Raises:
        ValueError: it is not what the kernel prints.
    """
    lines = text.splitlines()
    found = {}
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None:
            msg = f"no line of pressure stall information: {line[:80]!r}"
            raise ValueError(msg)
        found[match[1]] = int(match[2]) / _MICROSECONDS
    if not found or len(found) != len(lines):
        msg = f"wants one line each of some and full, got {text[:80]!r}"
        raise ValueError(msg)
    return found
