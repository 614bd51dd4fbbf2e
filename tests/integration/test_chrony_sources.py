"""The sources of a real chronyd, as many as are asked about, by ``chronyc``."""

import time
from collections import Counter
from pathlib import Path

from exporters.clock.chrony import collector
from exporters.clock.chrony_sources import MOST
from exporters.clock.options import ClockOptions
from exporters.core import Root
from tests.support.collect import run, values
from tests.support.netns import joined
from tests.support.programs import program

STATES = {
    "*": "selected", "?": "unselectable", "x": "falseticker", "~": "jittery", "+": "combined",
    "-": "selectable",
}  # fmt: skip
REACHABLE = 'tailsight_chrony_reachable_sources{mode="server"}'
SELECTED = 'tailsight_chrony_source_selection{state="selected"}'
MANY = MOST - 1
"""Of sources that are offline. A new namespace, and most systems, have net.unix.max_dgram_qlen 10,
and more questions than that go out at once."""


def test_reachable_sources(tmp_path: Path) -> None:
    """One of 64 answers once its server runs; the other numbers are chronyc's, too."""
    chronyd = (str(program("chronyd")), "-x", "-d", "-u", "root", "-f", "/dev/null", "cmdport 0")
    own = ("pidfile {0}.pid", "bindcmdaddress {0}.sock")
    socket = tmp_path / "client.sock"

    def scraped() -> dict[str, object]:
        outcome = run(collector(ClockOptions(chrony_address=str(socket))), Root())
        assert [] == outcome.failures
        return values(outcome)

    def wait(expected: int, series: str = REACHABLE) -> None:
        deadline = time.monotonic() + 20
        while scraped().get(series) != expected:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    with joined() as (here, there):
        offline = [f"server 198.51.100.{number} offline" for number in range(1, MANY + 1)]
        poll = f"server {here.address} iburst minpoll -4 maxpoll -4"
        settings = [line.format(tmp_path / "client") for line in own]
        with there.running(*chronyd, *settings, poll, *offline, log=tmp_path / "client.log"):
            wait(0)
            settings = [line.format(tmp_path / "server") for line in own]
            serve = (*chronyd, *settings, "local stratum 1", "allow")
            with here.running(*serve, log=tmp_path / "server.log"):
                wait(1)
                wait(1, SELECTED)
                found = scraped()
                shown = there.run(
                    str(program("chronyc")), "-n", "-c", "-h", str(socket), "sources", "-a"
                )
            rows = [line.split(",") for line in shown.splitlines()]
            assert MANY + 1 == len(rows)
            assert 1 == sum(row[5] != "0" for row in rows)
            states = Counter(STATES[row[1]] for row in rows)
            assert {state: states[state] for state in STATES.values()} == {
                state: found[f'tailsight_chrony_source_selection{{state="{state}"}}']
                for state in STATES.values()
            }
            # Polls 1/16 s apart: after eight that nobody answers its register is empty.
            wait(0)
    assert [] == [path.name for path in tmp_path.glob("tailsight.*")]
