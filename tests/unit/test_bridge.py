"""Tailsight inside a program that has a prometheus-client registry."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families as parse

from exporters.bridge import Bridge
from exporters.config.settings import Settings
from exporters.core.exposition import render
from exporters.wiring import assemble
from tests.support.boards import board_root


def samples(text: str) -> Iterator[tuple[str, tuple[tuple[str, str], ...], float]]:
    """Yield what a scrape says, without what differs at every scrape."""
    for family in parse(text):
        for sample in family.samples:
            if "_duration_seconds" not in sample.name:
                yield sample.name, tuple(sorted(sample.labels.items())), sample.value


def test_a_registry_shows_what_the_agent_shows() -> None:
    """Through prometheus-client's own renderer come the same series with the same values."""
    settings = Settings(root=str(board_root("nuc13-i915")))
    with assemble(settings, {}) as agent:
        registry = CollectorRegistry()
        registry.register(Bridge(agent))
        theirs = generate_latest(registry).decode()
        assert agent.last is not None
        ours = b"".join(render(agent.last.samples)).decode()

    assert sorted(samples(ours)) == sorted(samples(theirs))
    assert len(list(samples(ours))) > 100


def test_to_register_reads_no_sensor() -> None:
    """Registering costs nothing; only a scrape reads."""
    with assemble(Settings(root=str(board_root("nuc13-i915"))), {}) as agent:
        CollectorRegistry().register(Bridge(agent))

        assert agent.last is None
