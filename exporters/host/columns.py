"""
Sums over the columns of ``/proc/interrupts`` and ``/proc/softirqs``, which are one CPU each.

The kernel counts each in 32 bits (``kstat_irqs``, ``softirqs[]``), which a busy CPU fills within
hours, and shows only CPUs that are online. The sums here go on where a column wraps, comes or
goes. Most lines stay as they are from one look to the next and are not parsed again, since a
machine of 64 CPUs shows some 30,000 numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import le

_WRAPS_AT = 2**32
_FASTEST = 1e6
"""More interrupts than a CPU can take in a second: a wrap explains no greater growth."""
_MOST_DIGITS = 20

Counts = Sequence[int]


@dataclass(frozen=True, slots=True)
class Row:
    """One line."""

    line: str
    counts: Counts
    """By CPU; only one where the kernel does not tell them apart."""
    about: str
    """What stands behind the counts."""
    total: int
    """The sum over all CPUs, also of what those have counted that went offline since."""


def parse_header(line: str) -> tuple[str, ...]:
    """
    Return the CPUs that have a column.

    Raises:
        ValueError: it is no header.
    """
    cpus = tuple(line.split())
    numbers = [cpu.removeprefix("CPU") for cpu in cpus]
    if not (_are_counts(numbers) and all(cpu.startswith("CPU") for cpu in cpus)):
        msg = f"no CPUs: {line[:80]!r}"
        raise ValueError(msg)
    return cpus


def parse_line(line: str, columns: int) -> tuple[Counts, str]:
    """
    Return the counts of a line behind its name and colon, and what stands behind them.

    Raises:
        ValueError: there are not as many counts as columns, nor a single one.
    """
    words = line.partition(":")[2].split(None, columns)
    about = words.pop().strip() if len(words) > columns else ""
    if not (len(words) in {1, columns} and _are_counts(words)):
        msg = f"wants {columns} counts: {line[:80]!r}"
        raise ValueError(msg)
    return tuple(map(int, words)), about


def _are_counts(words: Sequence[str]) -> bool:
    digits = "".join(words)
    return digits.isdecimal() and digits.isascii() and max(map(len, words)) <= _MOST_DIGITS


def growth(before: Counts, now: Counts, most: float) -> int:
    """
    Return what all columns together have grown by.

    Args:
        before: the counts at the look before.
        now: the counts of the same CPUs.
        most: what one of them can have grown by; a fall is a wrap if that explains it, else the
            counter began anew, as when a driver was loaded again.
    """
    if all(map(le, before, now)):
        return sum(now) - sum(before)
    return sum(_step(old, new, most) for old, new in zip(before, now, strict=True))


def _step(old: int, new: int, most: float) -> int:
    wrapped = _WRAPS_AT + new - old
    if new >= old:
        return new - old
    return wrapped if 0 <= wrapped <= most else new


class Columns:
    """The sums of one file, and what it takes to go on with them."""

    def __init__(self) -> None:
        self._cpus: tuple[str, ...] = ()
        self._rows: Mapping[str, Row] = {}
        self._seconds = 0.0

    def look(self, text: str, seconds: float) -> Mapping[str, Row]:
        """
        Return the lines by their names; each starts with the sum of its columns as they stand.

        Args:
            text: the file.
            seconds: a clock's reading, which only grows.

        Raises:
            ValueError: it is not what the kernel prints; nothing of it is counted then.
        """
        header, *lines = text.split("\n")
        cpus = parse_header(header)
        most = _FASTEST * (seconds - self._seconds)
        rows = {}
        for line in lines:
            name = line[: line.find(":")].strip()
            row = self._rows.get(name)
            if row is None or row.line != line:
                row = self._next(row, line, cpus, most)
            rows[name] = row
        self._cpus, self._rows, self._seconds = cpus, rows, seconds
        return rows

    def _next(self, last: Row | None, line: str, cpus: tuple[str, ...], most: float) -> Row:
        counts, about = parse_line(line, len(cpus))
        if last is None or last.about != about:
            return Row(line, counts, about, sum(counts))
        before = last.counts
        if cpus != self._cpus or len(before) != len(counts):
            known = dict(zip(self._cpus, before, strict=False))
            # A CPU that has come brings counts along from when it was online before.
            before = [known.get(cpu, new) for cpu, new in zip(cpus, counts, strict=False)]
        return Row(line, counts, about, last.total + growth(before, counts, most))
