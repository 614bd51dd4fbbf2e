"""tailsight: why P99 latency spiked, seen from the edge node itself."""

__version__ = "0.1.0"
