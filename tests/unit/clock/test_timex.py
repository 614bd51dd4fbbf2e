"""The kernel's own clock."""

import errno
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.clock.adjtimex import Timex, parse_recording, parse_timex
from exporters.clock.timex import COLLECTOR, FLAGS, STATES, samples, synchronized
from exporters.core import Root
from exporters.core.replay import ReplayRoot
from tests.support.collect import run, values
from tests.support.kernel_headers import compiled, evaluate
from tests.support.readings import failed

MakeTree = Callable[[dict[str, str | bytes]], Path]
PLL, PPSTIME, INS, UNSYNC, PPSSIGNAL, CLOCKERR, NANO = (
    0x0001, 0x0004, 0x0010, 0x0040, 0x0100, 0x1000, 0x2000,
)  # fmt: skip

SYNCHRONIZED = 'tailsight_clock_synchronized{source="kernel"}'
OFFSET = 'tailsight_clock_offset_seconds{source="kernel"}'
BOUND = 'tailsight_clock_error_bound_seconds{source="kernel"}'
ESTIMATED = "tailsight_kernel_clock_estimated_error_seconds"
TAI = "tailsight_kernel_clock_tai_offset_seconds"


def said(timex: Timex) -> dict[str, object]:
    """Return what is exported of an answer, by series."""
    return {sample.series.prefix.rstrip(): sample.value for sample in samples(timex)}


def test_the_layout_is_the_kernels(tmp_path: Path) -> None:
    """A struct timex that the C compiler lays out comes back member by member."""
    members = Timex._fields[1:]
    sets = "".join(f"t.{name} = {number};\n" for number, name in enumerate(members, 1))
    body = f"struct timex t;\nmemset(&t, 0xff, sizeof t);\n{sets}fwrite(&t, sizeof t, 1, stdout);"
    expected = Timex(4, **{name: number for number, name in enumerate(members, 1)})
    assert expected == parse_timex(4, compiled(tmp_path, ["sys/timex.h"], body))


def test_names_are_in_the_kernels_order(tmp_path: Path) -> None:
    """Each STA_ bit and TIME_ state has the place of its name."""
    bits = [f"STA_{name.upper()}" for name in FLAGS]
    assert [1 << number for number in range(16)] == evaluate(tmp_path, ["linux/timex.h"], bits)
    names = ["TIME_OK", "TIME_INS", "TIME_DEL", "TIME_OOP", "TIME_WAIT", "TIME_ERROR"]
    assert list(range(len(STATES))) == evaluate(tmp_path, ["linux/timex.h"], names)


def test_a_clock_that_ntpd_steers() -> None:
    """
    By what strace showed of a container (moby#33126): offset=-79766, STA_PLL|STA_NANO.

    The kernel has yet to take 79,766 ns away, so the clock is ahead by them.
    """
    timex = Timex(
        0, PLL | NANO, offset=-79766, freq=7440, maxerror=821262, esterror=1774, tick=10000
    )
    assert {
        SYNCHRONIZED: 1,
        OFFSET: 79766e-9,
        BOUND: 0.821262,
        ESTIMATED: 0.001774,
        'tailsight_kernel_clock_state_info{state="ok"}': 1,
        'tailsight_kernel_clock_flag_info{flag="pll"}': 1,
        'tailsight_kernel_clock_flag_info{flag="nano"}': 1,
        # 7440 / 65536 parts per million.
        "tailsight_kernel_clock_frequency_adjustment_ratio": 1 + 0.113525390625e-6,
        "tailsight_kernel_clock_tick_seconds": 0.01,
    } == said(timex)


def test_the_unit_of_the_offset() -> None:
    """STA_NANO says nanoseconds, its absence microseconds."""
    assert 79.766e-3 == said(Timex(0, PLL, offset=-79766))[OFFSET]
    assert 79.766e-6 == said(Timex(0, PLL | NANO, offset=-79766))[OFFSET]


@pytest.mark.parametrize("status", [0, NANO])
def test_no_offset_without_the_kernels_loop(status: int) -> None:
    """Who steers by frequency leaves it 0, which says nothing of the clock (ntpd-rs#2202)."""
    assert OFFSET not in said(Timex(0, status, offset=0))


def test_an_offset_of_nothing_has_no_sign() -> None:
    """With the loop on, 0 is a reading, and not shown as -0."""
    assert "0.0" == str(said(Timex(0, PLL, offset=0))[OFFSET])


@pytest.mark.parametrize(
    ("state", "status"), [(5, UNSYNC), (5, CLOCKERR), (0, UNSYNC), (5, PLL | PPSTIME)]
)
def test_a_clock_that_follows_nothing(state: int, status: int) -> None:
    """TIME_ERROR or STA_UNSYNC: not synchronised, and neither offset nor bounds are told."""
    found = said(Timex(state, status, offset=5, maxerror=1000, esterror=1000))
    assert 0 == found[SYNCHRONIZED]
    assert set() == {OFFSET, BOUND, ESTIMATED} & found.keys()


def test_the_limit_of_the_error_is_no_bound() -> None:
    """16 s (NTP_PHASE_LIMIT) means that nobody has set it; a little less is a bound."""
    assert BOUND not in said(Timex(0, 0, maxerror=16_000_000))
    assert 15.9995 == said(Timex(0, 0, maxerror=15_999_500))[BOUND]


def test_tai_is_told_where_it_was() -> None:
    """0 is what the kernel has before anybody told it; 37 s has been right since 2017."""
    assert TAI not in said(Timex(0, 0, tai=0))
    assert 37 == said(Timex(0, 0, tai=37))[TAI]


