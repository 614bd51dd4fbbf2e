"""eBPF probes: empty for now, see docs/adr."""
