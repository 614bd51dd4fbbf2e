"""Bcrypt by crypt(3), against published vectors."""

import ctypes

import pytest

from exporters.web.bcrypt import find_crypt

# From the tests of jBCrypt and of OpenBSD's relatives, the last one from exporter-toolkit's
# handler_test.go, where the password is alice123.
VECTORS = (
    ("", "$2a$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s."),
    ("a", "$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe"),
    ("abc", "$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i"),
    (
        "abcdefghijklmnopqrstuvwxyz",
        "$2a$06$.rCVZVOThsIa97pEDOxvGuRRgzG64bvtJ0938xuqzv18d3ZpQhstC",
    ),
    (
        "~!@#$%^&*()      ~!@#$%^&*()PNBFRD",
        "$2a$06$fPIsBO8qRqkjj273rfaOI.HtSV9jLDpTbZn782DC6/t7qT67P6FfO",
    ),
    ("alice123", "$2y$12$1DpfPeqF9HzHJt.EWswy1exHluGfbhnn3yXhR7Xes6m3WJqFg0Wby"),
)


@pytest.mark.parametrize(("password", "secret"), VECTORS)
def test_vectors(password: str, secret: str) -> None:
    """A right password gives its hash again; another one does not."""
    crypt = find_crypt({})

    assert secret.encode() == crypt(password.encode(), secret.encode())
    assert secret.encode() != crypt(password.encode() + b"x", secret.encode())


@pytest.mark.parametrize("settings", [b"", b"*", b"$2y$99$" + b"a" * 53, b"$2y$10$"])
def test_nonsense_hashes_to_nothing_like_it(settings: bytes) -> None:
    """What is no bcrypt hash never equals what is made of it."""
    assert settings != find_crypt({})(b"x", settings) or settings == b""


def test_a_linked_in_function_comes_first() -> None:
    """A program that links crypt_r in hands its address, and no library is loaded."""
    library = ctypes.CDLL("libcrypt.so.1")
    address = ctypes.cast(library.crypt_r, ctypes.c_void_p).value
    crypt = find_crypt({"crypt_r": address or 0}, libraries=())
    password, secret = VECTORS[2]

    assert secret.encode() == crypt(password.encode(), secret.encode())


@pytest.mark.parametrize("libraries", [(), ("libnone.so.9",), ("libm.so.6",)])
def test_no_libcrypt(libraries: tuple[str, ...]) -> None:
    """Without a library that knows bcrypt, the line says what to install."""
    with pytest.raises(ValueError, match=r"libcrypt with bcrypt; install libcrypt1 \(libxcrypt\)"):
        find_crypt({}, libraries)


def test_a_libcrypt_without_bcrypt() -> None:
    """A crypt_r that knows only older schemes, as glibc's own did, is not taken."""
    prototype = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p)
    knows_nothing = prototype(lambda _password, _settings, _scratch: None)
    address = ctypes.cast(knows_nothing, ctypes.c_void_p).value

    with pytest.raises(ValueError, match="install libcrypt1"):
        find_crypt({"crypt_r": address or 0}, libraries=())
