"""Softirqs by type."""

from collections.abc import Callable
from pathlib import Path

from exporters.core import Root
from exporters.core.runner import run as run_task
from exporters.core.task import Outcome, Task
from exporters.host import softirqs
from tests.support.collect import run, values

MakeTree = Callable[[dict[str, str | bytes]], Path]
# As Linux 6.18 prints them on two CPUs.
TEXT = """\
                    CPU0       CPU1       
          HI:          0          0
       TIMER:     364792     309881
      NET_RX:     989936     900087
    IRQ_POLL:          0          0
"""  # noqa: W291  # the kernel ends the line so


def test_sums_by_type(make_tree: MakeTree) -> None:
    """364792 + 309881 and 989936 + 900087."""
    tree = make_tree({softirqs.SOFTIRQS: TEXT})

    assert {
        'tailsight_softirqs_total{type="HI"}': 0,
        'tailsight_softirqs_total{type="TIMER"}': 674673,
        'tailsight_softirqs_total{type="NET_RX"}': 1890023,
        'tailsight_softirqs_total{type="IRQ_POLL"}': 0,
    } == values(run(softirqs.collector(), Root(str(tree))))


def test_they_go_on_where_a_column_wraps(make_tree: MakeTree) -> None:
    """The kernel counts them in 32 bits: at 100,000 a second twelve hours are enough."""
    collector = softirqs.collector()
    found: list[object] = []
    for count in (2**32 - 1, 1):
        tree = make_tree({softirqs.SOFTIRQS: f"  CPU0\n  TIMER: {count}\n"})
        found += values(run(collector, Root(str(tree)))).values()

    assert [2**32 - 1, 2**32 + 1] == found


def test_types_that_go_are_forgotten_and_too_many_refused(make_tree: MakeTree) -> None:
    """Names of one line, in a bounded number, whatever the file says."""
    task = Task(softirqs.collector(), root := Root(str(make_tree({}))), 60.0)
    found = []
    for types in ("A", "B\t\x01C", "D"), tuple(map(str, range(softirqs.MOST + 1))), ("E",):
        rows = "".join(f"{name:>12}: 5\n" for name in types)
        make_tree({softirqs.SOFTIRQS: f"  CPU0\n{rows}"})
        outcome = Outcome()
        run_task(task, outcome, root)
        found.append([sample.series.values[0] for sample in outcome.samples])

    assert [["A", "B C", "D"], [], ["E"]] == found
    assert "ok" == outcome.status


def test_no_proc_is_absent(tmp_path: Path) -> None:
    """With the reason."""
    outcome = run(softirqs.collector(), Root(str(tmp_path)))

    assert "absent" == outcome.status
    assert "no /proc/softirqs" in outcome.reason
