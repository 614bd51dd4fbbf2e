"""Where to listen: ``HOST:PORT``, and the socket that does."""

import errno
import re
import socket

from exporters.config.load import ConfigError

_ADDRESS = re.compile(r"(?:\[([0-9A-Fa-f:.%\w]+)\]|([^\s:/\[\]]*)):(\d{1,5})")
_HIGHEST_PORT = 65535
_BACKLOG = 128
_FIXES = {
    errno.EADDRINUSE: "is in use already; choose another port, or see what has it: ss -ltnp",
    errno.EACCES: "is not allowed; ports below 1024 need CAP_NET_BIND_SERVICE",
    errno.EADDRNOTAVAIL: "is no address of this machine; see which there are: ip address",
    errno.EAFNOSUPPORT: "is of a family that this kernel does not have (IPv6 is off?)",
}


class ServeError(ConfigError):
    """It is not possible to serve there; the text is one line that says why and what to do."""


def split_address(listen: str) -> tuple[str, int]:
    """
    Return host and port of ``HOST:PORT``, ``[IPv6]:PORT`` or ``:PORT``.

    Raises:
        ServeError: it is something else.
    """
    match = _ADDRESS.fullmatch(listen)
    if not match or int(match[3]) > _HIGHEST_PORT:
        msg = f"--listen {listen}: wants HOST:PORT, such as 127.0.0.1:9749 or [::1]:9749"
        raise ServeError(msg)
    return match[1] or match[2] or "", int(match[3])


def listen_on(listen: str) -> socket.socket:
    """
    Return a socket that listens there; without a host, on IPv6 and IPv4 of all interfaces.

    Raises:
        ServeError: the address is wrong or taken.
    """
    host, port = split_address(listen)
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=_flags(host))
    except (OSError, UnicodeError) as error:
        # UnicodeError: a name that DNS could not even ask for.
        msg = f"--listen {listen}: {getattr(error, 'strerror', None) or error}"
        raise ServeError(msg) from None
    # Without a host the IPv6 wildcard takes IPv4 too; a name such as localhost means IPv4 first.
    found.sort(key=lambda entry: (entry[0] == socket.AF_INET6) == bool(host))
    problem: OSError | None = None
    for family, _, _, _, where in found:
        try:
            return _bind(family, where)
        except OSError as error:
            problem = problem or error
            if error.errno == errno.EADDRINUSE:
                break
    code = (problem.errno if problem else None) or 0
    msg = f"--listen {listen}: {_FIXES.get(code, problem and problem.strerror)}"
    raise ServeError(msg)


def _flags(host: str) -> int:
    return 0 if host else socket.AI_PASSIVE


def _bind(family: int, where: tuple[object, ...]) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            wildcard = where[0] == "::"
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(not wildcard))
        listener.bind(where)
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def shown(listener: socket.socket) -> str:
    """Return where a socket listens, as a URL has it: ``127.0.0.1:9749``, ``[::]:9749``."""
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
