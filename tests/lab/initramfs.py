"""
The first file system of the lab's kernel: busybox, modules, and a job to do.

https://docs.kernel.org/driver-api/early-userspace/buffer-format.html
"""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

INIT = Path(__file__).with_name("init.sh")
FOLDER, PROGRAM, PLAIN = 0o040755, 0o100755, 0o100644


def entry(number: int, name: str, mode: int, data: bytes = b"") -> bytes:
    """Return one file as cpio's format ``newc`` has it: thirteen hexadecimal fields and data."""
    raw = name.encode() + b"\0"
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(raw), 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + raw
    return _padded(head) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


def archive(files: Mapping[str, tuple[int, bytes]]) -> bytes:
    """Return a cpio archive of files with mode and content; folders first, as they come."""
    entries = [
        entry(number, name, mode, data)
        for number, (name, (mode, data)) in enumerate(files.items(), start=1)
    ]
    return b"".join(entries) + entry(0, "TRAILER!!!", 0)


def initramfs(
    busybox: bytes,
    modules: Iterable[tuple[str, bytes]],
    parameters: Mapping[str, str],
    job: Sequence[str],
) -> bytes:
    """
    Return an initramfs that loads modules and then does the job in the host's root.

    Modules that have no entry in ``parameters`` are loaded at boot without any; one whose entry
    is ``-`` is not loaded, but lies in ``/lab/modules`` for the job to load.
    """
    order, files = [], {}
    for name, content in modules:
        files[f"lab/modules/{name}.ko"] = (PLAIN, content)
        how = parameters.get(name, "")
        if how != "-":
            order.append(f"{name}.ko {how}".rstrip())
    return archive(
        {
            "bin": (FOLDER, b""),
            "lab": (FOLDER, b""),
            "lab/modules": (FOLDER, b""),
            "bin/busybox": (PROGRAM, busybox),
            "init": (PROGRAM, INIT.read_bytes()),
            "lab/order": (PLAIN, "".join(f"{line}\n" for line in order).encode()),
            "lab/job": (PROGRAM, f"#!/bin/sh\n{shlex.join(job)}\n".encode()),
            **files,
        }
    )
