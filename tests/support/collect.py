"""Runs one collector on a root, as the agent would."""

from exporters.core import Collector, Root
from exporters.core.runner import run as run_task
from exporters.core.task import Outcome, Task


def run(collector: Collector, root: Root) -> Outcome:
    """Return the outcome of one run."""
    outcome = Outcome()
    run_task(Task(collector, root, rediscover_seconds=60.0), outcome, root)
    return outcome


def values(outcome: Outcome) -> dict[str, object]:
    """Return the values by series, such as ``tailsight_x{a="b"}``."""
    return {sample.series.prefix.rstrip(): sample.value for sample in outcome.samples}
