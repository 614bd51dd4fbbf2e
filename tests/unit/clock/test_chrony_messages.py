"""chronyd's messages; ``chronyc`` is the oracle."""

import math
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.clock.chrony import samples
from exporters.clock.chrony_messages import (
    LEAPS,
    Activity,
    Command,
    Reply,
    Tracking,
    parse,
    parse_activity,
    parse_float,
    parse_tracking,
    request,
)
from exporters.clock.chrony_status import reference
from tests.support.chrony import REAL, patched

CAPTURES = sorted(path.name for path in REAL.iterdir() if path.name != "refused")
WORDS = {
    "Normal": "none",
    "Insert second": "insert",
    "Delete second": "delete",
    "Not synchronised": "unsynchronized",
}


def printed(capture: str, what: str) -> list[str]:
    """Return what ``chronyc -c`` printed, by columns."""
    text = (REAL / capture / "chronyc.txt").read_text(encoding="utf-8")
    return text.partition(f"$ chronyc -n -c {what}\n")[2].splitlines()[0].split(",")


def message(capture: str = "follower", what: str = "tracking") -> bytes:
    """Return a reply as it came."""
    return (REAL / capture / f"{what}.bin").read_bytes()


def tracking(capture: str) -> Tracking:
    """Return the parsed reply of a capture."""
    return parse_tracking(parse(message(capture)).content())


@pytest.mark.parametrize("capture", CAPTURES)
def test_tracking_by_chronyc(capture: str) -> None:
    """All of it is what chronyc prints of the same bytes, to its last digit."""
    found, chronyc = tracking(capture), printed(capture, "tracking")
    assert chronyc[0] == f"{found.reference_id:08X}"
    assert int(chronyc[2]) == found.stratum
    assert WORDS[chronyc[-1]] == found.leap
    seconds = (
        found.correction_seconds,
        found.last_offset_seconds,
        found.rms_offset_seconds,
        found.root_delay_seconds,
        found.root_dispersion_seconds,
    )
    assert [*chronyc[4:7], *chronyc[10:12]] == [f"{value:.9f}" for value in seconds]
    ratios = (found.frequency_ratio, found.residual_frequency_ratio, found.skew_ratio)
    assert chronyc[7:10] == [f"{value * 1e6:.3f}" for value in ratios]
    assert chronyc[12] == f"{found.update_interval_seconds:.1f}"
    assert pytest.approx(float(chronyc[3]), abs=1e-6) == found.reference_timestamp


@pytest.mark.parametrize("capture", CAPTURES)
def test_activity_by_chronyc(capture: str) -> None:
    """Sources by state, in chronyc's order."""
    found = parse_activity(parse(message(capture, "activity")).content())
    assert list(map(int, printed(capture, "activity"))) == list(found)


@pytest.mark.parametrize("capture", sorted(set(CAPTURES) - {"local"}))
def test_references_by_chronyc(capture: str) -> None:
    """An IPv4 or IPv6 address, or what the ID of a reference clock spells."""
    assert printed(capture, "tracking")[1] == reference(tracking(capture))


def test_a_local_reference() -> None:
    """By chronyc(1) 7F7F0101 is the local mode; chronyc prints no name."""
    assert "local" == reference(tracking("local"))


def test_an_id_that_spells_nothing() -> None:
    """Bytes beyond ASCII, and control characters, do not get into a label."""
    odd = tracking("reference-clock")._replace(reference_id=0x4101FF00)
    assert "A �" == reference(odd)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (0x00000000, 0.0),
        (2 << 25 | 1 << 23, 1.0),
        (1 << 25 | 1 << 23, 0.5),
        (1 << 25 | 3 << 23, -0.5),  # the coefficient is -2^23
        (0 << 25 | 0x0FFFFFF, (2**24 - 1) / 2**25),
        (0 << 25 | 0x1000000, -0.5),
        (64 << 25 | 1, 2.0**-89),  # the exponent is -64
        (63 << 25 | 0x0FFFFFF, (2**24 - 1) * 2.0**38),
    ],
)
def test_numbers(word: int, expected: float) -> None:
    """By candm.h: coefficient times 2 to the power of exponent minus 25."""
    assert expected == parse_float(word)


@given(st.integers(0, 2**32 - 1))
def test_any_number(word: int) -> None:
    """Every one is finite."""
    assert math.isfinite(parse_float(word))


@pytest.mark.parametrize(("command", "number"), [("TRACKING", 33), ("ACTIVITY", 44)])
def test_a_request(command: str, number: int) -> None:
    """Byte for byte by candm.h, and as long as the real reply: chronyd takes nothing shorter."""
    expected = "06010000" + f"{number:04x}" + "0000" + "12345678" + "00" * 8
    sent = request(Command[command], 0x12345678)
    assert (expected, len(message(what=command.lower()))) == (sent.hex()[:40], len(sent))
    assert set(sent[20:]) == {0}


