"""What is told of chronyd, and when."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from exporters.clock.chrony import check_recording, collector
from exporters.clock.chrony_messages import parse, parse_tracking
from exporters.clock.chrony_status import tracking_samples
from exporters.clock.options import ClockOptions
from exporters.core.replay import ReplayRoot
from tests.support.chrony import REAL, patched
from tests.support.collect import run, values

MakeTree = Callable[[dict[str, str | bytes]], Path]

SYNCHRONIZED = 'tailsight_clock_synchronized{source="chrony"}'
OFFSET = 'tailsight_clock_offset_seconds{source="chrony"}'
BOUND = 'tailsight_clock_error_bound_seconds{source="chrony"}'
STATES = ("online", "offline", "burst_online", "burst_offline", "unresolved")


def leap(state: str) -> str:
    """Return the series of a leap status."""
    return f'tailsight_chrony_leap_info{{leap="{state}"}}'


def reference(name: str, identity: str) -> str:
    """Return the series of a reference."""
    return f'tailsight_chrony_reference_info{{reference="{name}",reference_id="{identity}"}}'


def sources(*counts: int) -> dict[str, object]:
    """Return the series of the sources by state."""
    return {
        f'tailsight_chrony_sources{{state="{state}"}}': count
        for state, count in zip(STATES, counts, strict=True)
    }


def replayed(tmp_path: Path, *files: Path) -> dict[str, object]:
    """Return what is exported of recorded replies."""
    folder = tmp_path / "replay/chrony"
    folder.mkdir(parents=True)
    for file in files:
        shutil.copy(file, folder)
    outcome = run(collector(ClockOptions()), ReplayRoot(str(tmp_path)))
    assert "ok" == outcome.status, outcome.reason
    return values(outcome)


def near(value: float) -> object:
    """Return a value as chronyc prints it, to a nanosecond."""
    return pytest.approx(value, abs=5.1e-10, rel=0)


def test_a_follower(tmp_path: Path) -> None:
    """
    All of it, by what ``chronyc`` printed.

    1.325 us fast; the bound is that, 877 ns of dispersion and half of 4.781 us of delay.
    """
    assert {
        SYNCHRONIZED: 1,
        leap("none"): 1,
        "tailsight_chrony_stratum": 6,
        reference("192.0.2.1", "C0000201"): 1,
        OFFSET: near(1325e-9),
        BOUND: pytest.approx(4592.5e-9, abs=1.5e-9, rel=0),
        "tailsight_chrony_last_offset_seconds": near(-38e-9),
        "tailsight_chrony_rms_offset_seconds": near(347e-9),
        "tailsight_chrony_frequency_ratio": near(0.167e-6),
        "tailsight_chrony_residual_frequency_ratio": near(-0.009e-6),
        "tailsight_chrony_skew_ratio": near(0.689e-6),
        "tailsight_chrony_root_delay_seconds": near(4781e-9),
        "tailsight_chrony_root_dispersion_seconds": near(877e-9),
        "tailsight_chrony_reference_timestamp_seconds": pytest.approx(1796099198.74613805),
        "tailsight_chrony_update_interval_seconds": pytest.approx(0.1, abs=0.05),
        **sources(1, 0, 0, 0, 0),
    } == replayed(tmp_path, *(REAL / "follower").glob("*.bin"))


def test_one_without_a_reference(tmp_path: Path) -> None:
    """The zeros, and the second of root delay, that chronyd tells then are no readings."""
    assert {
        SYNCHRONIZED: 0,
        leap("unsynchronized"): 1,
        **sources(0, 0, 1, 0, 0),
    } == replayed(tmp_path, *(REAL / "unsynchronized").glob("*.bin"))


def test_one_that_is_its_own_reference(tmp_path: Path) -> None:
    """With ``local`` chronyd says that all is normal: it serves time, but follows nobody's."""
    assert {
        SYNCHRONIZED: 0,
        leap("none"): 1,
        "tailsight_chrony_stratum": 5,
        reference("local", "7F7F0101"): 1,
        **sources(0, 0, 0, 0, 0),
    } == replayed(tmp_path, *(REAL / "local").glob("*.bin"))


