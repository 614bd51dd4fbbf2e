"""
Why an Intel GPU is slowed: the reasons that i915 and xe give, in the words of all throttling.

The drivers show a level. What begins and ends between two scrapes goes unseen, so the beginnings
that were seen are a lower bound. ``status`` alone says nothing: it is the sum of the reasons.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from exporters.core import Root, Sample, Series
from exporters.hardware import throttle
from exporters.hardware.gpu_sleep import Sleep
from exporters.hardware.numbers import whole

# https://docs.kernel.org/gpu/xe/xe_gt_freq.html names them. RATL is the running average thermal
# limit, VR the voltage regulator, TDC its thermal design current. What is not here, such as a
# reason that a later kernel adds, is its own cause.
CAUSES = {
    "pl1": "power",
    "pl2": "power",
    "pl4": "power",
    "psys_pl1": "power",
    "psys_pl2": "power",
    "psys_crit": "power",
    "thermal": "thermal",
    "soc_thermal": "thermal",
    "soc_avg_thermal": "thermal",
    "mem_thermal": "thermal",
    "vr_thermal": "thermal",
    "vr_thermalert": "thermal",
    "ratl": "thermal",
    "prochot": "prochot",
    "iccmax": "over_current",
    "vr_tdc": "over_current",
}

_flag = whole(0, 1)


class Beginnings:
    """How often each reason was seen to begin; one that is there at first sight did not."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[bool, int]] = {}

    def __call__(self, key: str, *, active: bool) -> int:
        """Return the beginnings so far, this sight included."""
        before, count = self._seen.get(key, (active, 0))
        count += int(active and not before)
        self._seen[key] = active, count
        return count


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason of one GT, with its series."""

    key: str
    """Names it for as long as its device stays in its slot."""
    active: Series
    observed: Series


def make_reason(source: str, key: str, device: str, name: str) -> Reason:
    """Return a reason of a GT that ``device`` names, such as card0/gt0."""
    labels = {
        "domain": "gpu",
        "cause": CAUSES.get(name, name),
        "source": source,
        "device": f"{device}/{name}",
    }
    active, observed = throttle.ACTIVE.series(**labels), throttle.OBSERVED.series(**labels)
    return Reason(f"{key}/{name}", active, observed)


def parse_flag(name: str) -> Callable[[str], Collection[str]]:
    """Return a parser of a file for one reason, 0 or 1, that gives the reasons that it names."""
    return lambda text: (name,) if _flag(text) else ()


def parse_reasons(text: str) -> Collection[str]:
    """
    Return the reasons in xe's list of them; none for ``none``.

    Raises:
        ValueError: it is no list of names.
    """
    names = text.split()
    if not names or not all(name.replace("_", "").isalnum() and name.isascii() for name in names):
        msg = f"not a list of reasons: {text[:40]!r}"
        raise ValueError(msg)
    return () if names == ["none"] else frozenset(names)


@dataclass(frozen=True, slots=True)
class Reasons:
    """A file that tells of some reasons, and what it has told so far."""

    where: str
    parse: Callable[[str], Collection[str]]
    reasons: Mapping[str, Reason]
    sleep: Sleep
    beginnings: Beginnings

    def read(self, root: Root) -> Sequence[Sample]:
        """Read it; a GPU that sleeps is not slowed, and what was counted stays."""
        active = () if self.sleep.asleep else self.parse(root.read(self.where))
        samples: list[Sample] = []
        for name, reason in self.reasons.items():
            on = name in active
            if not self.sleep.asleep:
                samples.append(Sample(reason.active, int(on)))
            samples.append(Sample(reason.observed, self.beginnings(reason.key, active=on)))
        return samples
