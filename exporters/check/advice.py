"""What an errno of a sensor means, and what a person can do about it."""

import errno
from typing import Literal, NamedTuple

Verdict = Literal["ok", "absent", "denied", "broken"]


class Meaning(NamedTuple):
    """What a failed read says of its source."""

    verdict: Verdict
    reason: str
    fix: str
    """What to do; empty where the collector's own advice is the better one."""


# Of a read that fails with it. EACCES and EPERM have no fix here: each collector knows its own.
MEANINGS = {
    errno.EACCES: Meaning("denied", "permission denied", ""),
    errno.EPERM: Meaning("denied", "operation not permitted", ""),
    errno.EAGAIN: Meaning(
        "absent", "the part is switched off now (EAGAIN)", "nothing: it reads again when in use"
    ),
    errno.ENODATA: Meaning(
        "absent", "the device has no reading now (ENODATA)", "nothing: it reads again when in use"
    ),
    errno.EBUSY: Meaning(
        "absent", "the CPU or device is offline (EBUSY)", "bring it online to read it"
    ),
    errno.ENOENT: Meaning(
        "absent", "the file is gone (ENOENT)", "nothing, if its device was unplugged"
    ),
    errno.ENODEV: Meaning("absent", "the device is gone (ENODEV)", "nothing, if it was unplugged"),
    errno.ENXIO: Meaning(
        "absent", "the device is gone (ENXIO)", "nothing, if it was unplugged; else see dmesg"
    ),
    errno.EOPNOTSUPP: Meaning(
        "absent", "the kernel does not support it (EOPNOTSUPP)", "a kernel with the option"
    ),
    errno.EIO: Meaning(
        "broken", "the device did not answer (EIO)", "see dmesg: a bus, cable or firmware fault"
    ),
    errno.EINVAL: Meaning(
        "broken", "the driver refuses the read (EINVAL)", "see dmesg; the driver or firmware"
    ),
    errno.ETIMEDOUT: Meaning(
        "broken", "the read does not come back", "see dmesg: the driver or its bus hangs"
    ),
}
UNREADABLE = Meaning("broken", "", "report it with the content of the file: the driver is unusual")


def meaning(error: Exception) -> Meaning:
    """Return what a failed read says of its source."""
    if not isinstance(error, OSError):
        return UNREADABLE._replace(reason=str(error))
    known = MEANINGS.get(error.errno or 0)
    if known:
        return known
    name = errno.errorcode.get(error.errno or 0, "")
    return Meaning(
        "broken", f"{error.strerror or error}{f' ({name})' if name else ''}", "see dmesg"
    )