@pytest.mark.parametrize(
    ("capture", "offset", "name", "identity"),
    [
        ("follower-ipv6", -0.249997184, "2001:db8::1", "39AB9B37"),
        ("reference-clock", 0.124998607, "GPS", "47505300"),
    ],
)
def test_signs(tmp_path: Path, capture: str, offset: float, name: str, identity: str) -> None:
    """Ahead is positive: chronyc says "slow of NTP time" of the first, "fast" of the second."""
    said = (REAL / capture / "chronyc.txt").read_text(encoding="utf-8")
    word = "fast" if offset > 0 else "slow"
    assert f"System time     : {abs(offset):.9f} seconds {word} of NTP time" in said
    found = replayed(tmp_path, *(REAL / capture).glob("*.bin"))
    assert (1, near(offset)) == (found[SYNCHRONIZED], found[OFFSET])
    assert 1 == found[reference(name, identity)]
    assert abs(offset) < float(str(found[BOUND])) < abs(offset) + 10e-6


def test_a_leap_second_while_it_goes_on() -> None:
    """Chronyd is unsynchronised for that time, though it has a reference: no offset either."""
    tracking = parse_tracking(parse((REAL / "follower/tracking.bin").read_bytes()).content())
    samples = tracking_samples(tracking._replace(leap="unsynchronized"))
    found = {sample.series.prefix.rstrip(): sample.value for sample in samples}
    assert 0 == found[SYNCHRONIZED]
    assert set() == {OFFSET, BOUND} & found.keys()


def test_after_one_update() -> None:
    """There is no interval before the second; an offset of none is 0, not -0."""
    tracking = parse_tracking(parse((REAL / "follower/tracking.bin").read_bytes()).content())
    first = tracking._replace(update_interval_seconds=0.0, correction_seconds=0.0)
    found = {s.series.prefix.rstrip(): s.value for s in tracking_samples(first)}
    assert "tailsight_chrony_update_interval_seconds" not in found
    assert "0.0" == str(found[OFFSET])


def test_a_recording_as_time_passes(tmp_path: Path) -> None:
    """A later version takes the place of the first, and an empty one of both."""
    folder = tmp_path / "replay/chrony"
    folder.mkdir(parents=True)
    (tmp_path / "replay/clock.json").write_text('{"epoch": 0, "speed": 0}')
    shutil.copy(REAL / "follower/tracking.bin", folder / "tracking.bin")
    shutil.copy(REAL / "unsynchronized/tracking.bin", folder / "tracking@60.bin")
    (folder / "tracking@90.5.bin").touch()
    root = ReplayRoot(str(tmp_path))
    seen = []
    for second in (0.0, 59.9, 60.0, 91.0):
        root.elapsed = lambda second=second: second  # type: ignore[method-assign,misc]
        seen.append(values(run(collector(ClockOptions()), root)).get(SYNCHRONIZED))
    assert [1, 1, 0, None] == seen


def test_a_recording_is_checked() -> None:
    """A file that is no reply is named; a sound one, a refusal and an empty one are not."""
    sound = (REAL / "follower/tracking.bin").read_bytes()
    refusal = (REAL / "refused/tracking.bin").read_bytes()
    check_recording({"a.bin": sound, "b@5.bin": b"", "c.bin": refusal})
    with pytest.raises(ValueError, match=r"^d\.bin: a reply to tracking of code 5 with 22 bytes"):
        check_recording({"d.bin": sound[:50]})
    with pytest.raises(ValueError, match=r"^d\.bin: tracking out of range"):
        check_recording({"d.bin": patched(sound, 28 + 26, b"\xff\xff")})
    with pytest.raises(ValueError, match=r"^d@x\.bin: wants NAME@SECOND\.bin"):
        check_recording({"d@x.bin": sound})


def test_a_recording_of_a_refusal(tmp_path: Path) -> None:
    """It fails as it would on the node."""
    folder = tmp_path / "replay/chrony"
    folder.mkdir(parents=True)
    shutil.copy(REAL / "refused/tracking.bin", folder)
    outcome = run(collector(ClockOptions()), ReplayRoot(str(tmp_path)))
    assert "error" == outcome.status
    assert "chronyd refuses tracking: wrong length of the request" in outcome.reason


def test_a_recording_without_it(make_tree: MakeTree) -> None:
    """The chronyd of this machine is not asked."""
    outcome = run(collector(ClockOptions()), ReplayRoot(str(make_tree({"proc/version": "x"}))))
    assert ("absent", "the recording has no replay/chrony/*.bin") == (
        outcome.status,
        outcome.reason,
    )
