"""Where the server listens."""

import socket
from contextlib import closing

import pytest

from exporters.config.load import ConfigError
from exporters.web.address import ServeError, listen_on, shown, split_address


@pytest.mark.parametrize(
    ("listen", "parts"),
    [
        ("127.0.0.1:9749", ("127.0.0.1", 9749)),
        ("[::1]:0", ("::1", 0)),
        ("[fe80::1%eth0]:80", ("fe80::1%eth0", 80)),
        (":9749", ("", 9749)),
        ("localhost:65535", ("localhost", 65535)),
    ],
)
def test_addresses(listen: str, parts: tuple[str, int]) -> None:
    """Host and port are told apart, for IPv6 too."""
    assert parts == split_address(listen)


@pytest.mark.parametrize("listen", ["", "9749", "host", "host:", "host:65536", "::1:80", "a b:1"])
def test_what_is_no_address(listen: str) -> None:
    """Anything else is one line that names the flag and the form."""
    with pytest.raises(ServeError, match=r"--listen .*: wants HOST:PORT, such as") as error:
        split_address(listen)

    assert isinstance(error.value, ConfigError)
    assert "\n" not in str(error.value)


def test_all_interfaces() -> None:
    """Without a host, a client comes in by IPv4 and, where the kernel has it, by IPv6."""
    with closing(listen_on(":0")) as listener:
        port = listener.getsockname()[1]
        for host in ["127.0.0.1"] + ["::1"] * (listener.family == socket.AF_INET6):
            socket.create_connection((host, port), timeout=5).close()


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6")
def test_ipv6() -> None:
    """An IPv6 address is shown as a URL wants it."""
    with closing(listen_on("[::1]:0")) as listener:
        port = listener.getsockname()[1]
        assert f"[::1]:{port}" == shown(listener)


def test_localhost_is_ipv4() -> None:
    """A name with addresses of both families means IPv4, as for programs written in Go."""
    with closing(listen_on("localhost:0")) as listener:
        assert shown(listener).startswith("127.0.0.1:")


@pytest.mark.parametrize(
    ("listen", "why"),
    [
        ("192.0.2.1:9749", "is no address of this machine"),
        ("a..b:9749", "--listen a..b:9749: .*(empty|not known)"),
    ],
)
def test_where_one_cannot_listen(listen: str, why: str) -> None:
    """An address of TEST-NET-1 (RFC 5737), or a name that cannot be: one line."""
    with pytest.raises(ServeError, match=why):
        listen_on(listen)


def test_a_taken_port() -> None:
    """The line says that the port is in use and how to see by whom."""
    with closing(listen_on("127.0.0.1:0")) as first:
        address = shown(first)
        with pytest.raises(ServeError) as error:
            listen_on(address)

    assert (
        f"--listen {address}: is in use already; choose another port, or see what has it: ss -ltnp"
        == str(error.value)
    )
