"""
Basic authentication (RFC 7617) against bcrypt hashes, each password checked once.

A check costs some 70 ms of CPU time by design. Its result is remembered under a keyed digest, so
that no password stays in memory.
"""

import binascii
import hashlib
import hmac
import os
import threading
from collections import OrderedDict
from collections.abc import Mapping

from exporters.web.bcrypt import Crypt

CHALLENGE = ("WWW-Authenticate", 'Basic realm="tailsight", charset="UTF-8"')
_REMEMBERED = 128
# Salt and hash of a published test vector: any would do, as nobody is let in by it.
_NOBODY = b"CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"


def parse_basic(authorization: str) -> tuple[bytes, bytes]:
    """
    Return user and password of an Authorization header.

    Raises:
        ValueError: it is not one of basic authentication.
    """
    scheme, _, encoded = authorization.partition(" ")
    if scheme.lower() != "basic":
        msg = "not basic authentication"
        raise ValueError(msg)
    decoded = binascii.a2b_base64(encoded.strip().encode("latin-1"), strict_mode=True)
    user, colon, password = decoded.partition(b":")
    if not colon:
        msg = "no colon between user and password"
        raise ValueError(msg)
    return user, password


class BasicAuth:
    """Knows who may come in."""

    def __init__(self, users: Mapping[str, str], crypt: Crypt) -> None:
        self._users = {name.encode(): secret.encode() for name, secret in users.items()}
        self._crypt = crypt
        self._key = os.urandom(32)
        self._checking = threading.Lock()
        # Apart, so that a flood of wrong passwords drives out no right one.
        self._right = _Memory(_REMEMBERED)
        self._wrong = _Memory(_REMEMBERED)
        # An unknown user costs as much as the costliest known one.
        cost = max((secret[4:6] for secret in self._users.values()), default=b"10")
        self._nobody = b"$2b$%b$%b" % (cost, _NOBODY)

    def allows(self, authorization: str) -> bool:
        """Whether an Authorization header names a user and the user's password."""
        try:
            user, password = parse_basic(authorization)
        except ValueError:
            return False
        digest = self._digest(user, password)
        if digest in self._right:
            return True
        if digest in self._wrong:
            return False
        # One at a time: a flood of wrong passwords then takes one core, not all.
        with self._checking:
            if digest in self._right or digest in self._wrong:
                return digest in self._right
            right = self._check(user, password)
            (self._right if right else self._wrong).add(digest)
        return right

    def _check(self, user: bytes, password: bytes) -> bool:
        secret = self._users.get(user, self._nobody)
        same = hmac.compare_digest(self._crypt(password, secret), secret)
        # C reads no further than a NUL byte: what follows one was not checked.
        return same and user in self._users and b"\0" not in password

    def _digest(self, user: bytes, password: bytes) -> bytes:
        text = b"%d:%b%b" % (len(user), user, password)
        return hashlib.blake2b(text, key=self._key, digest_size=32).digest()


class _Memory:
    """A bounded set that forgets what was not asked for longest."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._items: OrderedDict[bytes, None] = OrderedDict()

    def __contains__(self, item: bytes) -> bool:
        with self._lock:
            if item not in self._items:
                return False
            self._items.move_to_end(item)
            return True

    def add(self, item: bytes) -> None:
        """Remember an item."""
        with self._lock:
            self._items[item] = None
            if len(self._items) > self._size:
                self._items.popitem(last=False)
