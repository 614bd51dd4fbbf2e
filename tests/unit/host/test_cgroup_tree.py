"""Which control groups count, and as what."""

import errno
from pathlib import Path

import pytest

from exporters.core import Root
from exporters.host import cgroup_tree
from exporters.host.cgroup_tree import Identity, Look, Role, Tree, role_of
from exporters.host.pace import SELDOM_SECONDS
from exporters.host.process_faults import Faults

ID = "0123456789ab" + 52 * "0"
ID2 = "ba9876543210" + 52 * "0"
UID = "402b7eec-0fbd-4eb2-8ba6-b4624fd238c9"
SLICE = f"kubepods-pod{UID.replace('-', '_')}.slice"


def look(tmp_path: Path, *paths: str) -> tuple[Look, Faults]:
    """Return what a tree of these groups gives."""
    for path in paths:
        (tmp_path / "mount" / path).mkdir(parents=True, exist_ok=True)
    faults = Faults("", "control group", "control groups")
    return Tree().look(Root(str(tmp_path)), "mount", faults), faults


@pytest.mark.parametrize(
    ("path", "role"),
    [
        (f"docker/{ID}", Role.CONTAINER),
        (f"system.slice/docker-{ID}.scope", Role.CONTAINER),
        (f"kubepods.slice/{SLICE}/cri-containerd-{ID}.scope", Role.CONTAINER),
        (f"machine.slice/libpod-{ID}.scope/container", None),
        (f"machine.slice/libpod-conmon-{ID}.scope", None),
        (f"kubepods.slice/{SLICE}", Role.POD),
        (f"kubepods/besteffort/pod{UID}", Role.POD),
        (f"kubepods/besteffort/pod{UID}/leaf", None),
        ("kubepods.slice", None),
        ("system.slice/nginx.service", Role.SERVICE),
        ("system.slice/system-getty.slice/getty@tty1.service", Role.SERVICE),
        ("system.slice/redis.service/runtime", None),
        ("user.slice/user-1000.slice/user@1000.service", None),
        ("user.slice/user-1000.slice/user@1000.service/app.slice/jupyter.service", Role.SERVICE),
        ("user.slice/user-1000.slice/session-3.scope", None),
        ("system.slice/nginx.service/system.slice/inner.service", None),
        (f"docker/{ID}/system.slice/inner.service", None),
        ("init.scope", None),
    ],
)
def test_role(path: str, role: Role | None) -> None:
    """Containers, pods, and services of systemd, not what is inside of these."""
    assert role is role_of(path)


def test_groups_come_from_the_top_down(tmp_path: Path) -> None:
    """With the numbers of their folders; all are seen, those that count are told."""
    found, faults = look(tmp_path, f"b/{ID}", f"a/{ID2}", f"a/{ID}", "z.service")

    paths = ["z.service", f"a/{ID}", f"a/{ID2}", f"b/{ID}"]
    assert paths == [group.identity.path for group in found.groups]
    inode = (tmp_path / "mount" / f"a/{ID2}").stat().st_ino
    assert Identity(f"a/{ID2}", inode) == found.groups[2].identity
    assert {*paths, "a", "b"} == {one.path for one in found.seen}
    assert not faults


def test_who_holds_containers(tmp_path: Path) -> None:
    """A pod does, whatever is in it; a service where a container is below it (Quadlet)."""
    found, _ = look(
        tmp_path,
        f"{SLICE}",
        f"system.slice/redis.service/libpod-payload-{ID}",
        "system.slice/nginx.service/workers",
        f"docker/{ID2}",
    )

    holds = {group.identity.path: group.holds for group in found.groups}
    assert {
        SLICE: True,
        "system.slice/redis.service": True,
        f"system.slice/redis.service/libpod-payload-{ID}": False,
        "system.slice/nginx.service": False,
        f"docker/{ID2}": False,
    } == holds


def test_containers_in_a_container(tmp_path: Path) -> None:
    """A cluster in Docker, as kind has it: the node's container and those of its pods."""
    inner = f"docker/{ID}/kubelet.slice/{SLICE}/cri-containerd-{ID2}.scope"
    found, _ = look(tmp_path, inner)

    expected = [f"docker/{ID}", f"docker/{ID}/kubelet.slice/{SLICE}", inner]
    assert expected == [group.identity.path for group in found.groups]


def test_a_new_group_of_an_old_name_is_another(tmp_path: Path) -> None:
    """Its folder has another number."""
    first, _ = look(tmp_path, f"docker/{ID}")
    (tmp_path / "mount/docker" / ID).rename(tmp_path / "old")
    second, _ = look(tmp_path, f"docker/{ID}")

    [one], [other] = first.groups, second.groups
    assert one.identity.path == other.identity.path
    assert one.identity != other.identity


def test_a_folder_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are found; the failure says where, in words that stay the same."""
    listed = Root.folders

    def folders(root: Root, folder: str) -> list[tuple[str, int]]:
        if folder.endswith("denied"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return listed(root, folder)

    monkeypatch.setattr(Root, "folders", folders)
    found, faults = look(tmp_path, f"denied/{ID}", f"docker/{ID}")

    assert [f"docker/{ID}"] == [group.identity.path for group in found.groups]
    [failure] = faults.failures()
    assert "mount/[group]" == failure.where


def test_too_many_groups_are_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may make groups can make many; those further up are found before them."""
    monkeypatch.setattr(cgroup_tree, "MOST_GROUPS", 5)
    found, faults = look(tmp_path, *(f"a/b/{number}" for number in range(9)), f"docker/{ID}")

    assert [f"docker/{ID}"] == [group.identity.path for group in found.groups]
    assert 5 == len(found.seen)
    [failure] = faults.failures()
    assert "no more than 5 groups" in str(failure.error)


def test_groups_in_a_container_that_had_none(tmp_path: Path) -> None:
    """They are found within half a minute; in a folder that holds containers at once."""

    class Clocked(Root):
        """A root whose time the test sets."""

        time = 0.0

        def monotonic(self) -> float:
            return self.time

    tree, root = Tree(), Clocked(str(tmp_path))
    faults = Faults("", "control group", "control groups")
    outer, other = f"docker/{ID}", f"docker/{ID2}"
    inner = f"{outer}/kubelet.slice/{SLICE}"
    (tmp_path / "mount" / outer).mkdir(parents=True)
    for second in range(61):
        root.time = float(second)
        tree.look(root, "mount", faults)
    for path in (inner, other):
        (tmp_path / "mount" / path).mkdir(parents=True)

    def found() -> list[str]:
        return [group.identity.path for group in tree.look(root, "mount", faults).groups]

    root.time += 1
    assert [outer, other] == found()[:2]
    root.time += SELDOM_SECONDS
    assert [outer, other, inner] == found()