def test_a_refusal() -> None:
    """A real one: chronyc says that the length does not fit."""
    assert ["518 Packet length mismatch"] == printed("refused", "tracking")
    reply = parse(message("refused"))
    assert (Command.TRACKING, 1, b"", "wrong length of the request") == reply
    with pytest.raises(ValueError, match="refuses tracking: wrong length of the request"):
        reply.content()


def test_a_refusal_of_another_kind() -> None:
    """A number that is not in the table is told as it is."""
    assert "status 99" == parse(patched(message("refused"), 8, b"\x00\x63")).error
    assert "not permitted" == parse(patched(message("refused"), 8, b"\x00\x02")).error


@pytest.mark.parametrize("cut", [0, 1, 27, 28, 60, 103])
def test_a_reply_that_was_cut(cut: int) -> None:
    """It is refused, with its length."""
    with pytest.raises(ValueError, match="bytes"):
        parse(message()[:cut])


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (0, b"\x05", "no reply of chronyd's version 6: version 5"),
        (1, b"\x01", "no reply"),
        (4, b"\x00\x0d", "no reply"),
        (6, b"\x00\x0c", "a reply to tracking of code 12"),
    ],
)
def test_a_message_that_is_no_reply(place: int, value: bytes, reason: str) -> None:
    """Another version, type, command or form is refused."""
    with pytest.raises(ValueError, match=reason):
        parse(patched(message(), place, value))


NEGATIVE = struct.pack(">I", 0x03800000)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (24, b"\x00\x11"),  # stratum 17
        (26, b"\x00\x04"),  # leap status 4
        (28, b"\x00\x00\x00\x01"),  # after the year 2106
        (36, b"\x3b\x9a\xca\x00"),  # 10^9 ns
        (48, NEGATIVE),  # RMS offset
        (60, NEGATIVE),  # skew
        (64, NEGATIVE),  # root delay
        (68, NEGATIVE),  # root dispersion
        (72, NEGATIVE),  # update interval
    ],
)
def test_tracking_out_of_range(place: int, value: bytes) -> None:
    """What cannot be is refused, field by field."""
    with pytest.raises(ValueError, match=r"out of range|no time"):
        parse_tracking(patched(parse(message()).content(), place, value))


def test_a_time_of_32_bits() -> None:
    """Its high word is marked; the seconds are the same."""
    data = patched(parse(message()).content(), 28, b"\x7f\xff\xff\xff")
    assert tracking("follower") == parse_tracking(data)


@pytest.mark.parametrize(("status", "leap"), list(enumerate(LEAPS)))
def test_leaps(status: int, leap: str) -> None:
    """0 to 3, as in NTP."""
    assert leap == parse_tracking(patched(parse(message()).content(), 26, bytes([0, status]))).leap


def test_fewer_sources_than_none() -> None:
    """It is refused; the order is candm.h's."""
    assert Activity(1, 2, 3, 4, 5) == parse_activity(struct.pack(">5i", 1, 2, 3, 4, 5))
    with pytest.raises(ValueError, match="fewer sources than none"):
        parse_activity(struct.pack(">5i", 1, 2, -3, 4, 5))


@pytest.mark.parametrize("parser", [parse_tracking, parse_activity])
def test_data_of_another_length(parser: object) -> None:
    """They are refused."""
    assert callable(parser)
    with pytest.raises(ValueError, match="bytes of"):
        parser(b"\0" * 7)


def test_more_than_is_known() -> None:
    """A later chronyd may tell more: what is known comes first."""
    assert parse(message()) == parse(message() + b"\xff" * 8)


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    """Any bytes are values or a ValueError."""
    try:
        list(samples([parse(data)]))
    except ValueError:
        return


@given(st.sampled_from(Command), st.binary(min_size=76, max_size=76))
def test_any_data(command: Command, data: bytes) -> None:
    """Any data in a sound reply are finite values, or a ValueError."""
    size = {Command.TRACKING: 76, Command.ACTIVITY: 20, Command.SOURCE_COUNT: 4}.get(command, 48)
    try:
        found = list(samples([Reply(command, 1, data[:size])]))
    except ValueError:
        return
    assert all(isinstance(value, float | int) and math.isfinite(value) for _, value in found)


@given(st.sampled_from(sorted(REAL.glob("*/*.bin"))), st.data())
def test_any_damage(path: Path, data: st.DataObject) -> None:
    """A real reply with one byte changed is values or a ValueError."""
    damaged = bytearray(path.read_bytes())
    damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        list(samples([parse(bytes(damaged))]))
    except ValueError:
        return
