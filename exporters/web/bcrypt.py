"""
Bcrypt from the C library that every distribution has: ``crypt_r`` of crypt(3).

Its hash is worth an attacker's hours, so that it must not be ours to write; and a Python package
for it would be one more binary to link into the static build.
https://man7.org/linux/man-pages/man3/crypt.3.html
"""

import ctypes
from collections.abc import Callable, Iterable, Iterator, Mapping

Crypt = Callable[[bytes, bytes], bytes]
"""Hashes a password with the settings of a hash; gives that hash if the password is the one."""

# None is what is linked into the program: musl has crypt_r in its C library.
_LIBRARIES = (None, "libcrypt.so.1", "libcrypt.so.2")
# Size of struct crypt_data in the oldest ABI, glibc's; libxcrypt takes 32 KiB, musl 260 bytes.
_SCRATCH_BYTES = 131_232
_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p)
# A published test vector of Openwall's crypt_blowfish, to see whether a library knows bcrypt at
# all: https://github.com/openwall/crypt_blowfish/blob/master/wrapper.c
_PROBE = (b"U*U", b"$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")


def find_crypt(linked: Mapping[str, int], libraries: Iterable[str | None] = _LIBRARIES) -> Crypt:
    """
    Return the first function found that knows bcrypt.

    Args:
        linked: addresses of C functions by name, for a program that has them linked in.
        libraries: where else to look, in this order.

    Raises:
        ValueError: there is none; the text says what to install.
    """
    for function in _candidates(linked, libraries):
        crypt = _callable(function)
        if crypt(*_PROBE) == _PROBE[1]:
            return crypt
    msg = "basic_auth_users wants a libcrypt with bcrypt; install libcrypt1 (libxcrypt)"
    raise ValueError(msg)


def _candidates(
    linked: Mapping[str, int], libraries: Iterable[str | None]
) -> Iterator[Callable[..., bytes | None]]:
    if address := linked.get("crypt_r"):
        yield _PROTOTYPE(address)
    for name in libraries:
        try:
            yield _PROTOTYPE(("crypt_r", ctypes.CDLL(name)))
        except (OSError, AttributeError):
            continue


def _callable(function: Callable[..., bytes | None]) -> Crypt:
    def crypt(password: bytes, settings: bytes) -> bytes:
        scratch = ctypes.create_string_buffer(_SCRATCH_BYTES)
        return function(password, settings, scratch) or b""

    return crypt
