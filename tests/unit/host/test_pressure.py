"""Pressure of the node."""

import errno
from collections.abc import Callable
from pathlib import Path

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.host import pressure
from tests.conftest import Mounted
from tests.support.boards import board_root
from tests.support.collect import run
from tests.support.faults import Faults
from tests.support.readings import failed, readings

MakeTree = Callable[[dict[str, str | bytes]], Path]
LINE = "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\n"
ALL = {f"{pressure.FOLDER}/{name}": LINE for name in ("cpu", "io", "memory")}


def test_the_recorded_node() -> None:
    """Its files in seconds; interrupts have full alone."""
    outcome = run(pressure.COLLECTOR, ReplayRoot(str(board_root("node-exporter"))))

    assert {"cpu": 14.036781, "io": 159.886802, "memory": 0.0} == readings(
        outcome, pressure.WAITING, "resource"
    )
    assert {"io": 159.229614, "memory": 0.0, "irq": 0.008494} == readings(
        outcome, pressure.STALLED, "resource"
    )


def test_full_of_the_cpu_is_left_out() -> None:
    """The kernel's page: it is undefined for the node, and only printed."""
    text = LINE + LINE.replace("some", "full")
    kinds = {sample.series.metric for sample in pressure.samples("cpu")(text)}

    assert {pressure.WAITING} == kinds


def test_switched_off_says_how_to_switch_on(make_tree: MakeTree, mounted: Mounted) -> None:
    """With psi=0 the files are there, and every read of them is EOPNOTSUPP."""
    faults = Faults(dict.fromkeys(ALL, errno.EOPNOTSUPP))
    outcome = run(pressure.COLLECTOR, Root(str(mounted(make_tree({**ALL}), faults))))

    assert ("absent", []) == (outcome.status, outcome.failures)
    assert "psi=1" in outcome.reason


def test_interrupts_alone_may_be_off(make_tree: MakeTree, mounted: Mounted) -> None:
    """Without irq time accounting newer kernels refuse theirs, which is no failure."""
    irq = f"{pressure.FOLDER}/irq"
    tree = make_tree({**ALL, irq: LINE.replace("some", "full")})
    outcome = run(pressure.COLLECTOR, Root(str(mounted(tree, Faults({irq: errno.EOPNOTSUPP})))))

    assert ("ok", []) == (outcome.status, outcome.failures)
    assert {"cpu", "io", "memory"} == readings(outcome, pressure.WAITING, "resource").keys()


def test_one_that_fails_costs_only_itself(make_tree: MakeTree, mounted: Mounted) -> None:
    """And it is told of."""
    path = f"{pressure.FOLDER}/io"
    outcome = run(
        pressure.COLLECTOR,
        Root(str(mounted(make_tree({**ALL}), Faults({path: errno.EIO})))),
    )

    assert [path] == failed(outcome)
    assert {"cpu", "memory"} == readings(outcome, pressure.WAITING, "resource").keys()


def test_a_kernel_without_it_is_absent(tmp_path: Path) -> None:
    """Advice names the option."""
    outcome = run(pressure.COLLECTOR, Root(str(tmp_path)))

    assert "absent" == outcome.status
    assert "CONFIG_PSI" in outcome.reason
