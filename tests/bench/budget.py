"""What tailsight may hold in memory with all its collectors on."""

from collections.abc import Iterator

from tests.bench.subject import Memory

RSS_MIB, ANONYMOUS_MIB = 32.0, 28.0

Verdict = tuple[str, str, bool]
"""A target, what was measured, and whether it holds."""


def within_budget(memory: Memory, where: str) -> Iterator[Verdict]:
    """Yield the targets for memory."""
    for what, limit, value in (
        ("resident", RSS_MIB, memory.rss),
        ("anonymous", ANONYMOUS_MIB, memory.anonymous),
    ):
        name = f"{what} memory at most {limit:.0f} MiB, {where}"
        yield name, f"{value:.1f} MiB", value <= limit
