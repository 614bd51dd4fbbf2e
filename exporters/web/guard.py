"""Stands before the routes and applies the web configuration, as it and its files are now."""

import logging
import os
import socket
import threading
from collections.abc import Mapping
from dataclasses import replace

from exporters.config.load import ConfigError
from exporters.web.connection import Answer
from exporters.web.request import Request
from exporters.web.response import Response
from exporters.web.rules import Rules, make_rules
from exporters.web.webconfig import WebConfig, read_web_config

log = logging.getLogger(__name__)

_Signature = tuple[tuple[int, int, int] | None, ...]


class Guard:
    """
    Looks at each connection and request whether the file, or one that it names, has changed.

    A change that is wrong is logged once, and the last good version stays.

    Args:
        path: the web configuration file.
        linked: addresses of C functions that are linked into the program, by name.

    Raises:
        ConfigError: the file is wrong at the start.
    """

    def __init__(self, path: str, linked: Mapping[str, int]) -> None:
        self._path = path
        self._linked = linked
        self._lock = threading.Lock()
        self._watched: tuple[str, ...] = (path,)
        self._seen: _Signature = ()
        try:
            self._rules = self._load(None)
        except ValueError as error:
            msg = f"--web.config.file {path}: {error}"
            raise ConfigError(msg) from None

    @property
    def scheme(self) -> str:
        """The scheme of what it guards; it stays what it was at the start."""
        return "https" if self._rules.config.tls else "http"

    def wrap(self, client: socket.socket) -> socket.socket:
        """Make a connection secure, where the file says so."""
        return self._current().wrap(client)

    def answer(self, inner: Answer, request: Request) -> Response:
        """Answer a request that may come in by ``inner``; add the file's headers to all."""
        rules = self._current()
        response = rules.refusal(request) or inner(request)
        if not rules.headers:
            return response
        return replace(response, headers=(*response.headers, *rules.headers))

    def _current(self) -> Rules:
        with self._lock:
            if _signature(self._watched) != self._seen:
                try:
                    self._rules = self._load(self._rules.config)
                    log.info("%s: read anew", self._path)
                except ValueError as error:
                    log.error(  # noqa: TRY400  # the text says all; no traceback to a user
                        "%s: %s; what was read before stays in force", self._path, error
                    )
            return self._rules

    def _load(self, before: WebConfig | None) -> Rules:
        """Read the file and those it names."""
        # Signatures come before reading: what changes meanwhile is then seen at the next look.
        self._seen = _signature(self._watched)
        config = read_web_config(self._path)
        self._watched = (self._path, *(config.tls.files if config.tls else ()))
        self._seen = (self._seen[0], *_signature(self._watched[1:]))
        if before:
            _refuse_opening(before, config)
        return make_rules(config, self._linked)


def _refuse_opening(before: WebConfig, after: WebConfig) -> None:
    """Raise ValueError for a change that would let everybody in because of a half-written file."""
    if bool(before.tls) != bool(after.tls):
        msg = "tls_server_config came or went, which wants a restart"
        raise ValueError(msg)
    if before.users and after == WebConfig():
        msg = "is empty, which wants a restart"
        raise ValueError(msg)


def _signature(paths: tuple[str, ...]) -> _Signature:
    """Return what changes when a file is written or replaced; None for one that is not there."""
    return tuple(map(_stat, paths))


def _stat(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
