"""Who keeps a node's clock badly, or does not at all: one rule for each kind of fault."""

from collections.abc import Iterator

from exporters.check.time_chrony import chrony
from exporters.check.time_facts import ClockFacts
from exporters.check.time_fault import Fault, Rule
from exporters.check.time_ptp import phc2sys, ptp4l, servos
from exporters.check.time_steering import steering

_START = (
    "start chronyd with a server that the node can reach (or ptp4l and phc2sys where there is a"
    " grandmaster)"
)


def nobody(facts: ClockFacts) -> Iterator[Fault]:
    """Nothing follows a reference, and nothing that could is seen."""
    silent = not facts.chrony.answers and not facts.ptp4l.answers
    hidden = {"chrony", "ptp4l"} & facts.trouble.keys()
    if not silent or hidden or facts.daemons:
        return
    if not facts.kernel.answers:
        yield Fault(
            "node",
            "nothing tells of its clock, not even the kernel",
            "see tailsight check for the collector timex; a recording wants replay/adjtimex.json"
            " (docs/replay.md)",
        )
    elif facts.kernel.synchronized:
        yield Fault(
            "node",
            "the kernel's clock is kept by a program that does not tell how well",
            "use chronyd, which tells its error bound, and let the agent reach it"
            " (--chrony.address); in a container share the node's network and PID namespaces",
        )
    else:
        yield Fault("nobody", "nothing keeps this clock", _START)


_OTHERS = {
    "ntpd": ("ntpd", "see ntpq -pn: it has to reach a server"),
    "systemd-timesyn": ("systemd-timesyncd", "use chronyd, which tells its error bound"),
}


def others(facts: ClockFacts) -> Iterator[Fault]:
    """Only a program runs that is not asked itself."""
    if facts.chrony.answers or facts.ptp4l.answers:
        return
    for name, (who, fix) in _OTHERS.items():
        if not facts.runs(name):
            continue
        if not facts.kernel.synchronized:
            yield Fault(who, "it runs, and has not synchronised the clock", fix)
        elif name != "ntpd":
            yield Fault(who, "it has synchronised the clock, and tells no error bound", fix)


def two(facts: ClockFacts) -> Iterator[Fault]:
    """Several programs steer one clock against each other."""
    who = steering(facts)
    if len(who) > 1:
        advice = "stop all but one"
        if "phc2sys" in who:
            advice += "; timemaster runs both so that phc2sys feeds chronyd (-E ntpshm)"
        yield Fault(" and ".join(who), "all of them steer the system clock", advice, "spoils")


def leap(facts: ClockFacts) -> Iterator[Fault]:
    """A leap second comes."""
    if facts.leap:
        yield Fault(
            "node",
            f"a leap second comes at the end of this day (UTC): {facts.leap}",
            "spans around it are off by a second on nodes that step; smear on all or on none",
            "warns",
        )


RULES: tuple[Rule, ...] = (nobody, others, chrony, ptp4l, phc2sys, servos, two, leap)


def faults_of(facts: ClockFacts) -> list[Fault]:
    """Return everything that is wrong."""
    return [fault for rule in RULES for fault in rule(facts)]
