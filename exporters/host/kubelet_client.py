"""
One question to the kubelet: which pods are on this node?

By http.client, which follows no redirect and asks no proxy: the token goes where the URL says.
https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/
"""

import errno
import os
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import SplitResult, urlsplit

from exporters.core import Root
from exporters.host.options import Kubelet
from exporters.host.pod_list import PodList, parse_pods

TIMEOUT_SECONDS = 10.0
"""For one answer, from the connection's begin to the last byte."""
MAX_BYTES = 8 << 20
"""Of an answer, which 500 pods do not fill; to parse it takes as much again."""
PORTS = {"https": 10250, "http": 10255}
"""What the kubelet listens on; the latter is read-only, needs no token and is off by default."""
_CHUNK = 1 << 16
_DENIED: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: "it does not know the token: expired, or of another cluster",
    HTTPStatus.FORBIDDEN: (
        "its token's service account must be allowed to get nodes/pods (Kubernetes 1.33 and later)"
        " or nodes/proxy (before, where it also allows to run commands)"
    ),
}


def split_url(text: str) -> SplitResult:
    """
    Return the parts of a kubelet's URL.

    Raises:
        ValueError: it is none; one line that says what is wanted.
    """
    wanted = f"wants a URL such as https://127.0.0.1:10250, got {text!r}"
    try:
        url = urlsplit(text)
        port = url.port
        (url.hostname or "").encode("idna")
    except ValueError as error:
        msg = f"{wanted}: {error}"
        raise ValueError(msg) from error
    odd = url.query or url.fragment or url.username is not None or port == 0
    odd = odd or not text.isascii() or any(char <= " " for char in text)
    if odd or url.scheme not in PORTS or not url.hostname:
        raise ValueError(wanted)
    return url


def ask(root: Root, kubelet: Kubelet, timeout_seconds: float = TIMEOUT_SECONDS) -> PodList:
    """
    Return the list, asked for with the token where the URL is of HTTPS.

    Raises:
        OSError: there is no answer in time, or it is a refusal.
        ValueError: the URL or the answer is not what it should be.
    """
    url = split_url(kubelet.url)
    headers = {"Accept": "application/json"}
    if url.scheme == "https":
        headers["Authorization"] = f"Bearer {_token(root, kubelet)}"
    connection = _connection(root, kubelet, url, timeout_seconds)
    try:
        connection.connect()
        with _deadline(connection.sock, timeout_seconds):
            connection.request("GET", f"{url.path.rstrip('/')}/pods", headers=headers)
            body = _body(connection, kubelet)
    except ssl.SSLError as error:
        # Not as it comes: it has 1 for an errno, which elsewhere says EPERM.
        raise OSError(_why_no_tls(error)) from error
    except ConnectionError:
        raise  # of which an answer that is none at all is one, too
    except HTTPException as error:
        msg = f"its answer is not HTTP: {type(error).__name__}"
        raise OSError(msg) from error
    finally:
        connection.close()
    return parse_pods(body)


def _token(root: Root, kubelet: Kubelet) -> str:
    """Return the token, which whoever issues it replaces every hour or so."""
    token = _read(root, kubelet.token_file)
    if not token.isascii() or not token.isprintable() or not token:
        # It is a secret, so not a letter of it.
        msg = f"{kubelet.token_file} holds no token"
        raise OSError(msg)
    return token


def _read(root: Root, file: str) -> str:
    try:
        return root.read(file.lstrip("/"))
    except OSError as error:
        msg = f"{file} cannot be read: {error.strerror or error}"
        raise OSError(msg) from error


def _connection(root: Root, kubelet: Kubelet, url: SplitResult, timeout: float) -> HTTPConnection:
    host, port = url.hostname or "", url.port or PORTS[url.scheme]
    if url.scheme == "http":
        return HTTPConnection(host, port, timeout=timeout)
    context = _context(root, kubelet)
    return HTTPSConnection(host, port, timeout=timeout, context=context)


def _context(root: Root, kubelet: Kubelet) -> ssl.SSLContext:
    """Trust the authority that is named, else the cluster's, which a pod has beside its token."""
    beside = os.path.join(os.path.dirname(kubelet.token_file), "ca.crt")
    path = kubelet.ca_file or (beside if root.exists(beside.lstrip("/")) else None)
    context = _trusting(root, path) if path else ssl.create_default_context()
    # What Python asks for from 3.13 on, the certificates of clusters do not have
    # (kubernetes-client/python#2394).
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def _trusting(root: Root, path: str) -> ssl.SSLContext:
    """Return a context for the authorities of a file, and for no others."""
    # The text around certificates may be of any language, which OpenSSL does not take.
    text = _read(root, path).encode("ascii", "replace").decode()
    try:
        if ssl.PEM_HEADER in text:
            return ssl.create_default_context(cadata=text)
    except ssl.SSLError as error:
        msg = f"{path} holds no certificates: {error.reason or error}"
        raise OSError(msg) from error
    msg = f"{path} holds no certificates"
    raise OSError(msg)


@contextmanager
def _deadline(sock: socket.socket, seconds: float) -> Iterator[None]:
    """Cut a connection off in time: its own timeout is for one read, and answers may trickle."""
    late = threading.Event()

    def cut() -> None:
        late.set()
        try:
            # Of the plain socket: TLS would first have to agree with the reading thread.
            socket.socket.shutdown(sock, socket.SHUT_RDWR)
        except OSError:
            return  # it is closed already

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, HTTPException, ValueError) as error:
        if late.is_set() or isinstance(error, TimeoutError):
            raise _too_late(seconds) from error
        raise
    finally:
        timer.cancel()
    if late.is_set():
        raise _too_late(seconds)


def _too_late(seconds: float) -> TimeoutError:
    return TimeoutError(f"no answer within {seconds:g} s")


def _body(connection: HTTPConnection, kubelet: Kubelet) -> bytearray:
    with connection.getresponse() as response:
        denied = _DENIED.get(response.status)
        if denied:
            raise PermissionError(errno.EACCES, denied, kubelet.url)
        if response.status != HTTPStatus.OK:
            msg = f"it answers with HTTP {response.status}, not with a list of pods"
            raise OSError(msg)
        body = bytearray()
        while chunk := response.read(_CHUNK):
            body += chunk
            if len(body) > MAX_BYTES:
                msg = f"its list of pods is longer than {MAX_BYTES >> 20} MiB"
                raise ValueError(msg)
        return body


def _why_no_tls(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"its certificate is not trusted ({error.verify_message}): kubelet.ca-file wants what"
            " it is signed by, kubelet.url a name that is in it"
        )
    return f"it does not speak TLS: {error.reason or error}"
