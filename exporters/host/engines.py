"""
Names of containers that Docker and Podman started, from the files that they keep.

Docker: ``<id>/config.v2.json``, of which fluent-bit#5343 and kubernetes#52172 show the keys; its
containers of pods (cri-dockerd) carry the kubelet's labels. Podman: the lists of
containers/storage, one of which is for those that ``--rm`` removes.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from exporters.core import Failure
from exporters.hardware.facts import Facts, tidy
from exporters.host.documents import at, list_at, parse_document, text_at
from exporters.host.pace import Pace
from exporters.host.place import Told

DOCKER = (
    "var/lib/docker/containers/{}/config.v2.json",
    "var/snap/docker/common/var-lib-docker/containers/{}/config.v2.json",
)
"""Where Docker keeps a container, by its id."""
PODMAN = "var/lib/containers/storage"
ROOTLESS = ".local/share/containers/storage"
"""Below the home of a user with containers of their own."""
_LISTS = ("overlay-containers/containers.json", "overlay-containers/volatile-containers.json")
_LABELS = ("Config", "Labels")


class Docker(NamedTuple):
    """What Docker says of a container."""

    name: str
    told: Told | None
    """None unless it is of a pod."""


def parse_docker(text: str) -> Docker:
    """
    Return what ``config.v2.json`` says.

    Raises:
        ValueError: it is something else, or has no name.
    """
    document = parse_document(text)
    name = tidy(text_at(document, "Name").removeprefix("/"))
    if not name:
        msg = "it has no Name"
        raise ValueError(msg)
    labels = at(document, *_LABELS)
    namespace = tidy(text_at(labels, "io.kubernetes.pod.namespace"))
    pod = tidy(text_at(labels, "io.kubernetes.pod.name"))
    container = tidy(text_at(labels, "io.kubernetes.container.name"))
    if not namespace or not pod:
        return Docker(name, None)
    if text_at(labels, "io.kubernetes.docker.type") == "podsandbox":
        return Docker(name, Told(namespace, pod, sandbox=True))
    return Docker(name, Told(namespace, pod, container))


def from_docker(facts: Facts, container_id: str) -> Docker | None:
    """Return what Docker says of a container; None where it says nothing."""
    for pattern in DOCKER:
        path = pattern.format(container_id)
        text = facts.raw(path)
        if text:
            try:
                return parse_docker(text)
            except ValueError as error:
                facts.failures.append(Failure(path, error))
    return None


def parse_containers(text: str) -> dict[str, str]:
    """
    Return the names by id of a list of containers/storage.

    Raises:
        ValueError: it is something else.
    """
    entries = list_at(parse_document(text))
    if entries is None:
        msg = "it is not a list of containers"
        raise ValueError(msg)
    found = {}
    for entry in entries:
        names = list_at(entry, "names")
        name = names[0] if names else None
        if isinstance(name, str) and tidy(name):
            found[text_at(entry, "id")] = tidy(name)
    return found


def parse_homes(text: str) -> dict[str, str]:
    """Return the homes of users by their numbers, of ``/etc/passwd``: passwd(5)."""
    users = (line.split(":") for line in text.splitlines())
    return {user[2]: user[5] for user in users if len(user) == 7}  # noqa: PLR2004  # its fields


@dataclass(slots=True)
class Podman:
    """The names that Podman has given, by store; a list is read when an id is not in it."""

    _stores: dict[str, dict[str, str]] = field(default_factory=dict)
    _paces: dict[str, Pace] = field(default_factory=dict)

    def name(self, facts: Facts, container_id: str, user: str) -> str:
        """Return the name of a container of a user's, or of root's; empty where none tells."""
        store = self._store(facts, user)
        if store is None:
            return ""
        names = self._stores.get(store, {})
        if container_id not in names and self._paces.setdefault(store, Pace()).due(facts.root):
            names = self._stores[store] = self._read(facts, store)
        return names.get(container_id, "")

    @staticmethod
    def _store(facts: Facts, user: str) -> str | None:
        if not user:
            return PODMAN
        home = parse_homes(facts.raw("etc/passwd")).get(user, "").strip("/")
        return f"{home}/{ROOTLESS}" if home else None

    @staticmethod
    def _read(facts: Facts, store: str) -> dict[str, str]:
        names: dict[str, str] = {}
        for path in (f"{store}/{name}" for name in _LISTS):
            text = facts.raw(path)
            if text:
                try:
                    names |= parse_containers(text)
                except ValueError as error:
                    facts.failures.append(Failure(path, error))
        return names
