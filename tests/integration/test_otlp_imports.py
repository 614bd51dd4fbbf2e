"""What push mode costs: neither requests nor grpc, and nothing where it is off."""

import subprocess
import sys

from tests.support.otlp_server import OtlpServer

PUSH = """
import sys
from exporters.core.agent import Scrape
from exporters.otlp.options import OtlpOptions
from exporters.otlp.pusher import Pusher

pusher = Pusher(OtlpOptions(endpoint=sys.argv[1]), {"service.name": "tailsight"}, "1")
pusher.start(lambda _: Scrape(tuple(pusher.samples()), {}))
sys.stdin.readline()
pusher.close()
print(*sorted(name.partition(".")[0] for name in sys.modules))
"""
OFF = """
import sys
import exporters.otlp
print(*sorted(sys.modules))
"""


def test_neither_requests_nor_grpc() -> None:
    """After a push, the process has not loaded them, nor the SDK."""
    with (
        OtlpServer() as server,
        subprocess.Popen(
            [sys.executable, "-c", PUSH, server.url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        server.wait(1)
        loaded = set(process.communicate("\n", timeout=10)[0].split())
    assert {"http", "google", "opentelemetry"} <= loaded
    assert set() == loaded & {"requests", "urllib3", "grpc", "asyncio", "concurrent"}


def test_off_costs_nothing() -> None:
    """The package alone, for its options and metrics, loads neither protobuf nor HTTP nor TLS."""
    done = subprocess.run(
        [sys.executable, "-c", OFF], capture_output=True, text=True, check=True, timeout=10
    )
    loaded = set(done.stdout.split())
    assert "exporters.otlp.options" in loaded
    assert set() == loaded & {"google.protobuf", "http.client", "ssl", "opentelemetry.proto"}
