"""The kubelet's list of pods as it was last, asked for in a thread, never during a scrape."""

import threading
from dataclasses import dataclass, field
from typing import Protocol

from exporters.core import Failure, Root
from exporters.core.replay import ReplayError, ReplayRoot
from exporters.host.options import Kubelet
from exporters.host.pod_list import PodList, pods_of

PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 10.0, 300.0
"""The least between two questions; after each failure it doubles, up to the latter."""
RECORDING = "kubelet.json"
"""The answer to ``/pods`` in the replay folder of a recorded node."""


class Pods(Protocol):
    """Whoever has the list."""

    @property
    def pods(self) -> PodList:
        """The list; empty where there was none yet."""

    @property
    def version(self) -> int:
        """How many lists there have been."""

    @property
    def failure(self) -> Failure | None:
        """Why the last question was not answered."""

    def want(self) -> None:
        """Say that the list does not name something; returns at once."""

    def close(self) -> None:
        """End what asks."""


@dataclass(frozen=True, slots=True)
class RecordedPods:
    """The list of a recorded node, which never changes."""

    pods: PodList = field(default_factory=PodList)
    failure: Failure | None = None
    version: int = 1

    def want(self) -> None:
        """Do nothing: there is no newer one."""

    def close(self) -> None:
        """Do nothing."""


class KubeletPods:
    """The list of a live kubelet, and the thread that asks for it when it is wanted."""

    def __init__(self, kubelet: Kubelet, root: Root, pause_seconds: float = PAUSE_SECONDS) -> None:
        self._kubelet, self._root, self._pause = kubelet, root, pause_seconds
        self._wanted, self._closed = threading.Event(), threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.pods = PodList()
        self.failure: Failure | None = None
        self.version = 0

    def want(self) -> None:
        """Have the list asked for, as soon as the pause since the last question is over."""
        self._wanted.set()
        with self._lock:
            if self._thread is None and not self._closed.is_set():
                self._thread = threading.Thread(target=self._run, name="kubelet", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """End the thread; one that waits for an answer ends after that."""
        self._closed.set()
        self._wanted.set()

    def _run(self) -> None:
        pause = self._pause
        while True:
            self._wanted.wait()
            self._wanted.clear()
            if self._closed.is_set():
                return
            self._ask()
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS) if self.failure else self._pause
            if self._closed.wait(pause):
                return

    def _ask(self) -> None:
        try:
            self.pods = _ask(self._root, self._kubelet)
        except (OSError, ValueError) as error:
            self.failure = Failure(f"{self._kubelet.url.rstrip('/')}/pods", error)
        else:
            self.failure = None
            self.version += 1


def _ask(root: Root, kubelet: Kubelet) -> PodList:
    # Its imports cost 3 MB, for those only who have named a kubelet.
    from exporters.host.kubelet_client import ask  # noqa: PLC0415

    return ask(root, kubelet)


def pods_for(root: Root, kubelet: Kubelet | None) -> Pods | None:
    """Return whoever has the list of a node's pods; None where nobody has been named."""
    if isinstance(root, ReplayRoot):
        return _recorded(root)
    return KubeletPods(kubelet, root) if kubelet and root.live else None


def _recorded(root: ReplayRoot) -> RecordedPods | None:
    try:
        document = root.document(RECORDING)
        return RecordedPods(pods_of(document)) if document is not None else None
    except (ReplayError, ValueError) as error:
        return RecordedPods(failure=Failure(f"replay/{RECORDING}", error))
