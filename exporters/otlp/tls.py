"""TLS towards the endpoint; files are read again when they change, as certificates do."""

import os
import ssl
from collections.abc import Callable

from exporters.otlp.options import OtlpOptions


def context_source(options: OtlpOptions) -> Callable[[], ssl.SSLContext]:
    """
    Return what gives the context for the next connection, of the files as they are then.

    It raises OSError (of which ssl.SSLError is a kind) where a file cannot be read or used.
    """
    paths = [options.ca_file, options.cert_file, options.key_file]
    files = [path for path in paths if path]
    made: list[tuple[list[tuple[int, int, int]], ssl.SSLContext]] = []

    def source() -> ssl.SSLContext:
        stamps = [
            (stat.st_ino, stat.st_mtime_ns, stat.st_size) for stat in (os.stat(f) for f in files)
        ]
        if not made or made[0][0] != stamps:
            made[:] = [(stamps, _context(options))]
        return made[0][1]

    return source


def check_files(options: OtlpOptions) -> None:
    """
    Refuse certificates that cannot be used, before anything starts.

    Raises:
        ValueError: one line that names the files.
    """
    try:
        _context(options)
    except OSError as error:
        files = ", ".join(filter(None, (options.ca_file, options.cert_file, options.key_file)))
        msg = f"otlp: the certificates in {files or 'the system store'} cannot be used: {error}"
        raise ValueError(msg) from error


def _context(options: OtlpOptions) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=options.ca_file)
    if options.cert_file:
        # An encrypted key would have OpenSSL ask on the terminal: an empty password fails.
        context.load_cert_chain(options.cert_file, options.key_file, password="")
    return context