def test_a_leap_second_to_come() -> None:
    """State and flag say so while the clock stays synchronised."""
    found = said(Timex(1, PLL | INS))
    assert 1 == found[SYNCHRONIZED]
    assert 1 == found['tailsight_kernel_clock_state_info{state="insert"}']
    assert 1 == found['tailsight_kernel_clock_flag_info{flag="ins"}']


def test_pulses_per_second() -> None:
    """With a signal its numbers are there, without one not: they are all 0 then."""
    pps = Timex(0, PPSSIGNAL | NANO, ppsfreq=65536, jitter=1200, jitcnt=3, calcnt=70, errcnt=2)
    found = {name: value for name, value in said(pps).items() if "_pps_" in name}
    assert {
        "tailsight_kernel_clock_pps_frequency_ratio": 1e-6,
        "tailsight_kernel_clock_pps_jitter_seconds": 1.2e-6,
        "tailsight_kernel_clock_pps_jitter_exceeded_total": 3,
        "tailsight_kernel_clock_pps_calibrations_total": 70,
        "tailsight_kernel_clock_pps_calibration_errors_total": 2,
        "tailsight_kernel_clock_pps_wander_exceeded_total": 0,
    } == found
    assert not [name for name in said(pps._replace(status=NANO)) if "_pps_" in name]


def test_this_machine_answers() -> None:
    """The live kernel is asked without any privilege, and its answer holds together."""
    found = values(run(COLLECTOR, Root()))
    assert found[SYNCHRONIZED] in {0, 1}
    assert 0.9 < float(str(found["tailsight_kernel_clock_frequency_adjustment_ratio"])) < 1.1


def test_a_state_that_is_none() -> None:
    """It is refused rather than given a name."""
    with pytest.raises(ValueError, match="no state of a clock: 6"):
        list(samples(Timex(6, 0)))


@given(st.binary(max_size=300), st.integers(-5, 10))
def test_any_bytes(answer: bytes, state: int) -> None:
    """Any bytes give values or a ValueError; unsynchronised is never called otherwise."""
    try:
        timex = parse_timex(state, answer)
        found = said(timex)
    except ValueError:
        return
    assert found[SYNCHRONIZED] == int(synchronized(timex))


@given(st.binary(min_size=208, max_size=208), st.integers(0, 5))
def test_any_members(answer: bytes, state: int) -> None:
    """Any members of a struct of the right size are told, none beyond what its type can hold."""
    found = said(parse_timex(state, answer))
    assert 0 <= float(str(found.get(BOUND, 0))) < 16


def test_a_recording(make_tree: MakeTree) -> None:
    """One object counts from the start on."""
    document = {"state": 0, "status": 8192, "maxerror": 12500, "tai": 37}
    tree = make_tree({"replay/adjtimex.json": json.dumps(document)})
    found = values(run(COLLECTOR, ReplayRoot(str(tree))))
    assert (1, 0.0125, 37) == (found[SYNCHRONIZED], found[BOUND], found[TAI])


def test_a_recording_as_time_passes(make_tree: MakeTree) -> None:
    """The last version that has begun counts, and one may be a refusal."""
    versions = [
        {"at": 100, "state": 5, "status": 64},
        {"at": 0, "state": 0, "status": 0},
        {"at": 200, "errno": "EPERM"},
    ]
    files: dict[str, str | bytes] = {
        "replay/adjtimex.json": json.dumps(versions),
        "replay/clock.json": '{"epoch": 0, "speed": 0}',
    }
    root = ReplayRoot(str(make_tree(files)))
    seen: list[object] = []
    for second in (0.0, 99.0, 100.0, 200.0):
        root.elapsed = lambda second=second: second  # type: ignore[method-assign,misc]
        outcome = run(COLLECTOR, root)
        seen.append(values(outcome).get(SYNCHRONIZED, failed(outcome)))
    assert [1, 1, 0, ["adjtimex"]] == seen
    assert errno.EPERM == getattr(outcome.failures[0].error, "errno", None)


def test_a_recording_without_it(make_tree: MakeTree) -> None:
    """The live clock does not show through."""
    outcome = run(COLLECTOR, ReplayRoot(str(make_tree({"proc/version": "x"}))))
    assert ("absent", "the recording has no replay/adjtimex.json") == (
        outcome.status,
        outcome.reason,
    )


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "wants an object, or a list with at least one"),
        ("x", "wants an object, got 'x'"),
        ([3], "wants an object, got '3'"),
        ({"state": 0}, "wants whole numbers for state, status"),
        ({"state": 0, "status": True}, "wants whole numbers"),
        ({"state": 0, "status": 0, "maxerror": 1.5}, "wants whole numbers"),
        ({"state": 0, "status": 0, "maxerr": 1}, "wants whole numbers"),
        ({"state": 0, "status": 2**63}, "wants whole numbers"),
        ([{"state": 0, "status": 0}], 'a version wants "at" in seconds'),
        ([{"at": "x", "state": 0, "status": 0}], 'a version wants "at" in seconds'),
        ([{"at": 0, "errno": "EWHAT"}], "no such errno: 'EWHAT'"),
        ([{"at": 0, "errno": ["EPERM"]}], "no such errno"),
    ],
)
def test_a_recording_that_is_none(document: object, message: str) -> None:
    """What is wrong with it is said in one line."""
    with pytest.raises(ValueError, match=message):
        parse_recording(document)
