"""PTP management messages and the data sets in them; ``pmc`` of linuxptp is the oracle."""

import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.clock import ptp_datasets
from exporters.clock.ptp_answers import Answers, gather
from exporters.clock.ptp_datasets import ACCURACY_SECONDS, Port, parse_time_status
from exporters.clock.ptp_messages import Id, parse, request
from tests.support.boards import FIXTURES

PTP = FIXTURES / "ptp"
REAL = PTP / "linuxptp-3.1.1"
CAPTURES = sorted(path.name for path in REAL.iterdir() if path.is_dir())
CLOCK = bytes.fromhex("0011223344556677")


def fields(capture: str) -> dict[str, str]:
    """Return what pmc printed, by names as it prints them; of equal names the last one counts."""
    text = (REAL / capture / "pmc.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^\t\t(\S+) +(\S+)", text, re.MULTILINE))


def answers(capture: str) -> Answers:
    """Return the parsed answers of a capture."""
    return gather(parse(path.read_bytes()) for path in sorted((REAL / capture).glob("*.bin")))


def response(what: int, data: bytes, tlv: int = 1, action: int = 2) -> bytes:
    """Build a message as IEEE 1588 lays it out: header, target, action, TLV."""
    body = struct.pack(">HHH", tlv, 2 + len(data), what) + data
    header = struct.pack(">BBHB15x8sHHBb", 0x0D, 0x12, 48 + len(body), 0, CLOCK, 1, 7, 4, 0x7F)
    target = struct.pack(">8sHBBBB", b"\0" * 8, 77, 0, 0, action, 0)
    return header + target + body


@pytest.mark.parametrize("capture", CAPTURES)
def test_a_real_ptp4l_by_pmc(capture: str) -> None:
    """All that is parsed of the answers is what pmc shows of them."""
    pmc, found = fields(capture), answers(capture)
    assert found.default
    assert (int(pmc["numberPorts"]), pmc["clockIdentity"]) == tuple(found.default)
    assert found.time_status
    status = found.time_status
    assert int(pmc["master_offset"]) == round(status.offset_seconds * 1e9)
    assert pytest.approx(int(pmc["ingress_time"]) / 1e9) == status.ingress_seconds
    assert pmc["gmPresent"] == str(status.grandmaster_present).lower()
    assert pmc["gmIdentity"] == status.grandmaster
    assert found.current
    assert int(pmc["stepsRemoved"]) == found.current.steps_removed
    assert pytest.approx(float(pmc["meanPathDelay"])) == found.current.mean_path_delay_seconds * 1e9
    assert pytest.approx(float(pmc["offsetFromMaster"])) == found.current.offset_seconds * 1e9
    assert found.parent
    assert pmc["parentPortIdentity"] == found.parent.port
    assert pmc["grandmasterIdentity"] == found.parent.grandmaster
    assert int(pmc["gm.ClockClass"]) == found.parent.clock_class
    assert ACCURACY_SECONDS[int(pmc["gm.ClockAccuracy"], 16)] == found.parent.accuracy_seconds
    port = int(pmc["portIdentity"].rpartition("-")[2])
    assert {port: Port(port, pmc["portState"].lower())} == found.ports
    assert {port: pmc["interface"]} == found.interfaces


def test_time_properties_by_pmc() -> None:
    """Flag by flag: the captured grandmasters differ in them."""
    assert (37, "none", True, True, True, "gnss") == (answers("tai-taken-for-utc").time_properties)
    sent = fields("tai-taken-for-utc")
    assert ("37", "1", "1", "1", "0x20") == (
        sent["currentUtcOffset"], sent["currentUtcOffsetValid"], sent["ptpTimescale"],
        sent["timeTraceable"], sent["timeSource"],
    )  # fmt: skip
    assert (None, "none", False, False, False, "gnss") == (answers("follower").time_properties)
    sent = fields("follower")
    assert ("0", "0", "0", "0x20") == (
        sent["currentUtcOffsetValid"], sent["ptpTimescale"], sent["timeTraceable"],
        sent["timeSource"],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "offset_ns", "present"),
    [("locked", -571, True), ("huge", 70366639424941, True), ("no_gm", 0, False)],
)
def test_messages_by_the_structs(name: str, offset_ns: int, present: bool) -> None:  # noqa: FBT001
    """Offsets that public reports show, and none."""
    reply = parse((PTP / f"time_status_np_{name}.bin").read_bytes())
    assert (CLOCK, 1, 7, Id.TIME_STATUS_NP, "") == (
        reply.clock, reply.port, reply.sequence, reply.id, reply.error,
    )  # fmt: skip
    status = parse_time_status(reply.data)
    assert (offset_ns / 1e9, present) == (status.offset_seconds, status.grandmaster_present)
    assert "aabbcc.fffe.ddeeff" == status.grandmaster


