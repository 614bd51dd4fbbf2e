"""What an errno of a sensor means, and what a person can do about it."""

import errno
import os
from typing import NamedTuple

from exporters.check.row import Verdict
from exporters.hardware.nvml.errors import NvmlError
from exporters.hardware.nvml.state import reason, state_of


class Meaning(NamedTuple):
    """What a failed read says of its source."""

    verdict: Verdict
    reason: str
    fix: str
    """What to do; empty where the collector's own advice is the better one."""


_UNPLUGGED = "nothing, if it was unplugged; else see dmesg for why the driver let go of it"
# Of a read that fails with it. EACCES and EPERM have no fix here: each collector knows its own.
MEANINGS = {
    errno.EACCES: Meaning("denied", "permission denied (EACCES)", ""),
    errno.EPERM: Meaning("denied", "operation not permitted (EPERM)", ""),
    errno.EAGAIN: Meaning(
        "absent", "the part is switched off now (EAGAIN)", "nothing: it reads again when in use"
    ),
    errno.ENODATA: Meaning(
        "absent", "the device has no reading now (ENODATA)", "nothing: it reads again when in use"
    ),
    errno.EBUSY: Meaning(
        "absent",
        "the CPU or device is offline (EBUSY)",
        "bring it online (echo 1 > /sys/devices/system/cpu/cpuN/online), or leave it so",
    ),
    errno.ENOENT: Meaning("absent", "the file is gone (ENOENT)", _UNPLUGGED),
    errno.ENODEV: Meaning("absent", "the device is gone (ENODEV)", _UNPLUGGED),
    errno.ECONNREFUSED: Meaning("absent", "nobody listens there (ECONNREFUSED)", ""),
    errno.ENXIO: Meaning("absent", "the device is gone (ENXIO)", _UNPLUGGED),
    errno.EOPNOTSUPP: Meaning(
        "absent", "the device or its driver does not have it (EOPNOTSUPP)", "nothing to do"
    ),
    errno.EIO: Meaning(
        "broken", "the device did not answer (EIO)", "see dmesg: a bus, cable or firmware fault"
    ),
    errno.EREMOTEIO: Meaning(
        "broken",
        "the device did not answer on its bus (EREMOTEIO)",
        "see dmesg for its I2C bus: no power, a cable, or another master that holds it",
    ),
    errno.EINVAL: Meaning(
        "broken", "the driver refuses the read (EINVAL)", "see dmesg; the driver or firmware"
    ),
    errno.E2BIG: Meaning("absent", "more than one scrape reads (E2BIG)", "choose fewer of them"),
    errno.ETIMEDOUT: Meaning(
        "broken", "the read does not come back", "see dmesg: the driver or its bus hangs"
    ),
}
# Where a collector says more than the errno, it is said.
_SAID = frozenset({errno.EACCES, errno.EPERM, errno.E2BIG})
UNREADABLE = Meaning("broken", "", "report it with the content of the file: the driver is unusual")
_OF_STATE: dict[str, Verdict] = {"absent": "absent", "no_permission": "denied"}


def meaning(error: Exception) -> Meaning:
    """Return what a failed read says of its source."""
    if isinstance(error, NvmlError):
        advice = reason(error).removeprefix(f"{error.strerror}: ")
        return Meaning(verdict_of_state(state_of(error)), str(error), advice)
    if not isinstance(error, OSError):
        return UNREADABLE._replace(reason=str(error))
    if error.errno is None or type(error).__module__ != "builtins":
        # A daemon's own kind of silence, or of refusal: its collector knows what may be wrong.
        return Meaning("broken", error.strerror or str(error), "")
    return _of_errno(error.errno, error.strerror or str(error))


def _of_errno(number: int, said: str) -> Meaning:
    known = MEANINGS.get(number)
    if known is None:
        name = errno.errorcode.get(number, "")
        return Meaning("broken", f"{said}{f' ({name})' if name else ''}", "see dmesg")
    more = number in _SAID and said != os.strerror(number)
    return known._replace(reason=said) if more else known


def verdict_of_state(state: str) -> Verdict:
    """Return the verdict on NVML in one of its states but ``ok``."""
    return _OF_STATE.get(state, "broken")
