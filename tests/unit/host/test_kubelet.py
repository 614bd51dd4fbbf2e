"""The kubelet as it answers, by real HTTPS, and the thread that asks it."""

import re
import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import trustme

from exporters.core import Root
from exporters.core.replay import ReplayRoot
from exporters.host import kubelet_client
from exporters.host.kubelet import KubeletPods, RecordedPods, pods_for
from exporters.host.kubelet_client import ask, split_url
from exporters.host.options import Kubelet
from tests.support.kubelet import TOKEN, Answer, answer, kubelet, listing, raw

ID = "2" * 64
UID = "402b7eec-0fbd-4eb2-8ba6-b4624fd238c9"
WEB = {
    "metadata": {"name": "web", "namespace": "shop", "uid": UID},
    "status": {"containerStatuses": [{"name": "app", "containerID": f"containerd://{ID}"}]},
}
GOOD = answer(200, listing(WEB))


@pytest.fixture(scope="module")
def ca() -> trustme.CA:
    """Return an authority, made once: keys take their time."""
    return trustme.CA()


def refusal(tmp_path: Path, ca: trustme.CA, wrong: Answer, seconds: float = 10.0) -> str:
    """Return what is said of an answer."""
    with kubelet(tmp_path, wrong, ca) as fake:
        with pytest.raises((OSError, ValueError)) as refused:
            ask(Root(), fake.options(), seconds)
        fake.gone.set()
    assert TOKEN not in str(refused.value)
    return str(refused.value)


def wait(holds: Callable[[], bool]) -> None:
    """Return when something holds; fail after ten seconds."""
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_the_list(tmp_path: Path, ca: trustme.CA) -> None:
    """It is asked for with the token, over a connection whose other end is known."""
    with kubelet(tmp_path, GOOD, ca) as fake:
        assert ["app"] == [
            told.container for told in ask(Root(), fake.options()).containers.values()
        ]
        assert [("/pods", f"Bearer {TOKEN}")] == fake.requests


def test_the_token_is_read_anew(tmp_path: Path, ca: trustme.CA) -> None:
    """A service account's token is replaced every hour."""
    with kubelet(tmp_path, GOOD, ca) as fake:
        ask(Root(), fake.options())
        (tmp_path / "token").write_text("newer")
        ask(Root(), fake.options())
        assert ["Bearer newer"] == [token for _, token in fake.requests[1:]]


def test_the_authority_beside_the_token(tmp_path: Path, ca: trustme.CA) -> None:
    """A pod has the cluster's next to its token: that is the one unless another is named."""
    with kubelet(tmp_path, GOOD, ca) as fake:
        pem = (tmp_path / "ca.pem").read_text()
        (tmp_path / "ca.crt").write_text(f"# \u00e9\n{pem}{pem}# the end\n")
        assert UID in ask(Root(), fake.options(ca_file=None)).pods


