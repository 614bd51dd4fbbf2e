"""The kernel's clock, by node_exporter's collector timex on this machine."""

import re
import subprocess
from urllib.request import urlopen

import pytest

from exporters.clock.timex import COLLECTOR
from exporters.core import Root
from tests.support.collect import run, values
from tests.support.programs import program

PAIRS = {
    "node_timex_sync_status": 'tailsight_clock_synchronized{source="kernel"}',
    "node_timex_frequency_adjustment_ratio": "tailsight_kernel_clock_frequency_adjustment_ratio",
    "node_timex_tick_seconds": "tailsight_kernel_clock_tick_seconds",
    "node_timex_tai_offset_seconds": "tailsight_kernel_clock_tai_offset_seconds",
    "node_timex_maxerror_seconds": 'tailsight_clock_error_bound_seconds{source="kernel"}',
}


@pytest.fixture(scope="module")
def theirs() -> dict[str, float]:
    """Run node_exporter and give its values."""
    command = [
        str(program("prometheus-node-exporter")), "--collector.disable-defaults",
        "--collector.timex", "--web.listen-address=127.0.0.1:0",
    ]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as exporter:
        try:
            assert exporter.stderr
            log = ""
            while not (found := re.search(r"address=(127\.0\.0\.1:\d+)", log)):
                line = exporter.stderr.readline()
                assert line, f"node_exporter did not start: {log}"
                log += line
            with urlopen(f"http://{found[1]}/metrics", timeout=10) as reply:
                text = reply.read().decode()
        finally:
            exporter.kill()
    lines = re.findall(r"^(node_timex\w+) (\S+)$", text, re.MULTILINE)
    return {name: float(value) for name, value in lines}


@pytest.mark.parametrize("name", PAIRS)
def test_equal(theirs: dict[str, float], name: str) -> None:
    """
    What both tell is the same; what node_exporter tells and we do not is unknown to the kernel.

    TAI minus UTC of 0 was never set. An error of 16 s, or of a clock that is not synchronised, is
    no bound. The error grows by 500 parts per million between the two.
    """
    ours = values(run(COLLECTOR, Root()))
    if PAIRS[name] not in ours:
        unsynchronised = theirs["node_timex_sync_status"] == 0
        assert name in {"node_timex_tai_offset_seconds", "node_timex_maxerror_seconds"}
        assert theirs[name] in {0, 16} or unsynchronised
        return
    tolerance = 0.05 if "maxerror" in name else 1e-12
    assert theirs[name] == pytest.approx(float(str(ours[PAIRS[name]])), abs=tolerance)


def test_flags(theirs: dict[str, float]) -> None:
    """Each bit of node_exporter's status is one of ours."""
    ours = values(run(COLLECTOR, Root()))
    flags = {re.findall(r'flag="(\w+)"', name)[0] for name in ours if "clock_flag_info" in name}
    bits = {"pll": 0, "ins": 4, "del": 5, "unsync": 6, "ppssignal": 8, "nano": 13}
    status = int(theirs["node_timex_status"])
    assert {name for name, bit in bits.items() if status >> bit & 1} == flags & set(bits)
