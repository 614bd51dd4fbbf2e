"""Reads one control group."""

import errno

from exporters.core import Root
from exporters.host.cgroup_mounts import Steps
from exporters.host.cgroup_parts import Reading
from exporters.host.process_faults import Faults

# The group has gone or has no such controller; its pressure is not measured (psi=0).
SILENT = frozenset({errno.ENOENT, errno.ENODEV, errno.EOPNOTSUPP})


def read_group(root: Root, path: str, steps: Steps, faults: Faults) -> Reading:
    """
    Return what a group tells now; nothing of what its kernel or its controllers do not.

    Args:
        root: the node.
        path: below the mounts.
        steps: what to read.
        faults: takes what is there and cannot be read.
    """
    found: dict[str, int | float] = {}
    for mount, part in steps:
        texts, name = [], ""
        try:
            for name in part.files:
                texts.append(root.read(f"{mount}/{path}/{name}"))
            found.update(part.parse(*texts))
        except OSError as error:
            if error.errno not in SILENT:
                faults.add(path, f"{mount}/[group]/{name}", error)
        except ValueError as error:
            faults.add(path, f"{mount}/[group]/{name}", error)
    return found
