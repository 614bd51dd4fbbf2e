"""
Asks the kernel for the state of its clock: ``adjtimex`` with nothing to set, which anybody may.

The raw system call is made, not libc's ``adjtimex``: that of glibc calls ``clock_adjtime`` since
2.31, which container runtimes let through years later than adjtimex (moby#33126, moby#40929).
``adjtimex(2)``, linux/timex.h.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from exporters.core.replay import ReplayRoot
from exporters.core.root import Root
from exporters.core.timed import LATEST_SECONDS, at, is_moment

RECORDING = "adjtimex.json"

PHASE_LIMIT = 16_000_000
"""NTP_PHASE_LIMIT of kernel/time/ntp.c in microseconds: an error of so much is unknown."""
TIME_ERROR = 5
_CALLS = {"x86_64": 159, "aarch64": 171, "riscv64": 171}
# modes, offset freq maxerror esterror, status, constant precision tolerance, time, tick,
# ppsfreq jitter, shift, stabil jitcnt calcnt errcnt stbcnt, tai, room for more.
_TIMEX = struct.Struct("@I4li3l2ll2li5li44x")
_PLACES = {
    "offset": 1, "freq": 2, "maxerror": 3, "esterror": 4, "status": 5, "tick": 11,
    "ppsfreq": 12, "jitter": 13, "jitcnt": 16, "calcnt": 17, "errcnt": 18, "stbcnt": 19, "tai": 20,
}  # fmt: skip


class Timex(NamedTuple):
    """Members of ``struct timex`` by their names, in the kernel's units; defaults as at boot."""

    state: int
    """What the call returned."""
    status: int
    offset: int = 0
    freq: int = 0
    maxerror: int = PHASE_LIMIT
    esterror: int = PHASE_LIMIT
    tick: int = 10_000
    ppsfreq: int = 0
    jitter: int = 0
    jitcnt: int = 0
    calcnt: int = 0
    errcnt: int = 0
    stbcnt: int = 0
    tai: int = 0


Ask = Callable[[], Timex]


def source(root: Root) -> Ask | None:
    """
    Return what to call for the state of the root's clock; None where a recording has none.

    What is returned raises OSError where the kernel refuses, EPERM if a filter of system calls
    (seccomp) does.

    Raises:
        ValueError: the recording is none.
    """
    if root.live:
        return partial(_ask, ctypes.CDLL(None, use_errno=True))
    document = root.document(RECORDING) if isinstance(root, ReplayRoot) else None
    if document is None or not isinstance(root, ReplayRoot):
        return None
    versions = parse_recording(document)
    return lambda: _recorded(versions, root.elapsed())


def parse_timex(state: int, answer: bytes) -> Timex:
    """
    Return what a ``struct timex`` says.

    Raises:
        ValueError: it has another size.
    """
    if len(answer) != _TIMEX.size:
        msg = f"{len(answer)} bytes are no struct timex, which has {_TIMEX.size}"
        raise ValueError(msg)
    members = _TIMEX.unpack(answer)
    return Timex(state, **{name: members[place] for name, place in _PLACES.items()})


def _ask(libc: ctypes.CDLL) -> Timex:
    answer = ctypes.create_string_buffer(_TIMEX.size)
    number = _CALLS.get(os.uname().machine)
    if number is not None and ctypes.sizeof(ctypes.c_void_p) == 8:  # noqa: PLR2004  # bytes
        state = libc.syscall(ctypes.c_long(number), answer)
    else:
        state = libc.adjtimex(answer)
    if state < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), "adjtimex")
    return parse_timex(state, answer.raw)


def parse_recording(document: Any) -> Sequence[Mapping[str, Any]]:
    """
    Check ``replay/adjtimex.json``: one object, or a list of timed versions of it.

    ``{"state": 0, "status": 8193, "offset": -570, "maxerror": 12500}``: whole numbers by the names
    of ``struct timex``, in its units; state and status must be there. A version has "at" besides,
    and may have "errno" instead of all else.

    Raises:
        ValueError: it is something else; the text says what is wrong.
    """
    versions = document if isinstance(document, list) else [document]
    if not versions:
        msg = "wants an object, or a list with at least one"
        raise ValueError(msg)
    timed = isinstance(document, list)
    return sorted((_version(one, timed=timed) for one in versions), key=lambda one: one["at"])


def _version(one: Any, *, timed: bool) -> Mapping[str, Any]:
    if not isinstance(one, dict):
        msg = f"wants an object, got {str(one)[:60]!r}"
        raise ValueError(msg)  # noqa: TRY004  # as all parsers do
    members = dict(one)
    moment = members.pop("at", None) if timed else -LATEST_SECONDS
    if not is_moment(moment):
        msg = f'a version wants "at" in seconds: {str(one)[:80]}'
        raise ValueError(msg)
    if set(members) == {"errno"}:
        if members["errno"] not in errno.errorcode.values():
            msg = f"no such errno: {members['errno']!r}"
            raise ValueError(msg)
        return {"at": moment, "errno": members["errno"]}
    strange = [name for name in members if name not in Timex._fields]
    missing = [name for name in ("state", "status") if name not in members]
    wrong = [name for name, value in members.items() if not _is_long(value)]
    if strange or missing or wrong:
        msg = (
            f"wants whole numbers for state, status and perhaps {', '.join(Timex._fields[2:])}:"
            f" {str(one)[:80]}"
        )
        raise ValueError(msg)
    return {"at": moment, "timex": Timex(**members)}


def _is_long(value: Any) -> bool:
    number = isinstance(value, int) and not isinstance(value, bool)
    return number and -(2**63) <= value < 2**63


def _recorded(versions: Sequence[Mapping[str, Any]], seconds: float) -> Timex:
    version = at(versions, seconds)
    name = "ENOSYS" if version is None else version.get("errno")
    if version is None or name is not None:
        number = getattr(errno, str(name))
        raise OSError(number, os.strerror(number), "adjtimex")
    found: Timex = version["timex"]
    return found
