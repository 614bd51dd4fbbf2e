"""What is known of the node: privileges, mounts, kernel options, and what they explain."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.check.explain import Node, explain
from exporters.check.host import container_of
from exporters.check.hotplug import hotplug_row
from exporters.check.kconfig import kernel_config, said_of
from exporters.check.mounts import Mount, masked, mount_rows, parse_mountinfo
from exporters.check.nvml import explain_library
from exporters.check.privileges import Privileges, describe, parse_privileges
from exporters.check.row import Row
from exporters.core.replay import ReplayRoot

MakeTree = Callable[[dict[str, str | bytes]], Path]
FIRST_NAMESPACE = "         0          0 4294967295\n"
# As proc(5) and capabilities(7) write them: 0x4 is 1 << 2, CAP_DAC_READ_SEARCH.
STATUS = """\
Name:\tx
Uid:\t0\t1000\t0\t0
Gid:\t0\t44\t0\t0
Groups:\t44 107
CapEff:\t0000000000000004
"""
# Of a container, shortened: its overlay, /proc, /sys and two masks.
MOUNTINFO = """\
600 500 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/l
601 600 0:53 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw
602 600 0:54 / /sys ro,nosuid,nodev,noexec,relatime - sysfs sysfs ro
603 601 0:5 /null /proc/kcore rw,nosuid - devtmpfs udev rw,size=1k
604 602 0:60 / /sys/devices/virtual/powercap ro,relatime - tmpfs tmpfs ro
605 600 0:61 / /with\\040space rw shared:1 master:2 - tmpfs tmpfs rw
"""
ENERGY = Row(
    collector="rapl", kind="sensor", source="/sys/class/powercap/intel-rapl:0/energy_uj",
    verdict="denied", reason="permission denied (EACCES)", fix="run as root",
    paths=("/sys/class/powercap/intel-rapl:0/energy_uj",),
)  # fmt: skip
XE = Row(
    collector="xe", kind="collector", source="/sys/class/drm/card*", verdict="absent",
    reason="no card", fix="needs CONFIG_DRM_XE and CONFIG_DRM",
)  # fmt: skip
NVML = Row(
    collector="nvml", kind="collector", source="libnvidia-ml.so.1", verdict="absent",
    reason="it cannot be loaded", fix="install it",
)  # fmt: skip
NOBODY = Privileges(1000, (1000,), (), confined=False)
READER = Privileges(1000, (1000,), ("CAP_DAC_READ_SEARCH",), confined=False)


def test_effective_user_groups_and_capabilities() -> None:
    """The effective ids count, not the real ones; every group once."""
    who = parse_privileges(STATUS, FIRST_NAMESPACE)

    assert Privileges(1000, (44, 107), ("CAP_DAC_READ_SEARCH",), confined=False) == who
    assert who.reads_all


def test_capabilities_of_a_user_namespace_open_no_file() -> None:
    """Root of a rootless container has all capabilities, but not over the files of sysfs."""
    who = parse_privileges(STATUS, "0 1000 1\n")

    assert who.confined
    assert not who.reads_all
    assert "user namespace" in describe(who)["user"]


@given(st.text(), st.text())
def test_any_status_gives_privileges_or_value_error(status: str, uid_map: str) -> None:
    """Nothing but ValueError comes out of the parser."""
    try:
        parse_privileges(status, uid_map)
    except ValueError:
        return


@given(st.text())
def test_any_mountinfo_gives_mounts_or_value_error(text: str) -> None:
    """Nothing but ValueError comes out of the parser."""
    try:
        parse_mountinfo(text)
    except ValueError:
        return


def test_mounts_and_masks_of_a_container() -> None:
    """A tmpfs and a /dev/null over something hide it; /proc and /sys are there, one read-only."""
    mounts = parse_mountinfo(MOUNTINFO)

    assert ["/proc/kcore", "/sys/devices/virtual/powercap"] == masked(mounts)
    assert "ro" in mounts["/sys"].options
    assert "/with space" in mounts


def test_a_read_only_sys_is_enough(make_tree: MakeTree) -> None:
    """It is said, and it is ok."""
    root = ReplayRoot(str(make_tree({"sys/class/net/lo/mtu": "1"})))
    proc, sys = mount_rows(parse_mountinfo(MOUNTINFO), root)

    assert ("ok", "ok") == (proc.verdict, sys.verdict)
    assert ("proc, writable", True) == (proc.sample, sys.sample.startswith("sysfs, read-only"))


@pytest.mark.parametrize(
    ("mounts", "place", "reason"),
    [
        ({}, 1, "no sysfs is mounted there"),
        ({}, 0, "no proc is mounted there"),
        (None, 0, "no proc is mounted there: /proc/self cannot be read"),
        (None, 1, "/sys/class is empty"),
        ({"/sys": Mount("tmpfs", frozenset(), "/")}, 1, "tmpfs is mounted there, not sysfs"),
        ({"/sys": Mount("sysfs", frozenset(), "/")}, 1, "/sys/class is empty"),
        ({"/proc": Mount("proc", frozenset({"subset=pid"}), "/")}, 0, "mounted with subset=pid"),
    ],
)
def test_a_mount_that_is_no_good(
    mounts: dict[str, Mount] | None, place: int, reason: str, make_tree: MakeTree
) -> None:
    """Absent, wrong, empty and partial mounts are broken, each with its reason and a fix."""
    row = list(mount_rows(mounts, ReplayRoot(str(make_tree({"etc/x": "1"})))))[place]

    assert "broken" == row.verdict
    assert row.reason.startswith(reason)
    assert "mount -t" in row.fix


def test_a_mask_explains_what_it_hides(make_tree: MakeTree) -> None:
    """Energy behind a masked powercap is denied, with the flags that unmask it."""
    tree = make_tree({"sys/devices/virtual/powercap/x": "1"})
    (tree / "sys/class/powercap").mkdir(parents=True)
    link = tree / "sys/class/powercap/intel-rapl:0"
    link.symlink_to("../../devices/virtual/powercap/intel-rapl/intel-rapl:0")
    node = Node(ReplayRoot(str(tree)), {}, ("/sys/devices/virtual/powercap",))
    whole = Row(
        collector="rapl", kind="collector", source="/sys/class/powercap", verdict="broken"
    )  # fmt: skip

    for row in (explain(ENERGY, node), explain(whole, node)):
        assert "denied" == row.verdict
        assert "masked by the container runtime" in row.reason
        assert "unmask=/sys/devices/virtual/powercap" in row.fix
    assert XE == explain(XE, node)


@pytest.mark.parametrize(("who", "fix"), [(NOBODY, "run as root"), (READER, "security module")])
def test_denied_says_whose_file_it_is(who: Privileges, fix: str, make_tree: MakeTree) -> None:
    """Mode and owner are shown; whom the mode does not stop is sent elsewhere."""
    tree = make_tree({ENERGY.source.removeprefix("/"): "1"})
    (tree / ENERGY.source.removeprefix("/")).chmod(0o400)
    row = explain(ENERGY, Node(ReplayRoot(str(tree)), {}, who=who))

    assert "EACCES): -r-------- uid " in row.reason
    assert fix in row.fix


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ("CONFIG_DRM=y\n# CONFIG_DRM_XE is not set\n", "no card; this kernel lacks CONFIG_DRM_XE"),
        ("CONFIG_DRM=y\nCONFIG_DRM_XE=m\n", "no card; this kernel has as a module CONFIG_DRM_XE"),
        ("CONFIG_DRM=y\nCONFIG_DRM_XE=y\n", "no card; this kernel has what it needs"),
    ],
)
def test_absent_says_what_the_kernel_has(config: str, reason: str, make_tree: MakeTree) -> None:
    """The options that the fix names are looked up in /proc/config.gz."""
    root = ReplayRoot(str(make_tree({"proc/config.gz": gzip.compress(config.encode())})))

    assert reason == explain(XE, Node(root, kernel_config(root))).reason


def test_configuration_beside_the_kernel(make_tree: MakeTree) -> None:
    """Distributions put it into /boot under the release; a bad config.gz is passed over."""
    files: dict[str, str | bytes] = {
        "proc/config.gz": b"no gzip", "proc/sys/kernel/osrelease": "6.1.0\n",
        "boot/config-6.1.0": "CONFIG_DRM=y\n",
    }  # fmt: skip

    assert {"CONFIG_DRM": "y"} == kernel_config(ReplayRoot(str(make_tree(files))))


def test_unknown_configuration_says_nothing(make_tree: MakeTree) -> None:
    """No statement without a source."""
    assert "" == said_of(XE.fix, kernel_config(ReplayRoot(str(make_tree({"etc/x": "1"})))))


@pytest.mark.parametrize(
    ("error", "verdict", "reason"),
    [
        ("libnvidia-ml.so.1: cannot open shared object file: No such file or directory", "absent",
         "no libnvidia-ml.so.1, and no GPU"),
        ("/usr/lib/libnvidia-ml.so.1: file too short", "broken", "the library is no good"),
        ("libfoo.so: cannot open shared object file: No such file or directory", "broken",
         "the library is no good"),
    ],
)  # fmt: skip
def test_a_library_that_is_no_good_is_not_absent(
    error: str, verdict: str, reason: str, make_tree: MakeTree
) -> None:
    """What the dynamic loader says tells an absent library from an unusable one."""
    row = explain_library(NVML, ReplayRoot(str(make_tree({"etc/x": "1"}))), error)

    assert verdict == row.verdict
    assert row.reason.startswith(reason)


def test_a_gpu_without_library_needs_action(make_tree: MakeTree) -> None:
    """PCI class 03 of vendor 10de and no NVML: the container or node lacks the driver's library."""
    gpu = "sys/bus/pci/devices/0000:01:00.0"
    tree = make_tree({f"{gpu}/vendor": "0x10de\n", f"{gpu}/class": "0x030200\n"})
    error = "libnvidia-ml.so.1: cannot open shared object file: No such file or directory"
    row = explain_library(NVML, ReplayRoot(str(tree)), error)

    assert ("broken", "install it") == (row.verdict, row.fix)
    assert "on the PCI bus" in row.reason


def test_signs_of_a_container(make_tree: MakeTree) -> None:
    """Files and variables that the runtimes leave."""
    root = ReplayRoot(str(make_tree({"run/.containerenv": "", "etc/x": ""})))

    assert "Podman" == container_of(root, {})
    assert "Kubernetes, Podman, lxc" == container_of(
        root, {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "container": "lxc"}
    )


def test_hotplug_that_is_off_says_so() -> None:
    """No source of uevents is no fault, but it has a reason and a fix."""
    row = hotplug_row("off")

    assert ("absent", "switched off", "--hotplug=auto") == (row.verdict, row.reason, row.fix)
