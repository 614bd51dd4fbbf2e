"""What answers mean, by the OTLP specification's table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsPartialSuccess,
    ExportMetricsServiceResponse,
)

from exporters.otlp.result import Result
from exporters.otlp.verdict import Answer, Verdict, judge, retry_after

PROTOBUF = "application/x-protobuf"
NOW = 784111777.0  # Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110


def partial(rejected: int, message: str) -> bytes:
    """Return a response with partial success."""
    part = ExportMetricsPartialSuccess(rejected_data_points=rejected, error_message=message)
    return ExportMetricsServiceResponse(partial_success=part).SerializeToString()


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_retryable(status: int) -> None:
    """These four, and no others, may be sent again."""
    assert Verdict(Result.RETRY, f"HTTP {status}") == judge(Answer(status), NOW)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 413, 415, 500, 501, 505])
def test_final(status: int) -> None:
    """All other errors must not be sent again."""
    assert Verdict(Result.REFUSED, f"HTTP {status}") == judge(Answer(status), NOW)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_refused(status: int) -> None:
    """A redirect could take the node's data anywhere: it is not followed, and named."""
    verdict = judge(Answer(status, location="http://elsewhere/"), NOW)
    text = f"HTTP {status}: redirected to 'http://elsewhere/', which is not followed"
    assert Verdict(Result.REFUSED, text) == verdict


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(200), Verdict(Result.SUCCESS)),
        (Answer(200, b"", PROTOBUF), Verdict(Result.SUCCESS)),
        (Answer(202, b"accepted", "text/plain"), Verdict(Result.SUCCESS)),
        (Answer(200, partial(3, "too old"), PROTOBUF), Verdict(Result.PARTIAL, "too old", 3)),
        (Answer(200, partial(0, "a hint"), PROTOBUF), Verdict(Result.SUCCESS, "a hint")),
        (
            Answer(200, b"\xff\xff", PROTOBUF),
            Verdict(Result.SUCCESS, "the answer to a push is not OTLP"),
        ),
    ],
)
def test_success(answer: Answer, expected: Verdict) -> None:
    """Partial success is final, counts what was rejected, and may be a mere hint."""
    assert expected == judge(answer, NOW)


def test_reason_of_a_status_message() -> None:
    """The text of a google.rpc.Status (code 3 is field 1, message is field 2) reaches the log."""
    body = b"\x08\x03\x12\x08bad data"
    assert "HTTP 400: bad data" == judge(Answer(400, body, PROTOBUF), NOW).message


def test_reason_in_plain_text() -> None:
    """What a proxy says in text reaches the log as part of one line."""
    answer = Answer(403, b"no\nway\x1b[31m", "text/plain; charset=utf-8")
    assert "HTTP 403: no way [31m" == judge(answer, NOW).message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("120", 120.0),
        ("0", 0.0),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60.0),
        ("Sun, 06 Nov 1994 08:50:37 -0000", 60.0),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0.0),
        ("999999999", 3600.0),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after(text: str, expected: float | None) -> None:
    """Seconds and dates are understood, a date gone by is now, and a day is too long."""
    assert expected == retry_after(text, NOW)


@given(st.text())
def test_retry_after_takes_anything(text: str) -> None:
    """Whatever a server writes there is a bounded wait or nothing."""
    wait = retry_after(text, NOW)
    assert wait is None or 0 <= wait <= 3600


@given(st.integers(100, 599), st.binary(max_size=50), st.sampled_from([PROTOBUF, "text/plain"]))
def test_any_answer_has_a_verdict(status: int, body: bytes, content_type: str) -> None:
    """No answer raises, and no message breaks the line of a log."""
    assert judge(Answer(status, body, content_type), NOW).message.isprintable()