def test_a_certificate_without_key_identifiers(
    tmp_path: Path, ca: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is as good to any Python, though from 3.13 on it would be refused by default."""
    default = ssl.create_default_context

    def strict(*, cadata: str | None = None) -> ssl.SSLContext:
        context = default(cadata=cadata)
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        return context

    monkeypatch.setattr(ssl, "create_default_context", strict)
    with kubelet(tmp_path, GOOD, ca) as fake:
        assert UID in ask(Root(), fake.options()).pods


def test_no_token_where_anybody_may_listen(tmp_path: Path) -> None:
    """The read-only port needs none, and http would show it."""
    with kubelet(tmp_path, GOOD) as fake:
        assert UID in ask(Root(), fake.options(url=f"http://{fake.address}/")).pods
        assert [("/pods", "")] == fake.requests


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (answer(401), "does not know the token"),
        (answer(403), "must be allowed to get nodes/pods .* or nodes/proxy"),
        (answer(404), "answers with HTTP 404"),
        (answer(302, Location="https://127.0.0.1:1/"), "answers with HTTP 302"),
        (answer(200, b"<html>"), "no list of pods: '<html>'"),
        (answer(200, listing(WEB)[:-5]), "no list of pods"),
        (raw(b"garbage\r\n\r\n"), "is not HTTP: BadStatusLine"),
        (raw(), "Remote end closed connection"),
        (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{"), "no list of pods"),
        (raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), "is not HTTP"),
        (raw(b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 500), "is not HTTP: HTTPException"),
    ],
)
def test_a_wrong_answer(tmp_path: Path, ca: trustme.CA, wrong: Answer, said: str) -> None:
    """It is said what is wrong, in words that never hold the token."""
    text = refusal(tmp_path, ca, wrong)
    assert re.search(said, text), text


@pytest.mark.parametrize("status", [401, 403])
def test_who_may_not_is_denied(tmp_path: Path, ca: trustme.CA, status: int) -> None:
    """A refusal is one of permission, to whoever tells denied from broken."""
    with kubelet(tmp_path, answer(status), ca) as fake, pytest.raises(PermissionError):
        ask(Root(), fake.options())


def test_an_answer_without_end(
    tmp_path: Path, ca: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is cut off where it is longer than any list."""
    monkeypatch.setattr(kubelet_client, "MAX_BYTES", 1 << 20)
    assert "longer than 1 MiB" in refusal(
        tmp_path, ca, raw(b"HTTP/1.1 200 OK\r\n\r\n", *[b" " * 65536] * 999)
    )


@pytest.mark.parametrize("begin", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_trickle(tmp_path: Path, ca: trustme.CA, begin: bytes) -> None:
    """Time is up for the whole answer, however often another byte of it comes."""
    over = threading.Event()
    begun = time.monotonic()
    drip = raw(begin, *[b" "] * 2000, between=lambda: over.wait(0.02))
    assert "no answer within 0.3 s" == refusal(tmp_path, ca, drip, 0.3)
    over.set()
    assert time.monotonic() - begun < 5


def test_a_stranger(tmp_path: Path, ca: trustme.CA) -> None:
    """Another authority's certificate ends it before the token is sent, and says what to do."""
    with kubelet(tmp_path, GOOD, ca) as fake:
        trustme.CA().cert_pem.write_to_path(str(tmp_path / "ca.pem"))
        with pytest.raises(OSError, match=r"not trusted .*kubelet.ca-file wants"):
            ask(Root(), fake.options())
        assert [] == fake.requests


def test_another_name(tmp_path: Path, ca: trustme.CA) -> None:
    """The name that it is asked by has to be in its certificate."""
    with kubelet(tmp_path, GOOD, ca) as fake:
        port = fake.address.rpartition(":")[2]
        with pytest.raises(OSError, match=r"kubelet.url a name that is in it"):
            ask(Root(), fake.options(url=f"https://localhost:{port}"))


def test_no_tls(tmp_path: Path) -> None:
    """The wrong port is no riddle; a certificate's error number would read as EPERM."""
    (tmp_path / "ca.crt").write_bytes(trustme.CA().cert_pem.bytes())
    said = "does not speak TLS"
    with kubelet(tmp_path, GOOD) as fake, pytest.raises(OSError, match=said) as refused:
        ask(Root(), fake.options(ca_file=None))
    assert refused.value.errno is None


def test_nobody_there(tmp_path: Path) -> None:
    """A closed port is what it is."""
    (tmp_path / "token").write_text(TOKEN)
    with pytest.raises(ConnectionRefusedError):
        ask(Root(), Kubelet("https://127.0.0.1:1", str(tmp_path / "token")))


@pytest.mark.parametrize("text", [None, "", "\n", "two\nlines", "\u00e9"])
def test_no_token(tmp_path: Path, text: str | None) -> None:
    """Which file has none, and nothing of what is in it."""
    token = tmp_path / "token"
    if text is not None:
        token.write_text(text)
    said = "cannot be read: No such file" if text is None else "holds no token"
    with pytest.raises(OSError, match=f"{token} {said}"):
        ask(Root(), Kubelet("https://127.0.0.1:1", str(token)))


@pytest.mark.parametrize("text", ["", "nonsense", "\u00e9", "-----BEGIN CERTIFICATE-----\n"])
def test_no_authority(tmp_path: Path, text: str) -> None:
    """A file without certificates is named."""
    (tmp_path / "token").write_text(TOKEN)
    (tmp_path / "ca.pem").write_text(text)
    with pytest.raises(OSError, match="holds no certificates"):
        ask(
            Root(),
            Kubelet("https://127.0.0.1:1", str(tmp_path / "token"), str(tmp_path / "ca.pem")),
        )


@pytest.mark.parametrize(
    "text",
    [
        "", "127.0.0.1:10250", "ftp://a", "https://", "https://a:0", "https://a:x", "https://a:99999",
        "https://u:p@a", "https://a/?q", "https://a/#f", "https://a b", "https://[::1", "https://\u00e9",
    ],
)  # fmt: skip
def test_no_url(text: str) -> None:
    """One line says what is wanted."""
    with pytest.raises(ValueError, match=r"wants a URL such as https://127.0.0.1:10250, got"):
        split_url(text)


def test_it_is_asked_in_the_background(tmp_path: Path, ca: trustme.CA) -> None:
    """Nobody who wants the list waits; it is there when it has come."""
    free = threading.Event()

    def later(handler: object) -> None:
        free.wait(10)
        GOOD(handler)  # type: ignore[arg-type]

    with kubelet(tmp_path, later, ca) as fake:
        pods = KubeletPods(fake.options(), Root())
        pods.want()
        wait(lambda: bool(fake.requests))
        assert (0, {}) == (pods.version, pods.pods.pods)
        free.set()
        wait(lambda: pods.version == 1)
        assert UID in pods.pods.pods
        pods.close()


def test_it_is_asked_seldom(tmp_path: Path, ca: trustme.CA) -> None:
    """However much is wanted, once within the pause; what was wanted meanwhile is not lost."""
    with kubelet(tmp_path, GOOD, ca) as fake:
        pods = KubeletPods(fake.options(), Root(), pause_seconds=0.5)
        begun = time.monotonic()
        pods.want()
        wait(lambda: pods.version == 1)
        for _ in range(100):
            pods.want()
        assert 1 == len(fake.requests)
        wait(lambda: pods.version == 2)
        assert time.monotonic() - begun >= 0.5
        pods.close()


def test_a_failure_and_its_end(tmp_path: Path, ca: trustme.CA) -> None:
    """It is told with the address until an answer comes; the list of before stays."""
    with kubelet(tmp_path, GOOD, ca) as fake:
        pods = KubeletPods(fake.options(), Root(), pause_seconds=0.01)
        pods.want()
        wait(lambda: pods.version == 1)
        fake.answer = answer(403)
        pods.want()
        wait(lambda: pods.failure is not None)
        assert pods.failure
        assert f"https://{fake.address}/pods" == pods.failure.where
        assert UID in pods.pods.pods
        fake.answer = GOOD
        pods.want()
        wait(lambda: pods.failure is None)
        pods.close()


def test_it_ends(tmp_path: Path, ca: trustme.CA) -> None:
    """After ``close`` there is no thread, and none comes."""
    with kubelet(tmp_path, GOOD, ca) as fake:
        pods = KubeletPods(fake.options(), Root())
        pods.want()
        wait(lambda: pods.version == 1)
        pods.close()
        wait(lambda: all(thread.name != "kubelet" for thread in threading.enumerate()))
        pods.want()
        assert all(thread.name != "kubelet" for thread in threading.enumerate())


def test_a_recorded_list(tmp_path: Path) -> None:
    """A recorded node answers for its own kubelet; a live one is not asked of it."""
    nobody = Kubelet("https://127.0.0.1:1", str(tmp_path / "token"))
    assert pods_for(ReplayRoot(str(tmp_path)), nobody) is None
    (tmp_path / "replay").mkdir()
    (tmp_path / "replay/kubelet.json").write_bytes(listing(WEB))
    pods = pods_for(ReplayRoot(str(tmp_path)), None)
    assert isinstance(pods, RecordedPods)
    assert UID in pods.pods.pods


@pytest.mark.parametrize("text", ["{", "{}"])
def test_a_broken_recorded_list(tmp_path: Path, text: str) -> None:
    """It is a failure, not an end."""
    (tmp_path / "replay").mkdir()
    (tmp_path / "replay/kubelet.json").write_text(text)
    pods = pods_for(ReplayRoot(str(tmp_path)), None)
    assert pods
    assert pods.failure
    assert "replay/kubelet.json" == pods.failure.where


def test_nobody_is_asked(tmp_path: Path) -> None:
    """Without an address there is no thread."""
    assert pods_for(Root(str(tmp_path)), None) is None