def test_a_request() -> None:
    """
    Byte for byte by IEEE 1588: a GET of TIME_STATUS_NP to all ports, with no boundary hops.

    With hops ptp4l would send it on to the network.
    """
    expected = (
        "1d02003605000000" + "00" * 8 + "00000000" + "00" * 8 + "004d" + "0003" + "007f"
        "ffffffffffffffffffff" + "00000000" + "00010002c000"
    )  # fmt: skip
    assert expected == request(Id.TIME_STATUS_NP, 3, domain=5, transport=1, asker=77).hex()


def test_a_refusal() -> None:
    """MANAGEMENT_ERROR_STATUS: error and identifier stand where else identifier and data do."""
    error = struct.pack(">HH4x", 0x0006, Id.PORT_PROPERTIES_NP)
    message = response(0, b"")[:48] + struct.pack(">HH", 2, len(error)) + error
    message = message[:2] + struct.pack(">H", len(message)) + message[4:]
    reply = parse(message)
    assert (Id.PORT_PROPERTIES_NP, "not supported", b"") == (reply.id, reply.error, reply.data)


def test_refusals_alone_are_an_error() -> None:
    """A clock that refuses everything has not answered; one that refuses a part has."""
    told = parse((PTP / "time_status_np_locked.bin").read_bytes())
    refused = told._replace(id=Id.PORT_DATA_SET, error="not supported", data=b"")
    with pytest.raises(ValueError, match="PORT_DATA_SET: not supported"):
        gather([refused])
    assert gather([refused, told]).time_status is not None


@pytest.mark.parametrize("cut", [1, 20, 48, 53, 54, 60, 103])
def test_a_message_that_was_cut(cut: int) -> None:
    """A message shorter than it says is refused."""
    message = (PTP / "time_status_np_locked.bin").read_bytes()
    with pytest.raises(ValueError, match="bytes"):
        parse(message[:cut])


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (0, 0x0B, "no response of PTP 2"),  # an Announce
        (1, 0x01, "no response of PTP 2"),
        (46, 0, "no response of PTP 2"),  # a GET
        (49, 0x09, "TLV of type 0x0009"),
        (50, 0xFF, "TLV"),
        (51, 0x01, "TLV"),
        (2, 0xFF, "104 bytes of a PTP message of"),
    ],
)
def test_a_message_that_is_no_response(place: int, value: int, message: str) -> None:
    """Another type, version, action or TLV is refused."""
    changed = bytearray((PTP / "time_status_np_locked.bin").read_bytes())
    changed[place] = value
    with pytest.raises(ValueError, match=message):
        parse(bytes(changed))


def test_padding_behind_a_message() -> None:
    """A message ends where it says."""
    message = (PTP / "time_status_np_locked.bin").read_bytes()
    assert parse(message) == parse(message + b"\xff" * 10)


@pytest.mark.parametrize(
    ("state", "name"), [(1, "initializing"), (4, "listening"), (9, "slave"), (10, "grand_master")]
)
def test_states_of_a_port(state: int, name: str) -> None:
    """By number, IEEE 1588 table 20, and linuxptp's tenth."""
    data = CLOCK + struct.pack(">HB15x", 3, state)
    assert Port(3, name) == ptp_datasets.parse_port(data)


def test_a_state_that_is_none() -> None:
    """It is refused."""
    with pytest.raises(ValueError, match="no state of a port: 11"):
        ptp_datasets.parse_port(CLOCK + struct.pack(">HB15x", 1, 11))


@given(st.binary(max_size=200))
def test_any_bytes(message: bytes) -> None:
    """Any bytes are an answer or a ValueError."""
    try:
        gather([parse(message)])
    except ValueError:
        return


@given(st.sampled_from(Id), st.binary(max_size=80))
def test_any_data(what: Id, data: bytes) -> None:
    """Any data in a sound message are parsed, or a ValueError."""
    reply = parse(response(what, data))
    assert (what, data) == (reply.id, reply.data)
    try:
        gather([reply])
    except ValueError:
        return


@given(st.sampled_from(sorted(REAL.glob("*/*.bin"))), st.data())
def test_any_damage(path: Path, data: st.DataObject) -> None:
    """A real message with one byte changed is an answer or a ValueError."""
    message = bytearray(path.read_bytes())
    message[data.draw(st.integers(0, len(message) - 1))] = data.draw(st.integers(0, 255))
    try:
        gather([parse(bytes(message))])
    except ValueError:
        return
