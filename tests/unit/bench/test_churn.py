"""The judge of the churn benchmark can say no, and its counting is right."""

from dataclasses import replace

import pytest

from tests.bench.churned import Churn, Seen, Turnover, verdicts
from tests.bench.soak import State
from tests.bench.subject import Memory

BODY = """\
# TYPE tailsight_a gauge
tailsight_a{pid="%d"} 1
tailsight_collector_status{collector="processes",status="%s"} 1
tailsight_collector_status{collector="processes",status="absent"} 0
# EOF
"""


def seen(cpu_ms: float = 10.0, series: tuple[int, ...] = (2, 2), seconds: float = 0.1) -> Seen:
    """Return what a program that holds all targets serves in two scrapes."""
    return Seen("any", [seconds] * 2, list(series), {"a", "b"}, 0, cpu_ms * 2 / 1000)


GOOD = Churn(
    ours=seen(cpu_ms=19.0),
    theirs=seen(),
    naive=seen(),
    at_once=Turnover(1000, 300),
    in_all=Turnover(2000, 600),
    before=State(5, 9, 12.0),
    after=State(5, 9, 12.0),
    memory=Memory(31.0, 20.0, 27.0),
)


def failed(found: Churn) -> list[str]:
    """Return what each target that is missed is called, up to its first comma."""
    return [name.partition(",")[0] for name, _, holds in verdicts(found) if not holds]


def test_good() -> None:
    """What holds all targets is let pass."""
    assert [] == failed(GOOD)


@pytest.mark.parametrize(
    ("found", "target"),
    [
        (replace(GOOD, at_once=Turnover(1000, 0)), "1"),
        (replace(GOOD, ours=seen(series=(100, 106))), "series stay flat"),
        (replace(GOOD, ours=replace(GOOD.ours, bad=1)), "no collector hangs or breaks"),
        (
            replace(GOOD, ours=seen(seconds=3.1)),
            "p99 of a scrape within its deadline of 3 s",
        ),
        (
            replace(GOOD, ours=seen(cpu_ms=21.0)),
            "CPU of a scrape at most node_exporter's and psutil's together",
        ),
        (replace(GOOD, after=State(5, 10, 12.0)), "no descriptor leaks"),
    ],
)
def test_bad(found: Churn, target: str) -> None:
    """What misses one target is told so, of that one alone."""
    assert [target] == failed(found)


def test_note() -> None:
    """Comments are no series; a hanging collector is told from a status that is not the one."""
    one = Seen("any")
    one.note(0.1, BODY % (1, "ok"))
    one.note(0.3, BODY % (2, "timeout"))
    assert ([3, 3], 1) == (one.series, one.bad)
    assert 5 == len(one.names)  # two pids, two statuses of which one is 1, one that is 0
    assert 200 == pytest.approx(one.p50_ms)
