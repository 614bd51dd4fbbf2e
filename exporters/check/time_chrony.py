"""What is wrong with chronyd, by its own word."""

from collections.abc import Iterator

from exporters.check.time_facts import ClockFacts
from exporters.check.time_fault import Fault
from exporters.check.time_steering import flags, steering

_OPEN = (
    "let UDP port 123 through to its servers; chronyc -n sources has Reach above 0 for who answers"
)


def chrony(facts: ClockFacts) -> Iterator[Fault]:
    """Say why chronyd is silent, follows nothing, or does nothing."""
    if facts.chrony.synchronized:
        yield from _only_looks(facts)
        yield from _all_silent(facts)
    elif facts.chrony.answers:
        yield Fault("chrony", *_unreferenced(facts))
    elif facts.runs("chronyd") or "chrony" in facts.trouble:
        yield Fault(
            "chrony",
            facts.trouble.get("chrony", "chronyd runs, but nobody answers at --chrony.address"),
            "let the agent reach chronyd's command port (cmdport, bindcmdaddress) or its socket",
        )


def _unreferenced(facts: ClockFacts) -> tuple[str, str]:
    """Return why it has no reference, and what to do."""
    counts = facts.ntp_sources
    asked = sum(counts.get(state, 0) for state in ("online", "burst_online", "burst_offline"))
    if facts.reference == "local":
        return "chronyd has no reference but its own clock (local)", _OPEN
    if not asked and counts.get("unresolved"):
        return (
            f"chronyd cannot find the addresses of its servers ({counts['unresolved']})",
            "check the names in chrony.conf, and DNS on this node",
        )
    if not asked and counts.get("offline"):
        return (
            f"chronyd was told that its servers cannot be reached ({counts['offline']} offline)",
            "chronyc online; see what sets them offline (NetworkManager's dispatcher, ifupdown)",
        )
    if counts and not asked and not facts.reachable:
        return (
            "chronyd has no NTP server, and no reference clock that gives time",
            "name one in chrony.conf (server, pool, refclock)",
        )
    return _unusable(facts, asked)


def _unusable(facts: ClockFacts, asked: int) -> tuple[str, str]:
    """Return what is wrong with sources that are asked."""
    if facts.reachable == 0:
        return f"none of chronyd's servers answers (asked: {asked})", _OPEN
    if false := facts.selection.get("falseticker"):
        return (
            f"chronyd's sources contradict each other ({false} are falsetickers)",
            "name three servers or more, or mark the one to believe (trust)",
        )
    if facts.reachable:
        return (
            f"chronyd's sources answer ({facts.reachable}), but it can use none of them yet",
            "wait; chronyc selectdata tells why (not synchronised themselves, too few samples)",
        )
    return "chronyd has no reference that it follows", _OPEN


def _all_silent(facts: ClockFacts) -> Iterator[Fault]:
    """Tell that nobody answers any more, though chronyd goes on with what it knows."""
    if facts.reachable == 0:
        yield Fault(
            "chrony", "none of chronyd's sources answers any more: its bound grows", _OPEN, "warns"
        )


def _only_looks(facts: ClockFacts) -> Iterator[Fault]:
    """Tell that chronyd knows the time and nobody sets the clock by it (``-x``)."""
    processes = (facts.daemons or {}).get("chronyd", ())
    looks = any("-x" in (flags("chronyd", arguments) or {}) for arguments in processes)
    if looks and not steering(facts):
        yield Fault(
            "chrony",
            "chronyd only measures the clock and does not set it (-x), and nobody else does",
            "run it without -x: in a container it needs CAP_SYS_TIME",
            "warns",
        )
