"""
What an answer of the endpoint means, by the OTLP specification.

https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
"""

from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsPartialSuccess,
    ExportMetricsServiceResponse,
)

from exporters.otlp.result import Result

RETRYABLE = frozenset(
    {
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    }
)
"""The only statuses after which the same data may be sent again."""
LONGEST_WAIT = 3600.0
"""A Retry-After beyond this many seconds counts as this: a wrong one must not silence a node."""
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """What the endpoint said to one request."""

    status: int
    body: bytes = b""
    content_type: str = ""
    retry_after: str = ""
    location: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do after a request."""

    result: Result
    message: str = ""
    """Why, as the endpoint put it; also a warning that came with success."""
    rejected: int = 0
    """Points that were not taken out of a request that was."""
    wait_seconds: float | None = None
    """How long the endpoint asked to be left alone, if it did."""


def judge(answer: Answer, now_seconds: float) -> Verdict:
    """Return what an answer, received at this time since the epoch, asks for."""
    status = answer.status
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return _judge_success(answer)
    if status in RETRYABLE:
        wait = retry_after(answer.retry_after, now_seconds)
        return Verdict(Result.RETRY, _reason(answer), wait_seconds=wait)
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        where = f" to {answer.location[:_SHOWN]!r}" if answer.location else ""
        return Verdict(Result.REFUSED, f"HTTP {status}: redirected{where}, which is not followed")
    return Verdict(Result.REFUSED, _reason(answer))


def retry_after(text: str, now_seconds: float) -> float | None:
    """
    Return how many seconds a Retry-After header asks for; None where it says nothing.

    https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
    """
    text = text.strip()
    if text.isascii() and text.isdecimal():
        seconds = float(text)
    else:
        try:
            date = parsedate_to_datetime(text)
        except ValueError:
            return None
        # A date of RFC 9110 is in GMT; email's parser leaves "-0000" without a zone.
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        seconds = date.timestamp() - now_seconds
    return min(max(seconds, 0.0), LONGEST_WAIT)


def _judge_success(answer: Answer) -> Verdict:
    if not answer.content_type.startswith("application/x-protobuf"):
        return Verdict(Result.SUCCESS)
    try:
        partial = ExportMetricsServiceResponse.FromString(answer.body).partial_success
    except DecodeError:
        return Verdict(Result.SUCCESS, "the answer to a push is not OTLP")
    rejected = max(0, partial.rejected_data_points)
    result = Result.PARTIAL if rejected else Result.SUCCESS
    return Verdict(result, _shown(partial.error_message), rejected)


def _reason(answer: Answer) -> str:
    """Return the status with what the body says of it: a google.rpc.Status, or text."""
    text = ""
    if answer.content_type.startswith("application/x-protobuf"):
        try:
            # Status has its code and message where this class, which is at hand, has
            # rejected_data_points and error_message: fields 1 (varint) and 2 (string).
            text = ExportMetricsPartialSuccess.FromString(answer.body).error_message
        except DecodeError:
            text = ""
    elif answer.content_type.startswith("text/plain"):
        text = answer.body.decode(errors="replace")
    return f"HTTP {answer.status}: {_shown(text)}" if text else f"HTTP {answer.status}"


def _shown(text: str) -> str:
    """Return a stranger's text as part of one line of a log."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_SHOWN]
