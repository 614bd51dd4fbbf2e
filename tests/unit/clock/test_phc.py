"""PTP hardware clocks."""

import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.clock import phc_ioctl
from exporters.clock.phc import COLLECTOR, check_recording, timescale
from exporters.clock.phc_ioctl import Reading, parse_offsets
from exporters.core.replay import ReplayRoot
from tests.support.collect import run, values
from tests.support.kernel_headers import compiled, evaluate
from tests.support.readings import failed

MakeTree = Callable[[dict[str, str | bytes]], Path]
Moments = list[tuple[int, int]]

SECOND = 1_000_000_000
NOW = 1_785_000_000
ONE: dict[str, str | bytes] = {
    "sys/class/ptp/ptp0/clock_name": "igc-0000:02:00.0-ptp\n",
    "sys/class/ptp/ptp0/max_adjustment": "62499999\n",
    "sys/class/ptp/ptp0/device/net/enp2s0/carrier": "1\n",
}


def answer(samples: int, moments: Moments, size: int) -> bytes:
    """Return an ioctl's answer with these times, padded to its size."""
    head = struct.pack("=I12x", samples)
    return (head + b"".join(struct.pack("=qI4x", *one) for one in moments)).ljust(size, b"\0")


def extended(*samples: tuple[int, int, int]) -> bytes:
    """Return an answer to PTP_SYS_OFFSET_EXTENDED: before, clock, after, in nanoseconds."""
    moments = [divmod(moment, SECOND) for sample in samples for moment in sample]
    return answer(len(samples), moments, phc_ioctl.EXTENDED_BYTES)


def plain(*moments: int) -> bytes:
    """Return an answer to PTP_SYS_OFFSET: system, clock, system, ..., in nanoseconds."""
    return answer(
        len(moments) // 2, [divmod(one, SECOND) for one in moments], phc_ioctl.PLAIN_BYTES
    )


def test_requests_and_sizes_are_the_kernels(tmp_path: Path) -> None:
    """By the macros of linux/ptp_clock.h."""
    expressions = [
        "PTP_SYS_OFFSET_EXTENDED", "sizeof(struct ptp_sys_offset_extended)",
        "PTP_SYS_OFFSET", "sizeof(struct ptp_sys_offset)",
    ]  # fmt: skip
    assert [
        phc_ioctl._EXTENDED, phc_ioctl.EXTENDED_BYTES, phc_ioctl._PLAIN, phc_ioctl.PLAIN_BYTES,
    ] == evaluate(tmp_path, ["linux/ptp_clock.h"], expressions)  # fmt: skip


@pytest.mark.parametrize(
    ("struct_", "times", "expected"),
    [
        (
            "struct ptp_sys_offset_extended",
            "{{100, 0}, {137, 500}, {100, 3000}}, {{100, 5000}, {137, 5800}, {100, 6000}}",
            # The second is read in 1000 ns, around 5500: 300 ns later than that, and 37 s.
            Reading(37 * SECOND + 300, 1000),
        ),
        (
            "struct ptp_sys_offset",
            "{100, 0}, {99, 999999000}, {100, 2000}, {100, 1000}, {100, 6000}",
            # The first is read in 2000 ns, around 1000: 2000 ns before that.
            Reading(-2000, 2000),
        ),
    ],
    ids=["extended", "plain"],
)
def test_answers_by_the_structs(
    tmp_path: Path, struct_: str, times: str, expected: Reading
) -> None:
    """The C compiler lays an answer out; the sample with the smallest window counts."""
    code = f"{struct_} a = {{.n_samples = 2, .ts = {{{times}}}}};\nfwrite(&a, sizeof a, 1, stdout);"
    assert expected == parse_offsets(compiled(tmp_path, ["linux/ptp_clock.h"], code))


def test_a_system_clock_that_was_set() -> None:
    """A sample in which it went back has no window; the other one counts."""
    backwards = (5 * SECOND, 4 * SECOND, 3 * SECOND)
    assert Reading(1, 4) == parse_offsets(extended(backwards, (10, 13, 14)))
    with pytest.raises(ValueError, match="the system clock went back in every sample"):
        parse_offsets(extended(backwards))


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (b"", "0 bytes are no answer of a PTP clock: 1216 or 832"),
        (bytes(1216), "with 0 samples"),
        (struct.pack("=I", 26) + bytes(828), "with 26 samples"),
        (answer(1, [(1, SECOND)], 1216), "a time with 1000000000 nanoseconds"),
    ],
)
def test_an_answer_that_is_none(reply: bytes, message: str) -> None:
    """Another size, count or nanosecond is refused."""
    with pytest.raises(ValueError, match=message):
        parse_offsets(reply)


@given(st.sampled_from([phc_ioctl.EXTENDED_BYTES, phc_ioctl.PLAIN_BYTES]), st.data())
def test_any_bytes(size: int, data: st.DataObject) -> None:
    """Any bytes give a window that is none below 0, or a ValueError."""
    reply = data.draw(st.binary(max_size=200)).ljust(
        size, data.draw(st.sampled_from([b"\0", b"\1"]))
    )
    try:
        assert parse_offsets(reply).window_ns >= 0
    except ValueError:
        return


