"""Basic authentication, with what it costs counted."""

import threading
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.web.auth import BasicAuth, parse_basic
from exporters.web.bcrypt import find_crypt

# From jBCrypt's tests: the password of "alice" is abc, that of "bob" is a.
USERS = {
    "alice": "$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i",
    "bob": "$2a$08$cfcvVd2aQ8CMvoMpP2EBfeodLEkkFJ9umNEfPD18.hUF62qqlC/V.",
}


class Counted:
    """The real crypt, with the costs that it was asked for."""

    def __init__(self) -> None:
        self.costs: list[bytes] = []
        self._crypt = find_crypt({})

    def __call__(self, password: bytes, settings: bytes) -> bytes:
        """Hash, and count."""
        self.costs.append(settings[4:6])
        return self._crypt(password, settings)


def basic(user: str | bytes, password: str | bytes) -> str:
    """Return the header that a client sends."""
    parts = [part.encode() if isinstance(part, str) else part for part in (user, password)]
    return "Basic " + b64encode(b":".join(parts)).decode()


def test_who_comes_in() -> None:
    """Only a user with the user's own password does."""
    auth = BasicAuth(USERS, find_crypt({}))

    assert auth.allows(basic("alice", "abc"))
    assert auth.allows(basic("bob", "a"))
    assert auth.allows(basic("alice", "abc").replace("Basic", "bAsIc"))
    for user, password in (
        ("alice", "a"),
        ("bob", "abc"),
        ("alice", ""),
        ("", "abc"),
        ("eve", "abc"),
        ("Alice", "abc"),
        ("alice", "abc:"),
        ("alice", "abc\0"),
        ("alice", "abc\0x"),
    ):
        assert not auth.allows(basic(user, password))


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Basic",
        "Basic ",
        "Basic YWxpY2U",
        "Basic YWxpY2U=",
        "Basic !!!!",
        "Basic YWxpY2U6YWJj YWxpY2U6YWJj",
        "Bearer YWxpY2U6YWJj",
        "Basic \xe9",
        basic("alice", "abc") + ", " + basic("alice", "abc"),
    ],
)
def test_what_is_no_credential(header: str) -> None:
    """Another scheme, or what is no base64 of user and password, costs no hashing at all."""
    crypt = Counted()

    assert not BasicAuth(USERS, crypt).allows(header)
    assert [] == crypt.costs


def test_the_header_of_rfc_7617() -> None:
    """Its examples: Aladdin's password has spaces, and one in UTF-8 arrives as bytes."""
    assert (b"Aladdin", b"open sesame") == parse_basic("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    assert (b"test", b"123\xc2\xa3") == parse_basic("Basic dGVzdDoxMjPCow==")


def test_each_password_is_checked_once() -> None:
    """Right or wrong, the second time costs nothing."""
    crypt = Counted()
    auth = BasicAuth(USERS, crypt)
    for _ in range(3):
        assert auth.allows(basic("alice", "abc"))
        assert not auth.allows(basic("alice", "wrong"))

    assert [b"06", b"06"] == crypt.costs


def test_unknown_users_cost_as_much_as_known_ones() -> None:
    """Time does not tell who exists: nobody costs what the costliest user does."""
    crypt = Counted()
    BasicAuth(USERS, crypt).allows(basic("eve", "abc"))

    assert [b"08"] == crypt.costs


def test_right_ones_survive_a_flood_of_wrong_ones() -> None:
    """Memory is bounded, and guessing drives no known password out of it."""
    cheap = {"alice": "$2a$04$" + "C" * 53}
    costs: list[bytes] = []

    def crypt(password: bytes, settings: bytes) -> bytes:
        costs.append(password)
        return settings if password == b"right" else b"*0"

    auth = BasicAuth(cheap, crypt)
    auth.allows(basic("alice", "right"))
    for number in range(1000):
        auth.allows(basic("alice", f"guess{number}"))
    costs.clear()
    auth.allows(basic("alice", "right"))
    auth.allows(basic("alice", "guess0"))

    assert [b"guess0"] == costs
    assert 128 == len(auth._wrong._items)


def test_the_cache_cannot_be_poisoned() -> None:
    """User and password cannot be cut differently to meet another's entry (CVE-2022-46146)."""
    auth = BasicAuth(USERS, find_crypt({}))
    for user, password in (("alicea", "bc"), ("alic", "eabc"), ("alice" + USERS["alice"], "abc")):
        assert not auth.allows(basic(user, password))
    assert auth.allows(basic("alice", "abc"))
    for user, password in (("alicea", "bc"), ("alic", "eabc"), ("5:alice", "abc")):
        assert not auth.allows(basic(user, password))


def test_no_password_stays_in_memory() -> None:
    """What is remembered is a keyed digest, and another one in each process."""
    one, other = BasicAuth(USERS, find_crypt({})), BasicAuth(USERS, find_crypt({}))
    for auth in (one, other):
        auth.allows(basic("alice", "abc"))

    assert one._right._items.keys() != other._right._items.keys()
    assert {32} == {len(digest) for digest in one._right._items}


def test_one_check_at_a_time() -> None:
    """A flood of guesses takes one core, and the same guess from many clients is checked once."""
    together, most, seen = 0, 0, []
    lock = threading.Lock()
    real = find_crypt({})

    def crypt(password: bytes, settings: bytes) -> bytes:
        nonlocal together, most
        with lock:
            together += 1
            most = max(most, together)
            seen.append(password)
        result = real(password, settings)
        with lock:
            together -= 1
        return result

    auth = BasicAuth(USERS, crypt)
    with ThreadPoolExecutor(8) as pool:
        allowed = list(pool.map(lambda n: auth.allows(basic("alice", f"{n % 4}")), range(40)))

    assert not any(allowed)
    assert (1, 4) == (most, len(seen))


@given(st.text(max_size=50))
def test_any_header(header: str) -> None:
    """Any header is a user and a password, or a ValueError."""
    try:
        user, password = parse_basic(header)
    except ValueError:
        return
    assert isinstance(user + password, bytes)
