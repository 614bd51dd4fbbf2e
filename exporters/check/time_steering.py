"""
Which programs set the system clock, by their command lines.

The options are those of chronyd(8), ptp4l(8) and phc2sys(8). What a configuration file says is
not known; it rarely has these.
"""

from collections.abc import Iterator, Mapping, Sequence
from getopt import GetoptError, getopt

from exporters.check.daemons import Arguments
from exporters.check.time_facts import ClockFacts

_OPTIONS = {
    "chronyd": "46df:F:hl:L:mnpP:qQrRst:u:Uvx",
    "phc2sys": "arc:d:f:s:E:P:I:S:F:R:N:O:L:M:i:u:wn:xz:l:t:mqvh",
    "ptp4l": "AEP246HSLf:i:p:sl:mqvh",
}
_SYSTEM_CLOCK = "CLOCK_REALTIME"
_ALWAYS = ("ntpd", "systemd-timesyn")


def steering(facts: ClockFacts) -> list[str]:
    """
    Return the programs that set the system clock, as they are called.

    Of those that cannot be seen, as from a container, two give themselves away: phc2sys by its log,
    and chronyd by being synchronised.
    """
    return sorted({*_seen(facts), *_unseen(facts)})


def _seen(facts: ClockFacts) -> Iterator[str]:
    for name, processes in (facts.daemons or {}).items():
        if any(steers(name, arguments) for arguments in processes):
            yield {"chronyd": "chrony", "systemd-timesyn": "systemd-timesyncd"}.get(name, name)


def _unseen(facts: ClockFacts) -> Iterator[str]:
    if not facts.runs("chronyd") and facts.chrony.synchronized:
        yield "chrony"
    locked = (one for one in facts.servos if one.state in {"locked", "locked_stable"})
    if not facts.runs("phc2sys") and ("phc2sys", _SYSTEM_CLOCK) in {one[:2] for one in locked}:
        yield "phc2sys"


def steers(name: str, arguments: Arguments) -> bool:
    """Whether a program sets the system clock, called so; not where that cannot be understood."""
    if name in _ALWAYS:
        return True
    given = flags(name, arguments)
    if given is None or feeds(arguments):
        return False
    if name == "chronyd":
        return not {"-x", "-Q"} & given.keys()
    if name == "phc2sys":
        return "-r" in given if "-a" in given else given.get("-c", _SYSTEM_CLOCK) == _SYSTEM_CLOCK
    # With software time stamps it is the system clock that it keeps; a file may say otherwise.
    return "-S" in given and "-f" not in given


def flags(name: str, arguments: Arguments) -> Mapping[str, str] | None:
    """Return a program's options with their values; None where they cannot be understood."""
    if name not in _OPTIONS:
        return None
    try:
        return dict(getopt(_short(arguments[1:]), _OPTIONS[name])[0])
    except GetoptError:
        return None


def feeds(arguments: Arguments) -> bool:
    """Whether a program of linuxptp hands its offsets to chronyd or ntpd and steers nothing."""
    return any("ntpshm" in word or word.startswith("--free_running") for word in arguments)


def _short(words: Sequence[str]) -> list[str]:
    """Leave out linuxptp's long options, ``--name value`` or ``--name=value``."""
    kept, rest = [], iter(words)
    for word in rest:
        if not word.startswith("--"):
            kept.append(word)
        elif "=" not in word:
            next(rest, None)
    return kept