@pytest.mark.parametrize(
    ("offset", "tai", "expected"),
    [
        (37 * SECOND + 120, 37, ("tai", 120)),
        (-80, 37, ("utc", -80)),
        (18 * SECOND, 37, ("utc", 18 * SECOND)),
        (37 * SECOND + 120, 0, ("unknown", 37 * SECOND + 120)),
        # Never set: it counts from when it was switched on.
        (-NOW * SECOND, 37, ("utc", -NOW * SECOND)),
    ],
)
def test_time_scales(offset: int, tai: int, expected: tuple[str, int]) -> None:
    """By which it is closer to; not guessed where the kernel does not know TAI."""
    assert expected == timescale(offset, tai)


def test_a_recorded_clock(make_tree: MakeTree) -> None:
    """What it is from sysfs, how far off it is from the answer of the ioctl, TAI from adjtimex."""
    start = NOW * SECOND
    tree = make_tree(
        {
            **ONE,
            "replay/adjtimex.json": json.dumps({"state": 0, "status": 8192, "tai": 37}),
            "replay/phc/ptp0.bin": extended((start, start + 37 * SECOND + 750, start + 1000)),
        }
    )
    assert {
        'tailsight_ptp_clock_info{clock="ptp0",name="igc-0000:02:00.0-ptp",interface="enp2s0"}': 1,
        'tailsight_ptp_clock_max_frequency_adjustment_ratio{clock="ptp0"}': 0.062499999,
        'tailsight_ptp_clock_offset_seconds{clock="ptp0",timescale="tai"}': 250e-9,
        'tailsight_ptp_clock_offset_uncertainty_seconds{clock="ptp0"}': 500e-9,
    } == values(run(COLLECTOR, ReplayRoot(str(tree))))


def test_a_recorded_clock_without_tai(make_tree: MakeTree) -> None:
    """The offset is as it is read, and says so."""
    start = NOW * SECOND
    reply = plain(start, start + 37 * SECOND + 750, start + 1000)
    tree = make_tree({**ONE, "replay/phc/ptp0.bin": reply})
    found = values(run(COLLECTOR, ReplayRoot(str(tree))))
    assert (
        37.00000025
        == (found['tailsight_ptp_clock_offset_seconds{clock="ptp0",timescale="unknown"}'])
    )


def test_a_recording_without_answers(make_tree: MakeTree) -> None:
    """A clock that was not asked is told of, and no device of this machine is opened."""
    outcome = run(COLLECTOR, ReplayRoot(str(make_tree(ONE))))
    assert ("ok", [], 2) == (outcome.status, failed(outcome), len(outcome.samples))


def test_one_of_two_clocks_is_broken(make_tree: MakeTree) -> None:
    """It costs the other one nothing."""
    files: dict[str, str | bytes] = {
        **ONE,
        "sys/class/ptp/ptp1/clock_name": "broken\n",
        "sys/class/ptp/ptp1/max_adjustment": "many\n",
        "replay/phc/ptp0.bin": extended((0, 5, 10)),
        "replay/phc/ptp1.bin": b"short",
    }
    outcome = run(COLLECTOR, ReplayRoot(str(make_tree(files))))
    assert ["replay/phc/ptp1", "sys/class/ptp/ptp1/max_adjustment"] == failed(outcome)
    assert 'tailsight_ptp_clock_offset_seconds{clock="ptp0",timescale="unknown"}' in values(outcome)


def test_a_recorded_clock_that_goes(make_tree: MakeTree) -> None:
    """An empty version of its answer: the clock is there and cannot be read."""
    files: dict[str, str | bytes] = {
        **ONE,
        "replay/clock.json": '{"epoch": 0, "speed": 0}',
        "replay/phc/ptp0.bin": extended((0, 5, 10)),
        "replay/phc/ptp0@60.bin": b"",
    }
    root = ReplayRoot(str(make_tree(files)))
    assert 4 == len(run(COLLECTOR, root).samples)
    root.elapsed = lambda: 61.0  # type: ignore[method-assign]
    assert 2 == len(run(COLLECTOR, root).samples)


def test_no_clock(make_tree: MakeTree) -> None:
    """Most virtual machines and many network cards have none."""
    outcome = run(COLLECTOR, ReplayRoot(str(make_tree({"proc/version": "x"}))))
    assert "absent" == outcome.status
    assert "no PTP hardware clock: /sys/class/ptp has none" == outcome.reason


def test_a_recording_is_checked() -> None:
    """A file that is no answer is named, a sound or an empty one is not."""
    check_recording({"ptp0.bin": extended((0, 5, 10)), "ptp0@9.bin": b""})
    with pytest.raises(ValueError, match=r"^ptp1\.bin: 3 bytes are no answer of a PTP clock"):
        check_recording({"ptp1.bin": b"abc"})
